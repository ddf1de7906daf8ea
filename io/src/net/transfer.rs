//! Reading and writing, for every type that has one way to do each: the type provides `read_now`, or `write_now`,
//! `write_vectored_now` and `end_now`, and these macros all that is made of them.

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
