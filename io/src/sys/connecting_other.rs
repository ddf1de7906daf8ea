//! How a non-blocking connect says that it has begun.

pub(crate) fn is_in_progress(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::WouldBlock
}
