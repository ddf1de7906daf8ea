//! From "nothing to do" to "awake again": the steps of a worker's rest.
//!
//! 1. Join the parked set, fence, look at the queues once more ([`Idle`], IDLE.park).
//! 2. Race for the driver's seat. Won: sleep in the driver. Lost: sleep on the own parker.
//! 3. Whoever leaves the seat awake looks for a parked peer afterwards, and makes it the sentinel: the peer sleeps for
//!    one watch period, and then takes the seat if it is still empty. A worker that runs a task which blocks therefore
//!    keeps its peers from the driver for one period at most.
//! 4. The driver bounds its sleep by the same period while another worker is awake: with two workers it is the only
//!    peer there is. At the end of each period it looks for work that an awake worker holds and does not get to.
//! 5. When the driver sees that everybody else is parked it sleeps without a bound, and says so; whoever wakes the
//!    first worker then interrupts it. An idle runtime makes no system call.
//!
//! # Models
//!
//! `park::seat`, `park::sentinel`, `park::injector`, `park::advance`.

use super::alloc::boxed::Box;
use core::time::Duration;

use super::idle::{Found, Leaving};
use super::seat::{Left, Seated};
use super::{Idle, Parker, Seat, Unparked};
use crate::hooks;
use crate::sync::{Ordering, fence};

/// What sits in the driver's seat: clock and sockets.
pub(crate) trait Driver {
    /// Sleeps within `bound`, then takes what happened and what is due. Calls no waker: it keeps them until the seat
    /// is left.
    fn turn(&mut self, bound: Bound) -> Turn;

    /// Whether time stands still until [`Driver::advance`] moves it.
    fn is_simulated(&self) -> bool;

    /// Moves simulated time to the earliest deadline; false if there is none.
    fn advance(&mut self) -> bool;
}

/// How long a turn may sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Not at all.
    Now,
    /// One watch period at most.
    Watch,
    /// Until something happens.
    Unbounded,
}

/// What a turn brought.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Wakers to call.
    Work,
    Nothing,
}

/// What resting needs to know of the scheduler around it.
pub(crate) trait Surroundings<D> {
    /// Whether a queue that this worker may take from holds something.
    fn has_work(&self) -> bool;

    /// Whether an awake worker holds work that it does not get to. Asked at the end of each watch period.
    fn has_stuck_work(&self) -> bool;

    /// Whether the runtime shuts down.
    fn is_stopping(&self) -> bool;

    /// Whether something outside the workers and the `block_on` callers is under way: blocking jobs.
    fn is_busy_elsewhere(&self) -> bool;

    /// Whether time is simulated: then the driver wants to know when somebody parks.
    fn is_simulated(&self) -> bool;

    /// The sentinel took the seat, which whoever sat there last had left empty.
    fn count_handoff(&self);

    /// The seat is about to be left: takes what the driver's turns collected.
    fn collect(&self, driver: &mut D);
}

/// Ends the driver's sleep, or keeps the next one from starting.
pub(crate) trait Interrupt {
    fn interrupt(&self);
}

/// Where workers rest: the parked set, the seat, and a parker each.
#[derive(Debug)]
pub(crate) struct Lounge<D, I> {
    pub(crate) idle: Idle,
    seat: Seat<D>,
    parkers: Box<[Parker]>,
    interrupt: I,
    /// How long the seat may be empty beside a parked worker. None: for ever, nobody keeps watch.
    watch: Option<Duration>,
}

/// How a worker woke.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waking {
    /// It was woken for work in somebody's queue, and counts as searching.
    pub(crate) searching: bool,
    /// It sat in the seat: the driver may have left wakers to call.
    pub(crate) drove: bool,
}

impl<D: Driver, I: Interrupt> Lounge<D, I> {
    pub(crate) fn new(workers: usize, driver: D, interrupt: I, watch: Option<Duration>) -> Self {
        Self {
            idle: Idle::new(workers),
            seat: Seat::new(driver),
            parkers: (0..workers).map(|_| Parker::new()).collect(),
            interrupt,
            watch,
        }
    }

