//! The errors that say that descriptors or memory ran out.

pub(crate) fn is_exhausted(code: i32) -> bool {
    matches!(code, libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM)
}
