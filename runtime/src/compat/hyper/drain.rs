//! How a server tells its connections to end, and learns that they have: one flag and one waker a connection, no lock.

use std::future::poll_fn;
use std::task::{Context, Poll};

use atomic_waker::AtomicWaker;

use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering};

/// Links below which dead ones are not looked for.
const FEW: usize = 64;

/// The server's side.
#[derive(Debug, Default)]
pub(super) struct Drain {
    crowd: Arc<Crowd>,
    /// One for each live connection, and some of dead ones.
    links: Vec<Arc<Link>>,
    /// Dead links are swept out when there are so many in all.
    sweep_at: usize,
}

/// What all connections share.
#[derive(Debug, Default)]
struct Crowd {
    live: AtomicUsize,
    empty: AtomicWaker,
}

#[derive(Debug, Default)]
struct Link {
    closing: AtomicBool,
    waker: AtomicWaker,
}

/// A connection's side; the connection counts as live until this is dropped.
#[derive(Debug)]
pub(super) struct Attendant {
    crowd: Arc<Crowd>,
    link: Arc<Link>,
}

impl Drain {
    /// One more connection.
    pub(super) fn join(&mut self) -> Attendant {
        if self.links.len() >= self.sweep_at.max(FEW) {
            // A dead connection has given its count back: an amortised sweep, as the threshold doubles with the living.
            self.links.retain(|link| Arc::strong_count(link) > 1);
            self.sweep_at = 2 * self.links.len();
        }
        let link = Arc::<Link>::default();
        self.links.push(Arc::clone(&link));
        // Relaxed: only `wait` looks at zero, on the thread that counts up.
        self.crowd.live.fetch_add(1, Ordering::Relaxed);
        Attendant { crowd: Arc::clone(&self.crowd), link }
    }

    #[cfg(test)]
    pub(super) fn links(&self) -> usize {
        self.links.len()
    }

    /// Tells every connection to end, and waits until all are gone.
    ///
    /// Cancel safe: those told stay told.
    pub(super) async fn wait(&mut self) {
        for link in self.links.drain(..) {
            // SERVE.close: the flag first, then the waker; a connection registers its waker first, then looks.
            link.closing.store(true, Ordering::Release);
            link.waker.wake();
        }
        poll_fn(|cx| {
            self.crowd.empty.register(cx.waker());
            // SERVE.left, observed: what the connections did before they left has happened.
            if self.crowd.live.load(Ordering::Acquire) == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

impl Attendant {
    /// Ready once the server wants the connection to end.
    pub(super) fn poll_closing(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.link.waker.register(cx.waker());
        // SERVE.close, observed.
        if self.link.closing.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Attendant {
    fn drop(&mut self) {
        // SERVE.left
        if self.crowd.live.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.crowd.empty.wake();
        }
    }
}