    /// Worker `k` rests until there is something to do.
    pub(crate) fn rest(&self, k: usize, searching: bool, around: &impl Surroundings<D>) -> Waking {
        self.idle.park(k, searching);
        if around.has_work() {
            return self.rise_to_work(k);
        }
        let mut kept_watch = false;
        loop {
            if self.is_called(k, around) {
                return self.rise(k);
            }
            if let Some(seat) = self.seat.try_sit(k) {
                if kept_watch {
                    around.count_handoff();
                }
                return self.drive(k, seat, around);
            }
            if around.is_simulated() {
                // This may be the last one that the simulated clock waits for.
                self.interrupt.interrupt();
            }
            self.parkers[k].park(None);
            kept_watch = self.idle.is_sentinel(k);
            if kept_watch && self.keep_watch(k, around) == Watched::Stuck {
                return self.rise_to_work(k);
            }
        }
    }

    /// Takes a task from others by `hunt`, if not too many search already.
    pub(crate) fn search<T>(&self, searching: &mut bool, hunt: impl FnOnce() -> Option<T>) -> Option<T> {
        if !*searching {
            *searching = self.idle.try_search();
        }
        if !*searching {
            return None;
        }
        let task = hunt()?;
        *searching = false;
        self.found();
        Some(task)
    }

    /// A searcher that has something to do searches no more; the last one wakes another, who finds the rest.
    pub(crate) fn found(&self) {
        match self.idle.found() {
            Found::WakeAnother => {
                fence(Ordering::SeqCst);
                self.notify();
            }
            Found::OthersSearch => {}
        }
    }

    /// Wakes a worker for work that was queued, unless one searches already. The caller has fenced since it queued.
    pub(crate) fn notify(&self) -> bool {
        let holder = self.seat.holder();
        let Some(claimed) = self.idle.claim(holder) else {
            self.repeat_interruption(holder);
            return false;
        };
        self.unpark(claimed.worker);
        if claimed.poke {
            self.interrupt.interrupt();
        }
        true
    }

    /// Wakes worker `k` if it sleeps. The only way to do so.
    pub(crate) fn unpark(&self, k: usize) {
        match self.parkers[k].unpark() {
            Unparked::InterruptDriver => self.interrupt.interrupt(),
            Unparked::Token | Unparked::TokenAlready | Unparked::Woken => {}
        }
    }

    /// Somebody was woken before, who is expected to find the work. If that is the driver, and it has not come out of
    /// its sleep, its interruption may have been lost: another repairs that, and is next to nothing if it was not.
    fn repeat_interruption(&self, holder: Option<usize>) {
        if holder.is_some_and(|holder| !self.idle.is_parked(holder)) {
            self.interrupt.interrupt();
        }
    }

    /// A busy worker looks at the driver in passing: `visit` runs in the seat, if that is free, and does not sleep.
    pub(crate) fn visit<R>(&self, k: usize, visit: impl FnOnce(&mut D) -> R) -> Option<R> {
        let mut seat = self.seat.try_sit(k)?;
        let result = visit(&mut seat);
        self.post_sentinel(seat.leave());
        Some(result)
    }

    /// Takes the seat at the end of the runtime, when no worker is left.
    pub(crate) fn last_visit<R>(&self, visit: impl FnOnce(&mut D) -> R) -> Option<R> {
        self.seat.last_sit(visit)
    }

    pub(crate) fn interrupt(&self) {
        self.interrupt.interrupt();
    }

    pub(crate) fn watch(&self) -> Option<Duration> {
        self.watch
    }

    /// Sleeps in the driver until there is something to do.
    fn drive(&self, k: usize, mut seat: Seated<'_, D>, around: &impl Surroundings<D>) -> Waking {
        // Sitting here is keeping watch; nobody needs to be elected in this worker's place.
        let _ = self.idle.resign(k);
        hooks::seat_taken(k);
        let mut stuck = false;
        while !self.is_called(k, around) {
            let mut bound = Bound::Unbounded;
            if seat.is_simulated() {
                match self.simulate(k, &mut seat, around) {
                    Simulated::Work => break,
                    Simulated::Busy => bound = Bound::Watch,
                    Simulated::NoTimer => {}
                }
            }
            if self.watch.is_some() && self.idle.cap(k) {
                bound = Bound::Watch;
            }
            if !self.parkers[k].enter_driver() {
                // A token, but perhaps no call: the sentinel's duty, say, which came when the seat was taken already.
                continue;
            }
            let turn = seat.turn(bound);
            // A token without a call is of no interest here, see above.
            let _ = self.parkers[k].leave_driver();
            self.idle.capped();
            if turn == Turn::Work {
                break;
            }
            if bound == Bound::Watch && around.has_stuck_work() {
                stuck = true;
                break;
            }
        }
        self.idle.capped();
        around.collect(&mut seat);
        let Leaving { claimed, .. } = self.idle.leave(k);
        self.post_sentinel(seat.leave());
        hooks::seat_left(k);
        if stuck && !claimed {
            self.idle.must_search();
        }
        Waking { searching: claimed || stuck, drove: true }
    }

