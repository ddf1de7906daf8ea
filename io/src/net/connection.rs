//! What the two kinds of connections, TCP's and Unix's, have in common beside reading and writing.

/// Halves, addresses and the end, for a stream whose registered socket is `self.io`.
macro_rules! connection_api {
    ($addr:ty) => {
        /// Two halves that borrow the stream, for one task. They cost nothing.
        ///
        /// # Examples
        ///
        /// ```
        /// use futures::{AsyncReadExt, AsyncWriteExt};
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (mut a, b) = UnixStream::pair()?;
        /// # b.try_write(b"answer")?;
        /// let (mut read, mut write) = a.split();
        /// let mut buf = [0; 6];
        /// let (_, ()) = futures::try_join!(read.read(&mut buf), write.write_all(b"question"))?;
        /// # Ok(())
        /// # });
        /// ```
        pub fn split(&mut self) -> (crate::net::split::ReadHalf<'_, Self>, crate::net::split::WriteHalf<'_, Self>) {
            crate::net::split::split(self)
        }

        /// Two halves that share the stream, for two tasks. Dropping the writing half ends the stream.
        ///
        /// # Examples
        ///
        /// ```
        /// use futures::AsyncReadExt;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, mut b) = UnixStream::pair()?;
        /// let (_read, write) = a.into_split();
        /// drop(write);
        /// assert_eq!(b.read(&mut [0; 1]).await?, 0);
        /// # Ok(())
        /// # });
        /// ```
        #[must_use]
        pub fn into_split(self) -> (crate::net::split::OwnedReadHalf<Self>, crate::net::split::OwnedWriteHalf<Self>) {
            crate::net::split::into_split(self)
        }

        /// Closes one or both directions. (`close` of futures-io's traits and `shutdown` of tokio's close the writing one.)
        ///
        /// # Errors
        ///
        /// Those of the operating system.
        ///
        /// # Examples
        ///
        /// ```
        /// use std::net::Shutdown;
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// a.shutdown_with(Shutdown::Both)?;
        /// # drop(b);
        /// # Ok(())
        /// # });
        /// ```
        pub fn shutdown_with(&self, how: ::std::net::Shutdown) -> ::std::io::Result<()> {
            self.io.shutdown(how)
        }

        /// The peer's address.
        ///
        /// # Errors
        ///
        /// Those of the operating system.
        ///
        /// # Examples
        ///
        /// ```
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// assert!(a.peer_addr()?.is_unnamed());
        /// # drop(b);
        /// # Ok(())
        /// # });
        /// ```
        pub fn peer_addr(&self) -> ::std::io::Result<$addr> {
            self.io.peer_addr()
        }

        /// This side's address.
        ///
        /// # Errors
        ///
        /// Those of the operating system.
        ///
        /// # Examples
        ///
        /// ```
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// assert!(a.local_addr()?.is_unnamed());
        /// # drop(b);
        /// # Ok(())
        /// # });
        /// ```
        pub fn local_addr(&self) -> ::std::io::Result<$addr> {
            self.io.local_addr()
        }

        /// The error that waits on the socket, if any; it is taken.
        ///
        /// # Errors
        ///
        /// Those of the operating system.
        ///
        /// # Examples
        ///
        /// ```
        /// use wheelhouse_io::net::UnixStream;
        ///
        /// # wheelhouse_io::doc::run(async {
        /// let (a, b) = UnixStream::pair()?;
        /// assert!(a.take_error()?.is_none());
        /// # drop(b);
        /// # Ok(())
        /// # });
        /// ```
        pub fn take_error(&self) -> ::std::io::Result<Option<::std::io::Error>> {
            self.io.take_error()
        }

        fn end_now(&self) -> ::std::io::Result<()> {
            match self.io.shutdown(::std::net::Shutdown::Write) {
                // The peer is gone already.
                Err(error) if error.kind() == ::std::io::ErrorKind::NotConnected => Ok(()),
                result => result,
            }
        }
    };
}
pub(crate) use connection_api;

/// What dropping a writing half of the stream does, for a stream with [`connection_api`].
macro_rules! ends_by_end_now {
    ($stream:ty) => {
        impl crate::net::split::StreamEnd for $stream {
            fn end_stream(&self) {
                // Err: there is no stream left to end.
                let _ = self.end_now();
            }
        }
    };
}
pub(crate) use ends_by_end_now;
