//! The wheel of one shard: eight levels of slots, and the pending list. It is used only under the shard's lock.
//!
//! # Placement
//!
//! An entry lies at the lowest level whose parent index is at most the current one + 1 (`level_for`), in the slot of its
//! deadline; one whose deadline is behind `now` lies in the slot of `now`. A slot is opened when its `min` is due and not
//! when it begins: at level 0 the due entries become pending, above the entries move to a lower level.
//!
//! # Invariants
//!
//! 1. `now` never goes back, and no entry that was filed before it moved is due before it, but for those whose slot's
//!    `min` says so.
//! 2. A slot's `min` is at most the cell's deadline of every entry in it, and its index is that of the slot or lower.
//! 3. So, counted from the position of `now`, the slots of a level come in the order of time, and the first one in use
//!    has the least `min` of its level.
//! 4. An entry whose deadline was extended stays in its old slot until that is opened; then it is filed anew.

use alloc::vec::Vec;
use core::ptr::NonNull;
use core::task::Waker;

use super::cell::Due;
use super::entry::{Entry, IN_PENDING};
use super::level::{LEVELS, Level, SLOTS, index, last_of_slot, level_for};
use super::list::List;
use super::metrics::Counters;
use super::tick::MARKS;

mod ahead;

/// A published word of nothing armed.
pub(crate) const NEVER: u64 = MARKS - 1;

/// A pass over a slot of level 0 that may be continued under another hold of the lock.
#[derive(Debug)]
struct Pass {
    position: usize,
    next: Option<NonNull<Entry>>,
    /// No deadline that the pass left in place, or that was filed meanwhile, is earlier.
    min: u64,
}

/// What one bite did.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Bite {
    /// Entries looked at, at most the limit.
    pub(crate) handled: usize,
    pub(crate) fired: usize,
    pub(crate) worst: u64,
    /// More is to be done at this tick.
    pub(crate) more: bool,
}

/// The wheel.
#[derive(Debug)]
pub(crate) struct Wheel {
    /// Everything due at this tick has been handled, or its slot's `min` says otherwise.
    now: u64,
    levels: [Level; LEVELS],
    /// Bit k is set while level k is not empty.
    occupied: u32,
    pending: List,
    pass: Option<Pass>,
    /// The `now` of the turn before, for the pace.
    turned: u64,
    /// A big slot is being moved down in a hurry: turns follow one another until it is done.
    hurry: bool,
    /// Whose timers are filed here: `None` once the runtime has shut down.
    pub(crate) owner: Option<u32>,
    pub(crate) counters: Counters,
}

// SAFETY: the pointers are to entries of this shard, which are `Sync` and alive (entry invariant 1).
unsafe impl Send for Wheel {}

impl Wheel {
    pub(crate) fn new() -> Wheel {
        Wheel {
            now: 0,
            levels: core::array::from_fn(|_| Level::new()),
            occupied: 0,
            pending: List::default(),
            pass: None,
            turned: 0,
            hurry: false,
            owner: None,
            counters: Counters::new(),
        }
    }

    /// Begins anew for the timers of `owner`. Nothing is linked here.
    pub(crate) fn begin(&mut self, owner: u32) {
        debug_assert!(self.occupied == 0 && self.pending.is_empty());
        self.now = 0;
        self.turned = 0;
        self.hurry = false;
        self.counters = Counters::new();
        self.owner = Some(owner);
    }

    /// Links an entry that is in no list, by its deadline.
    #[inline]
    pub(crate) fn insert(&mut self, entry: NonNull<Entry>, tick: u64) -> Filed {
        let filed_at = tick.max(self.now);
        let level = level_for(filed_at, self.now);
        let position = index(filed_at, level) as usize % SLOTS;
        set_place(entry, (level * SLOTS + position) as u16);
        let slot = self.levels[level].slot_mut(position);
        slot.list.push_back(entry);
        slot.count += 1;
        slot.min = slot.min.min(tick);
        let filed =
            Filed { next: tick, work: if level > 0 { ahead::start(slot.min, slot.count).min(tick) } else { tick } };
        self.levels[level].occupy(position);
        self.occupied |= 1 << level;
        if level == 0 {
            if let Some(pass) = &mut self.pass {
                if pass.position == position {
                    pass.min = pass.min.min(tick);
                }
            }
        }
        filed
    }

    /// Unlinks an entry that is linked here.
    #[inline]
    pub(crate) fn remove(&mut self, entry: NonNull<Entry>) {
        let place = place(entry);
        if place == IN_PENDING {
            return self.pending.remove(entry);
        }
        self.take_out(entry, place as usize / SLOTS, place as usize % SLOTS);
    }

