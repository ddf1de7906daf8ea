//! Who is parked, how many search, and who keeps watch.
//!
//! # Words
//!
//! - `parked`: one bit a worker, 64 to a word. Set: the worker sleeps, or is about to, on its parker or in the seat.
//! - `searching`: how many awake workers look for work in other workers' queues.
//! - `sentinel`: 0, or the number + 1 of the parked worker whose sleep is bounded because the seat may be empty.
//! - `uncapped`: set while the driver sleeps without a bound of its own, because it saw everybody else parked.
//!
//! # Edges
//!
//! | what | who | method | pair |
//! | --- | --- | --- | --- |
//! | bit k set, `searching` given up | worker k | `park` | IDLE.park |
//! | bit k cleared, one more searches | whoever has work for somebody | `claim` | IDLE.claim |
//! | bit k cleared | worker k, if nobody claimed it | `leave` | IDLE.leave |
//! | sentinel 0 to k + 1 | whoever left the seat | `elect` | IDLE.elect |
//! | sentinel k + 1 to 0 | worker k; or who elected it, if it was awake already | `resign`, `elect` | IDLE.resign |
//! | uncapped set | the seat's holder | `cap` | IDLE.uncap |
//! | uncapped cleared | the seat's holder; or whoever wakes the first other worker, who interrupts the driver | `claim`, `leave` | IDLE.poke |
//!
//! # Pairs
//!
//! - IDLE.park with IDLE.claim: a worker sets its bit, fences, and looks at the queues; whoever queues work fences and
//!   looks for bits. One sees the other: no task is queued while everybody sleeps.
//! - IDLE.elect with IDLE.resign: the elector writes the duty, fences, and looks whether the bit is still set; a worker
//!   that leaves has its bit cleared, fences, and looks for the duty. One sees the other: the duty stays with nobody
//!   who is awake, and so perhaps blocked.
//! - IDLE.uncap with IDLE.poke: the driver sets the flag, fences, and looks for others awake; whoever wakes another
//!   clears its bit, fences, and looks at the flag. One sees the other: no worker runs unwatched.
//!
//! # Models
//!
//! `park::seat`, `park::sentinel`, `park::injector`, `park::counts`.

use super::alloc::boxed::Box;
use core::iter;

use super::Activity;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};

const BITS: usize = u64::BITS as usize;

/// The parked set and the duties among its members.
#[derive(Debug)]
pub(crate) struct Idle {
    workers: usize,
    parked: Box<[AtomicU64]>,
    searching: AtomicUsize,
    sentinel: AtomicUsize,
    uncapped: AtomicBool,
    activity: Activity,
}

/// A worker taken out of the parked set: it must be unparked.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) worker: usize,
    /// The driver sleeps without a bound and must be interrupted, so that it watches over the woken worker.
    pub(crate) poke: bool,
}

/// How a worker came out of the parked set.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leaving {
    /// Somebody claimed the worker: it counts as searching.
    pub(crate) claimed: bool,
    /// It had the sentinel's duty: another must be elected if the seat is empty.
    pub(crate) resigned: bool,
    /// The driver must be interrupted, see [`Claimed::poke`].
    pub(crate) poke: bool,
}

/// What a searcher that found work has to do.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// It was the last searcher: somebody else should be woken, there may be more.
    WakeAnother,
    /// Others still search.
    OthersSearch,
}

