//! What every socket offers besides reading and writing. One text, expanded in each type's `impl`, whose registered
//! socket is `self.io`.

/// Waiting for readiness.
macro_rules! readiness_api {
    () => {
        /// Waits until it is ready for `interest`, and says for what of it. It may turn out not to be: the operation
        /// then says `WouldBlock`.
        ///
        /// # Errors
        ///
        /// [`Error::ShutDown`](crate::Error::ShutDown) inside when the runtime is gone.
        ///
        /// # Cancel safety
        ///
        /// Cancel safe: readiness stays until an operation disproves it.
        pub async fn ready(&self, interest: crate::io::Interest) -> ::std::io::Result<crate::io::Ready> {
            Ok(self.io.ready(interest).await?.ready(interest))
        }

        /// Runs `op` if it may be ready for `interest`. If `op` says `WouldBlock`, and only then, the readiness is
        /// taken back: `op` must have tried the socket when it says so.
        ///
        /// # Errors
        ///
        /// `WouldBlock` when it is not ready; otherwise those of `op`.
        pub fn try_io<R>(
            &self,
            interest: crate::io::Interest,
            mut op: impl FnMut() -> ::std::io::Result<R>,
        ) -> ::std::io::Result<R> {
            self.io.try_io(interest, |_| op())
        }

        /// Waits until `op` does not say `WouldBlock`. See [`try_io`](Self::try_io).
        ///
        /// # Errors
        ///
        /// Those of `op`, but for `WouldBlock`.
        ///
        /// # Cancel safety
        ///
        /// Cancel safe if `op` is: it is not called again once it succeeded.
        pub async fn async_io<R>(
            &self,
            interest: crate::io::Interest,
            mut op: impl FnMut() -> ::std::io::Result<R>,
        ) -> ::std::io::Result<R> {
            self.io.op(interest, |_| op()).await
        }
    };
}
pub(crate) use readiness_api;

/// Waiting for readiness to read.
macro_rules! readable_api {
    () => {
        /// Waits until there is something to read. It may turn out that there is not: the operation then says
        /// `WouldBlock`.
        ///
        /// # Errors
        ///
        /// [`Error::ShutDown`](crate::Error::ShutDown) inside when the runtime is gone.
        ///
        /// # Cancel safety
        ///
        /// Cancel safe: readiness stays until an operation disproves it.
        pub async fn readable(&self) -> ::std::io::Result<()> {
            self.io.ready(crate::io::Interest::READABLE).await.map(drop)
        }

        /// [`readable`](Self::readable) for hand-written futures. Every waker that waits is called, and is kept until
        /// then: a future that gives up leaves its waker behind until the next event.
        ///
        /// # Errors
        ///
        /// Those of [`readable`](Self::readable).
        pub fn poll_read_ready(&self, cx: &mut ::std::task::Context<'_>) -> ::std::task::Poll<::std::io::Result<()>> {
            self.io.poll_ready(cx, crate::io::Interest::READABLE, crate::evented::Shared).map_ok(drop)
        }
    };
}
pub(crate) use readable_api;

/// Waiting for readiness to write.
macro_rules! writable_api {
    () => {
        /// Waits until there is room to write. It may turn out that there is not: the operation then says
        /// `WouldBlock`.
        ///
        /// # Errors
        ///
        /// [`Error::ShutDown`](crate::Error::ShutDown) inside when the runtime is gone.
        ///
        /// # Cancel safety
        ///
        /// Cancel safe: readiness stays until an operation disproves it.
        pub async fn writable(&self) -> ::std::io::Result<()> {
            self.io.ready(crate::io::Interest::WRITABLE).await.map(drop)
        }

        /// [`writable`](Self::writable) for hand-written futures. Every waker that waits is called, and is kept until
        /// then: a future that gives up leaves its waker behind until the next event.
        ///
        /// # Errors
        ///
        /// Those of [`writable`](Self::writable).
        pub fn poll_write_ready(&self, cx: &mut ::std::task::Context<'_>) -> ::std::task::Poll<::std::io::Result<()>> {
            self.io.poll_ready(cx, crate::io::Interest::WRITABLE, crate::evented::Shared).map_ok(drop)
        }
    };
}
pub(crate) use writable_api;