    fn take_out(&mut self, entry: NonNull<Entry>, level: usize, position: usize) {
        let slot = self.levels[level].slot_mut(position);
        if level == 0 {
            if let Some(pass) = &mut self.pass {
                if pass.next == Some(entry) {
                    pass.next = slot.list.after(entry);
                }
            }
        }
        slot.list.remove(entry);
        let empty = self.levels[level].taken(position);
        self.occupied &= !(u32::from(self.levels[level].is_empty()) << level);
        if level == 0 && empty && self.pass.is_some() {
            self.vacate_pass(position);
        }
    }

    #[cold]
    fn vacate_pass(&mut self, position: usize) {
        if self.pass.as_ref().is_some_and(|pass| pass.position == position) {
            self.pass = None;
        }
    }

    /// A tick that no deadline in the wheel is earlier than; 0 while something is pending.
    pub(crate) fn next(&self) -> u64 {
        if !self.pending.is_empty() {
            return 0;
        }
        self.earliest().map_or(NEVER, |(_, _, min)| min)
    }

    /// The first slot in use of each level.
    #[inline]
    fn firsts(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut levels = self.occupied;
        core::iter::from_fn(move || {
            if levels == 0 {
                return None;
            }
            let level = levels.trailing_zeros() as usize;
            levels &= levels - 1;
            let from = index(self.now, level) as usize % SLOTS;
            self.levels[level].first(from).map(|position| (level, position))
        })
    }

    /// The slot with the least `min`: the lowest level's where they are equal.
    #[inline]
    fn earliest(&self) -> Option<(usize, usize, u64)> {
        let mut earliest: Option<(usize, usize, u64)> = None;
        for (level, position) in self.firsts() {
            let min = self.levels[level].slot(position).min;
            if earliest.is_none_or(|(_, _, least)| min < least) {
                earliest = Some((level, position, min));
            }
        }
        earliest
    }

    /// Handles what is due at `now`, at most `limit` entries, and fires it into `wakes`.
    pub(crate) fn turn(&mut self, now: u64, limit: usize, wakes: &mut Vec<Waker>) -> Bite {
        let mut bite = Bite::default();
        bite.more = !self.collect(now, limit, &mut bite);
        if !bite.more {
            self.move_ahead(now, limit, &mut bite);
            self.turned = now;
        }
        while let Some(entry) = self.pending.pop_front() {
            fire(entry, wakes);
            bite.fired += 1;
        }
        self.counters.fired += bite.fired as u64;
        bite
    }

    /// Marks what is due pending, in the order of time up to a slot of level 0. Returns whether all of it was.
    fn collect(&mut self, now: u64, limit: usize, bite: &mut Bite) -> bool {
        while let Some((level, position, min)) = self.earliest() {
            if min > now {
                break;
            }
            if bite.handled >= limit {
                return false;
            }
            self.now = self.now.max(min);
            if level == 0 {
                self.open(position, now, limit, bite);
            } else {
                self.cascade(level, position, limit - bite.handled, bite);
            }
        }
        self.now = self.now.max(now);
        true
    }

    /// Makes the due entries of a slot of level 0 pending; what is due later stays, or is filed anew if it was extended.
    fn open(&mut self, position: usize, now: u64, limit: usize, bite: &mut Bite) {
        let mut pass = match self.pass.take() {
            Some(pass) if pass.position == position => pass,
            _ => Pass { position, next: self.levels[0].slot(position).list.front(), min: u64::MAX },
        };
        // One extended beyond this slot takes its turn among those of its own, also when that is due as well.
        let due = now.min(last_of_slot(self.now));
        while let Some(entry) = pass.next {
            if bite.handled >= limit {
                self.pass = Some(pass);
                return;
            }
            bite.handled += 1;
            pass.next = self.levels[0].slot(position).list.after(entry);
            match cell_of(entry).mark_pending(due) {
                Due::Pending(tick) => {
                    self.take_out(entry, 0, position);
                    set_place(entry, IN_PENDING);
                    self.pending.push_back(entry);
                    bite.worst = bite.worst.max(now - tick);
                    self.counters.lateness.record(now - tick);
                }
                Due::Later(tick) if self.belongs(tick, 0, position) => {
                    pass.min = pass.min.min(tick);
                }
                Due::Later(tick) => self.file_anew(entry, 0, position, tick),
            }
        }
        if self.levels[0].slot(position).count > 0 {
            self.levels[0].slot_mut(position).min = pass.min;
        }
    }

