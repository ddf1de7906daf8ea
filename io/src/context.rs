//! Which reactor is current on a thread, and what is left of the running task's budget.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::handle::Io;

/// A budget of this much is never used up.
const UNLIMITED: u8 = u8::MAX;

#[derive(Clone)]
struct Current {
    io: Io,
    budget: Rc<Cell<u8>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// Makes `io` current on this thread until the guard is dropped; what was current before then is so again.
///
/// `budget` is what the running task may still do: each operation of this crate that makes progress takes one off,
/// and at 0 it wakes the task and is pending. 255 is never used up. Guards are dropped in the reverse order.
///
/// # Examples
///
/// ```
/// use std::{cell::Cell, rc::Rc};
/// use wheelhouse_io::{context, net::TcpListener, Reactor, ReactorConfig};
///
/// # fn main() -> std::io::Result<()> {
/// let (_reactor, io) = Reactor::new(ReactorConfig::default())?;
/// let _guard = context::enter(&io, Rc::new(Cell::new(255)));
/// let listener = TcpListener::from_std(std::net::TcpListener::bind("127.0.0.1:0")?)?;
/// # drop(listener);
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping the guard leaves the reactor again"]
pub fn enter(io: &Io, budget: Rc<Cell<u8>>) -> EnterGuard {
    let current = Current { io: io.clone(), budget };
    // Err: the thread ends, and nothing can be entered any more.
    let before = CURRENT.try_with(|slot| slot.borrow_mut().replace(current)).ok().flatten();
    EnterGuard { before, on_this_thread: PhantomData }
}

/// Leaves the reactor when dropped. See [`enter`].
pub struct EnterGuard {
    before: Option<Current>,
    on_this_thread: PhantomData<*const ()>,
}

impl Drop for EnterGuard {
    fn drop(&mut self) {
        let before = self.before.take();
        // What is replaced may be the last handle of a reactor: dropped after the borrow. Err: the thread ends.
        let left = CURRENT.try_with(|slot| std::mem::replace(&mut *slot.borrow_mut(), before));
        drop(left);
    }
}

impl fmt::Debug for EnterGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnterGuard").finish_non_exhaustive()
    }
}

/// The current reactor's handle.
pub(crate) fn current() -> io::Result<Io> {
    let io = CURRENT.try_with(|slot| slot.borrow().as_ref().map(|current| current.io.clone()));
    io.ok().flatten().ok_or_else(|| Error::NoRuntime.into())
}

/// Ready while the running task has budget left; otherwise its waker is called, so that it comes back later.
pub(crate) fn poll_budget(cx: &mut Context<'_>) -> Poll<()> {
    let used_up = CURRENT.try_with(|slot| slot.borrow().as_ref().is_some_and(|current| current.budget.get() == 0));
    if used_up == Ok(true) {
        cx.waker().wake_by_ref();
        return Poll::Pending;
    }
    Poll::Ready(())
}

/// An operation made progress.
pub(crate) fn spend_budget() {
    // Err: the thread ends, and nothing runs on a budget any more.
    let _ = CURRENT.try_with(|slot| {
        if let Some(current) = slot.borrow().as_ref() {
            let left = current.budget.get();
            if left != UNLIMITED {
                current.budget.set(left.saturating_sub(1));
            }
        }
    });
}
