//! What datagram sockets are called besides, where streams read and write.

macro_rules! datagram_ready_api {
    () => {
        /// Whether there may be a datagram to receive: [`poll_read_ready`](Self::poll_read_ready) by another name.
        ///
        /// # Errors
        ///
        /// Those of [`readable`](Self::readable).
        pub fn poll_recv_ready(&self, cx: &mut ::std::task::Context<'_>) -> ::std::task::Poll<::std::io::Result<()>> {
            self.poll_read_ready(cx)
        }

        /// Whether there may be room for a datagram: [`poll_write_ready`](Self::poll_write_ready) by another name.
        ///
        /// # Errors
        ///
        /// Those of [`writable`](Self::writable).
        pub fn poll_send_ready(&self, cx: &mut ::std::task::Context<'_>) -> ::std::task::Poll<::std::io::Result<()>> {
            self.poll_write_ready(cx)
        }
    };
}
pub(crate) use datagram_ready_api;
