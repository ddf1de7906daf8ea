//! No signals here.

use std::task::Waker;

#[derive(Debug)]
pub(crate) struct Signals;

impl Signals {
    pub(crate) fn new() -> Self {
        Self
    }

    pub(crate) fn any(&self) -> bool {
        false
    }

    pub(crate) fn hand_out(&self, _wakes: &mut Vec<Waker>) {}

    pub(crate) fn shut_down(&self, _wakes: &mut Vec<Waker>) {}
}
