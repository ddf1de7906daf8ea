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