impl Idle {
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            workers,
            parked: (0..workers.div_ceil(BITS)).map(|_| AtomicU64::new(0)).collect(),
            searching: AtomicUsize::new(0),
            sentinel: AtomicUsize::new(0),
            uncapped: AtomicBool::new(false),
            activity: Activity::new(),
        }
    }

    pub(crate) fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Puts worker `k` into the parked set, before its last look at the queues.
    pub(crate) fn park(&self, k: usize, searching: bool) {
        let (word, bit) = self.place(k);
        word.fetch_or(bit, Ordering::SeqCst);
        if searching {
            self.searching.fetch_sub(1, Ordering::SeqCst);
        }
        self.activity.change();
        // IDLE.park
        fence(Ordering::SeqCst);
    }

    /// Takes a worker out of the parked set to search for work, unless one searches already. `holder`, who sits in the
    /// seat, comes last. The caller has queued the work and passed a fence since.
    pub(crate) fn claim(&self, holder: Option<usize>) -> Option<Claimed> {
        // IDLE.claim: Relaxed, the caller's fence orders these loads after what it queued.
        if self.searching() > 0 {
            return None;
        }
        self.claim_any(holder)
    }

    /// Like `claim`, whether somebody searches or not.
    pub(crate) fn claim_any(&self, holder: Option<usize>) -> Option<Claimed> {
        while let Some(worker) = self.pick(holder) {
            let (word, bit) = self.place(worker);
            if word.fetch_and(!bit, Ordering::SeqCst) & bit != 0 {
                self.searching.fetch_add(1, Ordering::SeqCst);
                self.activity.change();
                return Some(Claimed { worker, poke: self.take_uncapped() });
            }
        }
        None
    }

    /// Takes worker `k` itself out of the parked set, and off its duty.
    pub(crate) fn leave(&self, k: usize) -> Leaving {
        let (word, bit) = self.place(k);
        let claimed = word.fetch_and(!bit, Ordering::SeqCst) & bit == 0;
        if !claimed {
            self.activity.change();
        }
        let poke = self.take_uncapped();
        // IDLE.resign: the fence in `take_uncapped` stands between the cleared bit and the look at the duty.
        Leaving { claimed, resigned: self.resign(k), poke }
    }

    /// Elects a parked worker to keep watch, unless somebody does. It must be unparked: it sleeps without a bound.
    /// The caller is awake and has passed a fence since it left the seat, or since it resigned.
    pub(crate) fn elect(&self) -> Option<usize> {
        // SEAT.look: Relaxed, the caller's fence orders it.
        while self.sentinel.load(Ordering::Relaxed) == 0 {
            let worker = self.pick(None)?;
            if self.sentinel.compare_exchange(0, worker + 1, Ordering::SeqCst, Ordering::Relaxed).is_err() {
                return None;
            }
            // IDLE.elect
            fence(Ordering::SeqCst);
            if self.is_parked(worker) {
                return Some(worker);
            }
            if self.sentinel.compare_exchange(worker + 1, 0, Ordering::SeqCst, Ordering::Relaxed).is_err() {
                // It saw the duty itself, and passes it on.
                return None;
            }
            // Whoever left the seat while the duty was taken relied on it: this looks again in their place.
            fence(Ordering::SeqCst);
        }
        None
    }

    /// Takes the duty off worker `k`; false if it had none. The caller re-elects if the seat is empty.
    #[must_use]
    pub(crate) fn resign(&self, k: usize) -> bool {
        let resigned = self.is_sentinel(k)
            && self.sentinel.compare_exchange(k + 1, 0, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        if resigned {
            // Between the duty laid down and the caller's look at the seat.
            fence(Ordering::SeqCst);
        }
        resigned
    }

    pub(crate) fn is_sentinel(&self, k: usize) -> bool {
        // Relaxed: the duty is taken off by compare-exchange.
        self.sentinel.load(Ordering::Relaxed) == k + 1
    }

    /// Whether worker `k` is in the parked set: false for a parked worker means that it was claimed.
    pub(crate) fn is_parked(&self, k: usize) -> bool {
        let (word, bit) = self.place(k);
        word.load(Ordering::Acquire) & bit != 0
    }

    /// Whether the driver, which is worker `k`, must bound its sleep because somebody else is awake. If not, it is
    /// poked when that changes, until `capped` is called.
    pub(crate) fn cap(&self, k: usize) -> bool {
        if self.others_awake(k) {
            return true;
        }
        self.uncapped.store(true, Ordering::SeqCst);
        // IDLE.uncap
        fence(Ordering::SeqCst);
        if self.others_awake(k) {
            self.uncapped.store(false, Ordering::SeqCst);
            return true;
        }
        false
    }

    /// The driver is back: nobody needs to poke it.
    pub(crate) fn capped(&self) {
        // Relaxed: a poke too many ends one sleep early, no more.
        self.uncapped.store(false, Ordering::Relaxed);
    }

    /// Whether a worker other than `k` is awake.
    pub(crate) fn others_awake(&self, k: usize) -> bool {
        self.words().enumerate().any(|(i, (word, all))| {
            let own = if i == k / BITS { 1 << (k % BITS) } else { 0 };
            (word | own) != all
        })
    }

    /// Whether some worker is parked: a hint, without a fence.
    pub(crate) fn any_parked(&self) -> bool {
        self.parked.iter().any(|word| word.load(Ordering::Relaxed) != 0)
    }

    /// Counts the caller as searching, unless half of the workers search already.
    #[must_use]
    pub(crate) fn try_search(&self) -> bool {
        if 2 * self.searching().max(0).unsigned_abs() >= self.workers {
            return false;
        }
        self.searching.fetch_add(1, Ordering::SeqCst);
        true
    }

    /// Counts the caller as searching, whatever the others do: it knows of work.
    pub(crate) fn must_search(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// A searcher found work and searches no more.
    pub(crate) fn found(&self) -> Found {
        let before = self.searching.fetch_sub(1, Ordering::SeqCst) as isize;
        if before <= 1 { Found::WakeAnother } else { Found::OthersSearch }
    }

    /// How many workers search. Below zero for a moment: a worker that was claimed may be done with its search before its
    /// claimer has counted it. It must not pass for one that searches then.
    fn searching(&self) -> isize {
        // Relaxed: the bound is approximate, and `claim`'s caller has a fence.
        self.searching.load(Ordering::Relaxed) as isize
    }

    fn place(&self, k: usize) -> (&AtomicU64, u64) {
        (&self.parked[k / BITS], 1 << (k % BITS))
    }

    /// Each word as it is, and as it is when all its workers are parked.
    fn words(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let counts = (0..self.parked.len()).map(|i| (self.workers - i * BITS).min(BITS));
        iter::zip(&self.parked, counts).map(|(word, count)| (word.load(Ordering::SeqCst), u64::MAX >> (BITS - count)))
    }

    fn pick(&self, last: Option<usize>) -> Option<usize> {
        for (i, (word, _)) in self.words().enumerate() {
            let avoid = match last {
                Some(k) if k / BITS == i => 1 << (k % BITS),
                _ => 0,
            };
            let word = word & !avoid;
            if word != 0 {
                return Some(i * BITS + word.trailing_zeros() as usize);
            }
        }
        last.filter(|&k| self.is_parked(k))
    }

    /// After a bit was cleared: whether the driver must be interrupted.
    fn take_uncapped(&self) -> bool {
        // IDLE.poke, IDLE.resign
        fence(Ordering::SeqCst);
        self.uncapped.load(Ordering::Relaxed) && self.uncapped.swap(false, Ordering::SeqCst)
    }
}
