//! One level of the wheel: 128 slots, which cover two spans of the level above, and a bitmap of those in use.

use alloc::boxed::Box;

use super::list::List;

/// Positions a level has: two windows of 64.
pub(crate) const SLOTS: usize = 128;

/// Level 0's slots are 2^16 ns = 65.5 µs wide.
const WIDTH: u32 = 16;

/// Levels from 2^16 ns on, each 64 times as wide as the one before, cover all of `u64`.
pub(crate) const LEVELS: usize = 8;

/// By how many bits a tick is shifted to give the index of its slot at `level`.
#[inline]
pub(crate) const fn shift(level: usize) -> u32 {
    WIDTH + 6 * level as u32
}

/// The index of the slot that holds `tick` at `level`; its position is this modulo 128.
#[inline]
pub(crate) const fn index(tick: u64, level: usize) -> u64 {
    tick >> shift(level)
}

/// The last tick of the slot of level 0 that holds `tick`.
#[inline]
pub(crate) const fn last_of_slot(tick: u64) -> u64 {
    tick | ((1 << WIDTH) - 1)
}

/// The lowest level at which `tick` lies in one of the two windows that are open at `now`, for `tick >= now`: its parent's
/// index is that of `now` or the one after.
#[inline]
pub(crate) fn level_for(tick: u64, now: u64) -> usize {
    debug_assert!(tick >= now);
    // Within one parent's width of `now`, the tick is in this parent or the next.
    let distance = (tick - now) >> shift(1);
    if distance == 0 {
        return 0;
    }
    let above = ((63 - distance.leading_zeros()) / 6 + 1) as usize;
    // Beyond it, it may still be in the next one of the level below: often a matter of chance, so this is no branch.
    above - usize::from(index(tick, above) - index(now, above) <= 1)
}

/// One slot: a list, and what is known of it.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) list: List,
    /// No deadline in the list is earlier. Exact when the slot is filled, a lower bound after a removal or an extension.
    pub(crate) min: u64,
    pub(crate) count: u32,
}

/// One level.
#[derive(Debug)]
pub(crate) struct Level {
    /// Bit p % 64 of word p / 64 is set while the slot at position p is not empty.
    occupied: [u64; 2],
    slots: Box<[Slot; SLOTS]>,
}

impl Level {
    pub(crate) fn new() -> Level {
        let slot = |_| Slot { list: List::default(), min: u64::MAX, count: 0 };
        Level { occupied: [0; 2], slots: Box::new(core::array::from_fn(slot)) }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.occupied[0] | self.occupied[1] == 0
    }

    /// The position of the first slot in use at or after the one at position `from`, going round.
    #[inline]
    pub(crate) fn first(&self, from: usize) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let occupied = u128::from(self.occupied[0]) | (u128::from(self.occupied[1]) << 64);
        let ahead = occupied.rotate_right(from as u32).trailing_zeros() as usize;
        Some((from + ahead) % SLOTS)
    }

    #[inline]
    pub(crate) fn slot(&self, position: usize) -> &Slot {
        &self.slots[position]
    }

    #[inline]
    pub(crate) fn slot_mut(&mut self, position: usize) -> &mut Slot {
        &mut self.slots[position]
    }

    #[inline]
    pub(crate) fn occupy(&mut self, position: usize) {
        self.occupied[position / 64] |= 1 << (position % 64);
    }

    /// An entry has been taken out of the slot at `position`; says whether that is empty now. No branch: it is a matter of
    /// chance.
    #[inline]
    pub(crate) fn taken(&mut self, position: usize) -> bool {
        let slot = &mut self.slots[position];
        slot.count -= 1;
        let empty = slot.count == 0;
        debug_assert_eq!(empty, slot.list.is_empty());
        slot.min |= u64::from(empty).wrapping_neg();
        self.occupied[position / 64] &= !(u64::from(empty) << (position % 64));
        empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of `level_for` in its plain form.
    fn lowest(tick: u64, now: u64) -> usize {
        (0..LEVELS - 1).find(|level| index(tick, level + 1) - index(now, level + 1) <= 1).unwrap_or(LEVELS - 1)
    }

    #[test]
    fn level_for_is_the_lowest_whose_windows_reach() {
        for bit in 0..64 {
            for now in [0, 1, 1 << 21, (1 << 22) - 1, 1 << 22, 0x1234_5678_9abc_def0] {
                for near in [0, 1, 2, 63, 64, 65, (1 << 22) - 1, 1 << 22, 1 << 23] {
                    let tick = u64::saturating_add(now, 1u64 << bit).saturating_add(near);
                    assert_eq!(level_for(tick, now), lowest(tick, now), "tick {tick} now {now}");
                    let tick = u64::saturating_add(now, 1u64 << bit).saturating_sub(near).max(now);
                    assert_eq!(level_for(tick, now), lowest(tick, now), "tick {tick} now {now}");
                }
            }
        }
    }

    #[test]
    fn first_goes_round_from_the_given_position() {
        let mut level = Level::new();
        assert_eq!(level.first(5), None);
        level.occupy(3);
        level.occupy(100);
        assert_eq!(level.first(3), Some(3));
        assert_eq!(level.first(4), Some(100));
        assert_eq!(level.first(101), Some(3));
    }
}