/// Reading what there is. The type provides `read_now` and `read_vectored_now`.
macro_rules! try_read_api {
    () => {
        /// Reads what there is, without waiting. 0 means the end of the stream, or an empty `buf`.
        ///
        /// # Errors
        ///
        /// `WouldBlock` when there is nothing; otherwise those of the operating system.
        pub fn try_read(&self, buf: &mut [u8]) -> ::std::io::Result<usize> {
            let buf = crate::net::stream::as_uninit(buf);
            self.io.try_hinted(crate::io::Interest::READABLE, |inner| self.read_now(inner, buf))
        }

        /// Reads what there is into several buffers, without waiting.
        ///
        /// # Errors
        ///
        /// Those of [`try_read`](Self::try_read).
        pub fn try_read_vectored(&self, bufs: &mut [::std::io::IoSliceMut<'_>]) -> ::std::io::Result<usize> {
            self.io.try_io(crate::io::Interest::READABLE, |mut inner| ::std::io::Read::read_vectored(&mut inner, bufs))
        }

        /// `AsyncRead::poll_read` into memory that need not be initialised: its first bytes are afterwards, as many
        /// as the result says. 0 means the end of the stream, or an empty `buf`. Only the last waker is kept.
        ///
        /// # Errors
        ///
        /// Those of the operating system.
        pub fn poll_read_uninit(
            &mut self,
            cx: &mut ::std::task::Context<'_>,
            buf: &mut [::std::mem::MaybeUninit<u8>],
        ) -> ::std::task::Poll<::std::io::Result<usize>> {
            crate::net::stream::Readable::poll_read_with(self, cx, crate::evented::Exclusive, buf)
        }
    };
}
pub(crate) use try_read_api;

/// Writing what there is room for.
macro_rules! try_write_api {
    () => {
        /// Writes what there is room for, without waiting.
        ///
        /// # Errors
        ///
        /// `WouldBlock` when there is no room; otherwise those of the operating system.
        pub fn try_write(&self, buf: &[u8]) -> ::std::io::Result<usize> {
            self.io.try_hinted(crate::io::Interest::WRITABLE, |inner| self.write_now(inner, buf))
        }

        /// Writes what there is room for from several buffers, without waiting.
        ///
        /// # Errors
        ///
        /// Those of [`try_write`](Self::try_write).
        pub fn try_write_vectored(&self, bufs: &[::std::io::IoSlice<'_>]) -> ::std::io::Result<usize> {
            self.io.try_hinted(crate::io::Interest::WRITABLE, |inner| self.write_vectored_now(inner, bufs))
        }
    };
}
pub(crate) use try_write_api;

/// [`Readable`](crate::net::stream::Readable) for a type that provides `read_now`.
macro_rules! readable_by_read_now {
    ($stream:ty) => {
        impl crate::net::stream::Readable for $stream {
            fn poll_read_with(
                &self,
                cx: &mut ::std::task::Context<'_>,
                how: impl crate::evented::Waits,
                buf: &mut [::std::mem::MaybeUninit<u8>],
            ) -> ::std::task::Poll<::std::io::Result<usize>> {
                if buf.is_empty() {
                    return ::std::task::Poll::Ready(Ok(0));
                }
                self.io.poll_hinted(cx, crate::io::Interest::READABLE, how, |inner| self.read_now(inner, buf))
            }
        }
    };
}
pub(crate) use readable_by_read_now;

/// [`Writable`](crate::net::stream::Writable) for a type that provides `write_now`, `write_vectored_now` and
/// `end_now`.
macro_rules! writable_by_write_now {
    ($stream:ty) => {
        impl crate::net::stream::Writable for $stream {
            fn poll_write_with(
                &self,
                cx: &mut ::std::task::Context<'_>,
                how: impl crate::evented::Waits,
                buf: &[u8],
            ) -> ::std::task::Poll<::std::io::Result<usize>> {
                if buf.is_empty() {
                    return ::std::task::Poll::Ready(Ok(0));
                }
                self.io.poll_hinted(cx, crate::io::Interest::WRITABLE, how, |inner| self.write_now(inner, buf))
            }

            fn poll_write_vectored_with(
                &self,
                cx: &mut ::std::task::Context<'_>,
                how: impl crate::evented::Waits,
                bufs: &[::std::io::IoSlice<'_>],
            ) -> ::std::task::Poll<::std::io::Result<usize>> {
                if bufs.iter().all(|buf| buf.is_empty()) {
                    return ::std::task::Poll::Ready(Ok(0));
                }
                let op = |inner: &_| self.write_vectored_now(inner, bufs);
                self.io.poll_hinted(cx, crate::io::Interest::WRITABLE, how, op)
            }

            fn end(&self) -> ::std::io::Result<()> {
                self.end_now()
            }
        }
    };
}
pub(crate) use writable_by_write_now;
