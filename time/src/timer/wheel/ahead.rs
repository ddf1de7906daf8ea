//! Moving crowds down before they are due, in bites, so that a big slot that comes due does not keep its timers waiting.
//!
//! Turns that come by take a share each, paced by how many there are and how much time is left. Where no turn comes by,
//! after a long quiet, the driver wakes a little early for a big slot and takes bite after bite until it is done.

use super::super::level::{LEVELS, SLOTS, index};
use super::{Bite, Wheel};

/// From how many entries on a slot is moved down ahead of time by turns that come by. Fewer are moved when they are due.
const CROWD: u32 = 64;

/// From how many entries on a slot makes the driver wake before it is due.
const BIG: u32 = 2048;

/// What moving one entry down is reckoned to take.
const NANOS_PER_MOVE: u64 = 50;

/// The longest head start: one slot of level 1, so that a level 1 or 2 empties straight into level 0.
const LONGEST_LEAD: u64 = 1 << 22;

impl Wheel {
    /// The tick at which a turn has work to do: as `next`, but before it where a big slot wants a head start.
    pub(crate) fn work(&self, next: u64) -> u64 {
        if self.hurry {
            return next.min(self.now);
        }
        let mut work = next;
        for (level, position) in self.firsts().filter(|(level, _)| *level > 0) {
            let slot = self.levels[level].slot(position);
            if slot.count >= BIG {
                work = work.min(lead(slot.min, slot.count));
            }
        }
        work
    }

    /// Moves entries of crowded slots down before they are due: so many a turn that the slot is empty in time. Those
    /// of the current and the next index of a level fit below it already.
    pub(super) fn move_ahead(&mut self, now: u64, limit: usize, bite: &mut Bite) {
        let passed = now.saturating_sub(self.turned);
        let hurried = core::mem::take(&mut self.hurry);
        for level in 1..LEVELS {
            if self.occupied & (1 << level) == 0 {
                continue;
            }
            let from = index(self.now, level) as usize % SLOTS;
            let Some(position) = self.levels[level].first(from) else { continue };
            let slot = self.levels[level].slot(position);
            let (min, count) = (slot.min, slot.count);
            if count < CROWD || index(min, level) > index(self.now, level) + 1 {
                continue;
            }
            let room = limit.saturating_sub(bite.handled);
            let left = min - now;
            // Once begun, the hurry ends with the crowd, or the driver would wake again and again for a rest of it.
            let urgent = (count >= BIG && lead(min, count) <= now) || (hurried && left <= LONGEST_LEAD);
            let share = if urgent { room } else { pace(count, passed, left).min(room) };
            self.cascade(level, position, share, bite);
            self.hurry |= urgent && self.levels[level].slot(position).count >= CROWD;
        }
        bite.more |= self.hurry;
    }
}

/// When a head start begins, if an insertion has made the slot big, or much bigger: the driver may be waiting for later.
#[inline]
pub(super) fn start(min: u64, count: u32) -> u64 {
    if count >= BIG && count % (BIG / 2) == 0 { lead(min, count) } else { u64::MAX }
}

/// When to start to move `count` entries down, the first of which is due at `min`.
fn lead(min: u64, count: u32) -> u64 {
    min.saturating_sub((u64::from(count) * NANOS_PER_MOVE).min(LONGEST_LEAD))
}

/// How many of `count` entries to move now, if a turn comes every `passed` and the first is due in `left`: twice the even
/// share, because turns are irregular.
fn pace(count: u32, passed: u64, left: u64) -> usize {
    if passed >= left {
        return count as usize;
    }
    let share = u128::from(count) * 2 * u128::from(passed) / u128::from(left);
    share as usize + 1
}
