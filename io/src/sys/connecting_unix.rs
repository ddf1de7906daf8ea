//! How a non-blocking connect says that it has begun.

pub(crate) fn is_in_progress(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::EINPROGRESS)
}
