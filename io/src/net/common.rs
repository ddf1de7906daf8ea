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
        ///
        /// # Examples
        ///
        /// ```
        /// use wheelhouse_io::io::Interest;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// b.try_write(b"x")?;
        /// let ready = a.ready(Interest::READABLE | Interest::WRITABLE).await?;
        /// assert!(ready.is_readable() || ready.is_writable());
        /// # Ok(())
        /// # });
        /// ```
        pub async fn ready(&self, interest: crate::io::Interest) -> ::std::io::Result<crate::io::Ready> {
            Ok(self.io.ready(interest).await?.ready(interest))
        }

        /// Runs `op` if it may be ready for `interest`. If `op` says `WouldBlock`, and only then, the readiness is
        /// taken back: `op` must have tried the socket when it says so.
        ///
        /// # Errors
        ///
        /// `WouldBlock` when it is not ready; otherwise those of `op`.
        ///
        /// # Examples
        ///
        /// ```
        /// use std::os::fd::AsRawFd;
        /// use wheelhouse_io::io::Interest;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// b.try_write(b"hello")?;
        /// // A system call of our own: how much is there to read?
        /// let look = || {
        ///     let mut buf = [0; 16];
        ///     // SAFETY: the buffer is live and as long as it says.
        ///     let n = unsafe { libc::recv(a.as_raw_fd(), buf.as_mut_ptr().cast(), buf.len(), libc::MSG_PEEK) };
        ///     usize::try_from(n).map_err(|_| std::io::Error::last_os_error())
        /// };
        /// assert_eq!(a.try_io(Interest::READABLE, look)?, 5);
        /// # Ok(())
        /// # });
        /// ```
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
        ///
        /// # Examples
        ///
        /// ```
        /// use std::os::fd::AsRawFd;
        /// use wheelhouse_io::io::Interest;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// let look = || {
        ///     let mut buf = [0; 16];
        ///     // SAFETY: the buffer is live and as long as it says.
        ///     let n = unsafe { libc::recv(a.as_raw_fd(), buf.as_mut_ptr().cast(), buf.len(), libc::MSG_PEEK) };
        ///     usize::try_from(n).map_err(|_| std::io::Error::last_os_error())
        /// };
        /// b.try_write(b"hello")?;
        /// assert_eq!(a.async_io(Interest::READABLE, look).await?, 5);
        /// # Ok(())
        /// # });
        /// ```
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
        ///
        /// # Examples
        ///
        /// ```
        /// use std::io::ErrorKind;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// b.try_write(b"x")?;
        /// let mut buf = [0; 8];
        /// loop {
        ///     a.readable().await?;
        ///     match a.try_read(&mut buf) {
        ///         Ok(n) => break assert_eq!(n, 1),
        ///         Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
        ///         Err(error) => return Err(error),
        ///     }
        /// }
        /// # Ok(())
        /// # });
        /// ```
        pub async fn readable(&self) -> ::std::io::Result<()> {
            self.io.ready(crate::io::Interest::READABLE).await.map(drop)
        }

        /// [`readable`](Self::readable) for hand-written futures. Every waker that waits is called, and is kept until
        /// then: a future that gives up leaves its waker behind until the next event.
        ///
        /// # Errors
        ///
        /// Those of [`readable`](Self::readable).
        ///
        /// # Examples
        ///
        /// ```
        /// use std::future::poll_fn;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// b.try_write(b"x")?;
        /// poll_fn(|cx| a.poll_read_ready(cx)).await?;
        /// # Ok(())
        /// # });
        /// ```
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
        ///
        /// # Examples
        ///
        /// ```
        /// use std::io::ErrorKind;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, _b) = UnixStream::pair()?;
        /// loop {
        ///     a.writable().await?;
        ///     match a.try_write(b"x") {
        ///         Ok(n) => break assert_eq!(n, 1),
        ///         Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
        ///         Err(error) => return Err(error),
        ///     }
        /// }
        /// # Ok(())
        /// # });
        /// ```
        pub async fn writable(&self) -> ::std::io::Result<()> {
            self.io.ready(crate::io::Interest::WRITABLE).await.map(drop)
        }

        /// [`writable`](Self::writable) for hand-written futures. Every waker that waits is called, and is kept until
        /// then: a future that gives up leaves its waker behind until the next event.
        ///
        /// # Errors
        ///
        /// Those of [`writable`](Self::writable).
        ///
        /// # Examples
        ///
        /// ```
        /// use std::future::poll_fn;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, _b) = UnixStream::pair()?;
        /// poll_fn(|cx| a.poll_write_ready(cx)).await?;
        /// # Ok(())
        /// # });
        /// ```
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
        ///
        /// # Examples
        ///
        /// ```
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// b.try_write(b"hello")?;
        /// a.readable().await?;
        /// let mut buf = [0; 16];
        /// let n = a.try_read(&mut buf)?;
        /// assert_eq!(&buf[..n], b"hello");
        /// # Ok(())
        /// # });
        /// ```
        pub fn try_read(&self, buf: &mut [u8]) -> ::std::io::Result<usize> {
            let buf = crate::net::stream::as_uninit(buf);
            self.io.try_hinted(crate::io::Interest::READABLE, |inner| self.read_now(inner, buf))
        }

        /// Reads what there is into several buffers, without waiting.
        ///
        /// # Errors
        ///
        /// Those of [`try_read`](Self::try_read).
        ///
        /// # Examples
        ///
        /// ```
        /// use std::io::IoSliceMut;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// b.try_write(b"hello")?;
        /// a.readable().await?;
        /// let (mut head, mut tail) = ([0; 2], [0; 8]);
        /// let n = a.try_read_vectored(&mut [IoSliceMut::new(&mut head), IoSliceMut::new(&mut tail)])?;
        /// assert_eq!((n, &head, &tail[..3]), (5, b"he", &b"llo"[..]));
        /// # Ok(())
        /// # });
        /// ```
        pub fn try_read_vectored(&self, bufs: &mut [::std::io::IoSliceMut<'_>]) -> ::std::io::Result<usize> {
            self.io.try_io(crate::io::Interest::READABLE, |mut inner| ::std::io::Read::read_vectored(&mut inner, bufs))
        }

        /// `AsyncRead::poll_read` into memory that need not be initialised: its first bytes are afterwards, as many
        /// as the result says. 0 means the end of the stream, or an empty `buf`. Only the last waker is kept.
        ///
        /// # Errors
        ///
        /// Those of the operating system.
        ///
        /// # Examples
        ///
        /// ```
        /// use std::future::poll_fn;
        /// use std::mem::MaybeUninit;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (mut a, b) = UnixStream::pair()?;
        /// b.try_write(b"hello")?;
        /// let mut buf = [MaybeUninit::uninit(); 16];
        /// let n = poll_fn(|cx| a.poll_read_uninit(cx, &mut buf)).await?;
        /// assert_eq!(n, 5);
        /// # Ok(())
        /// # });
        /// ```
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
        ///
        /// # Examples
        ///
        /// ```
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, _b) = UnixStream::pair()?;
        /// a.writable().await?;
        /// assert_eq!(a.try_write(b"hello")?, 5);
        /// # Ok(())
        /// # });
        /// ```
        pub fn try_write(&self, buf: &[u8]) -> ::std::io::Result<usize> {
            self.io.try_hinted(crate::io::Interest::WRITABLE, |inner| self.write_now(inner, buf))
        }

        /// Writes what there is room for from several buffers, without waiting.
        ///
        /// # Errors
        ///
        /// Those of [`try_write`](Self::try_write).
        ///
        /// # Examples
        ///
        /// ```
        /// use std::io::IoSlice;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, _b) = UnixStream::pair()?;
        /// a.writable().await?;
        /// assert_eq!(a.try_write_vectored(&[IoSlice::new(b"he"), IoSlice::new(b"llo")])?, 5);
        /// # Ok(())
        /// # });
        /// ```
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