    /// Moves up to `limit` entries of a slot above level 0 to where their deadlines belong now.
    fn cascade(&mut self, level: usize, position: usize, limit: usize, bite: &mut Bite) {
        for _ in 0..limit {
            let Some(entry) = self.levels[level].slot(position).list.front() else { return };
            bite.handled += 1;
            self.counters.cascaded += 1;
            let tick = cell_of(entry).deadline();
            self.file_anew(entry, level, position, tick);
        }
    }

    /// Whether an entry due at `tick` that is filed now comes to lie in this slot. A `tick` behind `now`, which a clock that
    /// went back brings about, lies in the slot of `now`.
    #[inline]
    fn belongs(&self, tick: u64, level: usize, position: usize) -> bool {
        let at = tick.max(self.now);
        level_for(at, self.now) == level && index(at, level) as usize % SLOTS == position
    }

    fn file_anew(&mut self, entry: NonNull<Entry>, level: usize, position: usize, tick: u64) {
        self.take_out(entry, level, position);
        let _ = self.insert(entry, tick);
    }

    /// The earliest deadline in the wheel, extensions and removals taken into account. It reads the entries of slots until
    /// one is exact, and is meant for a clock that jumps.
    pub(crate) fn true_earliest(&mut self) -> u64 {
        loop {
            let Some((level, position, min)) = self.earliest() else { return NEVER };
            let mut exact = u64::MAX;
            let mut next = self.levels[level].slot(position).list.front();
            while let Some(entry) = next {
                next = self.levels[level].slot(position).list.after(entry);
                let tick = cell_of(entry).deadline();
                if self.belongs(tick, level, position) {
                    exact = exact.min(tick);
                } else {
                    self.file_anew(entry, level, position, tick);
                }
            }
            let slot = self.levels[level].slot_mut(position);
            if slot.count > 0 {
                if exact == min {
                    return min;
                }
                slot.min = exact;
            }
        }
    }

    /// The level at which an entry lies that is linked here.
    #[cfg(test)]
    pub(crate) fn level_of(&self, entry: NonNull<Entry>) -> usize {
        place(entry) as usize / SLOTS
    }

    /// Ends up to `limit` timers. Returns whether some are left.
    pub(crate) fn shut(&mut self, limit: usize, wakes: &mut Vec<Waker>) -> bool {
        for _ in 0..limit {
            let entry = match self.pending.pop_front() {
                Some(entry) => entry,
                None => {
                    let Some((level, position, _)) = self.earliest() else { return false };
                    let Some(entry) = self.levels[level].slot(position).list.front() else { return false };
                    self.take_out(entry, level, position);
                    entry
                }
            };
            // SAFETY: it was linked until now, and its owner needs the lock to let go of it before it reads an outcome.
            let entry = unsafe { entry.as_ref() };
            entry.cell.shut();
            take_waker_and_release(entry, wakes);
        }
        self.occupied != 0 || !self.pending.is_empty()
    }
}

/// Where an insertion put its entry, as far as the published words are concerned.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(crate) struct Filed {
    pub(crate) next: u64,
    pub(crate) work: u64,
}

/// Fires one entry that has been taken off the pending list.
fn fire(entry: NonNull<Entry>, wakes: &mut Vec<Waker>) {
    // SAFETY: it was linked until now, and its owner needs the lock to let go of it before it reads an outcome.
    let entry = unsafe { entry.as_ref() };
    entry.cell.fire();
    take_waker_and_release(entry, wakes);
}

/// The outcome is stored: the owner may see it, but lets go of the entry without the lock only once it is released.
#[inline]
fn take_waker_and_release(entry: &Entry, wakes: &mut Vec<Waker>) {
    entry.memory.touch();
    wakes.extend(entry.waker.take());
    entry.memory.touch();
    entry.cell.release();
}

#[inline]
fn cell_of<'a>(entry: NonNull<Entry>) -> &'a super::cell::StateCell {
    // SAFETY: the entry is linked in this wheel, so it is alive while the lock is held (entry invariant 1).
    let entry = unsafe { entry.as_ref() };
    entry.memory.touch();
    &entry.cell
}

#[inline]
fn place(entry: NonNull<Entry>) -> u16 {
    // SAFETY: the entry is linked in this wheel, so it is alive while the lock is held (entry invariant 1).
    let entry = unsafe { entry.as_ref() };
    // SAFETY: the place is this party's while it holds the lock (entry invariant 2).
    entry.place.with(|place| unsafe { *place })
}

#[inline]
fn set_place(entry: NonNull<Entry>, to: u16) {
    // SAFETY: the entry is linked in this wheel or about to be, so it is alive (entry invariant 1).
    let entry = unsafe { entry.as_ref() };
    // SAFETY: the place is this party's while it holds the lock (entry invariant 2).
    entry.place.with_mut(|place| unsafe { *place = to });
}