    /// Worker `k`, who does not sit in the seat, is awake: it leaves the parked set, and its duty to another.
    fn rise(&self, k: usize) -> Waking {
        let Leaving { claimed, resigned, poke } = self.idle.leave(k);
        if poke {
            self.interrupt.interrupt();
        }
        if resigned {
            self.elect();
        }
        Waking { searching: claimed, drove: false }
    }

    /// Like `rise`, because there is work: the worker searches, whether it was claimed or not.
    fn rise_to_work(&self, k: usize) -> Waking {
        let waking = self.rise(k);
        if !waking.searching {
            self.idle.must_search();
        }
        Waking { searching: true, ..waking }
    }

    fn is_called(&self, k: usize, around: &impl Surroundings<D>) -> bool {
        !self.idle.is_parked(k) || around.is_stopping()
    }

    /// Worker `k` has the duty: sleeps one watch period. If the period ends without a call and without stuck work, the
    /// duty is laid down, and the seat is to be tried next: either it is empty and now taken, or its holder keeps watch.
    fn keep_watch(&self, k: usize, around: &impl Surroundings<D>) -> Watched {
        while self.parkers[k].park(self.watch) {
            if self.is_called(k, around) {
                return Watched::Over;
            }
        }
        if around.has_stuck_work() {
            // The duty is passed on when the worker leaves the parked set.
            return Watched::Stuck;
        }
        // The fence in `resign` stands between the duty laid down and the look at the seat: a holder that leaves in
        // between looks for the duty, and elects again.
        let _ = self.idle.resign(k);
        Watched::Over
    }

    fn post_sentinel(&self, left: Left) {
        let Left { .. } = left;
        if self.watch.is_some() {
            self.elect();
        }
    }

    /// Makes a parked worker the sentinel if the seat is empty. The caller is awake, and fenced since it left the seat
    /// or laid down the duty.
    fn elect(&self) {
        // SEAT.look: a holder seen here leaves later, and elects then.
        if self.seat.holder().is_some() {
            return;
        }
        if let Some(sentinel) = self.idle.elect() {
            self.unpark(sentinel);
        }
    }

    /// With a simulated clock: takes what is ready, and moves the clock if all is quiet.
    fn simulate(&self, k: usize, seat: &mut Seated<'_, D>, around: &impl Surroundings<D>) -> Simulated {
        // All is quiet from before the look at the sockets until after it: what the last one to park has written is seen.
        let changes = self.idle.activity().changes();
        fence(Ordering::SeqCst);
        let quiet = self.is_quiet(k, around);
        if seat.turn(Bound::Now) == Turn::Work {
            return Simulated::Work;
        }
        if !quiet || self.idle.activity().changes() != changes {
            return Simulated::Busy;
        }
        if !seat.advance() {
            return Simulated::NoTimer;
        }
        match seat.turn(Bound::Now) {
            Turn::Work => Simulated::Work,
            Turn::Nothing => Simulated::Busy,
        }
    }

    /// Whether every worker and every `block_on` caller is parked, nothing is queued, and nothing runs elsewhere.
    fn is_quiet(&self, k: usize, around: &impl Surroundings<D>) -> bool {
        self.idle.activity().is_quiet()
            && !around.is_busy_elsewhere()
            && !self.idle.others_awake(k)
            && self.idle.is_parked(k)
            && !around.has_work()
    }
}

/// How a sentinel's watch ended.
#[derive(Debug, PartialEq, Eq)]
enum Watched {
    /// There is work that an awake worker does not get to.
    Stuck,
    /// By a call, or by the end of the period.
    Over,
}

enum Simulated {
    Work,
    /// Somebody is awake: look again soon.
    Busy,
    /// All is quiet and there is no timer: only an event can change that.
    NoTimer,
}
