//! The errors that say that descriptors or memory ran out: Winsock's "too many open sockets" and "no buffer space".

pub(crate) fn is_exhausted(code: i32) -> bool {
    matches!(code, 10024 | 10055)
}
