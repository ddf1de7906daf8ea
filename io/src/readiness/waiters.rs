//! Who waits for a source: a plain structure, always behind the source's lock.
//!
//! Two ways to wait:
//!
//! * the *exclusive* reader and writer, callers that hold the socket by `&mut`: a slot each, the last waker counts;
//! * everybody else: a small slab of entries. A future keeps the [`Key`] of its entry and takes it out when dropped;
//!   a bare `poll_*` call has nobody to do so, and shares the entry of an equal waker. The first entry is stored in
//!   place, so that a single waiter allocates nothing.
//!
//! Callers of `poll_*` may have lost interest long ago, on a socket on which nothing happens: at most [`MOST_POLLS`] of
//! their wakers are kept. The oldest makes room for one more and is woken: if its owner still waits, it polls again.
//!
//! An event takes every waker it answers out of the structure; an entry that lost its waker is free, and its
//! generation tells a late key.

use alloc::vec::Vec;
use core::mem;
use core::num::NonZeroU32;
use core::task::Waker;

use super::interest::{Interest, Ready};

/// How many different wakers of `poll_*` calls wait at once. As many tasks may wait by them without a wake-up for nothing.
const MOST_POLLS: usize = 32;

/// The right to take one entry out again. Of no use once the entry was woken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    index: u32,
    generation: u32,
}

#[derive(Debug, Default)]
struct Entry {
    generation: u32,
    /// Of a `poll_*` call: its number. Such an entry has no key in anybody's hands.
    poll: Option<NonZeroU32>,
    waiting: Option<(Interest, Waker)>,
}

/// What is left over once a `poll_*` call waits: for the caller to see to, after the lock.
#[derive(Debug)]
#[must_use]
pub(crate) enum Left {
    Nothing,
    /// An equal waker waits already: this one is to be dropped.
    Spare(Waker),
    /// It made room, and is to be woken: nothing else will.
    Displaced(Waker),
}

impl Entry {
    fn fill(&mut self, index: usize, interest: Interest, waker: Waker) -> Key {
        self.poll = None;
        self.waiting = Some((interest, waker));
        Key { index: u32::try_from(index).expect("fewer than 2^32 waiters on one source"), generation: self.generation }
    }

    fn take(&mut self) -> Option<Waker> {
        let (_, waker) = self.waiting.take()?;
        self.generation = self.generation.wrapping_add(1);
        Some(waker)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Waiters {
    reader: Option<Waker>,
    writer: Option<Waker>,
    first: Entry,
    more: Vec<Entry>,
    /// How many of `more` wait: zero lets an event skip them.
    in_more: usize,
    /// The number of the last `poll_*` call that waits.
    last_poll: u32,
}

impl Waiters {
    /// Leaves `waker` in the exclusive slots that `interest` names. What it replaces is the caller's to drop, after
    /// the lock.
    pub(crate) fn set_exclusive(&mut self, interest: Interest, waker: Waker) -> Option<Waker> {
        let slot = if interest.is_writable() { &mut self.writer } else { &mut self.reader };
        slot.replace(waker)
    }

    /// Adds a shared waiter without a key.
    pub(crate) fn add_shared(&mut self, interest: Interest, waker: Waker) -> Left {
        let mut oldest: Option<(u32, &mut Entry)> = None;
        let mut polls = 0;
        let more = if self.in_more > 0 { &mut self.more[..] } else { &mut [] };
        for entry in core::iter::once(&mut self.first).chain(more) {
            // An entry with a key goes when its owner likes, and stands for nobody else.
            let (Some(number), Some((mask, other))) = (entry.poll, &entry.waiting) else { continue };
            if *mask == interest && other.will_wake(&waker) {
                return Left::Spare(waker);
            }
            polls += 1;
            let age = self.last_poll.wrapping_sub(number.get());
            if oldest.as_ref().is_none_or(|(most, _)| age > *most) {
                oldest = Some((age, entry));
            }
        }
        self.last_poll = self.last_poll.wrapping_add(1).max(1);
        let number = NonZeroU32::new(self.last_poll);
        match oldest {
            Some((_, entry)) if polls >= MOST_POLLS => {
                entry.poll = number;
                let displaced = entry.waiting.replace((interest, waker));
                displaced.map_or(Left::Nothing, |(_, waker)| Left::Displaced(waker))
            }
            _ => {
                let index = self.insert(interest, waker).index;
                self.at(index).expect("just filled").poll = number;
                Left::Nothing
            }
        }
    }

    /// Adds a waiter that will take itself out by its key.
    pub(crate) fn insert(&mut self, interest: Interest, waker: Waker) -> Key {
        if self.first.waiting.is_none() {
            return self.first.fill(0, interest, waker);
        }
        self.in_more += 1;
        let free = if self.in_more > self.more.len() {
            self.more.push(Entry::default());
            self.more.len() - 1
        } else {
            self.more.iter().position(|entry| entry.waiting.is_none()).expect("fewer waiters than entries")
        };
        self.more[free].fill(free + 1, interest, waker)
    }

    /// Gives a waiting entry another waker. What is left over is the caller's to drop, after the lock: the waker
    /// replaced, or `waker` itself with `Err` if the entry was woken meanwhile.
    pub(crate) fn update(&mut self, key: Key, waker: Waker) -> Result<Waker, Waker> {
        match self.entry(key) {
            Some(Entry { waiting: Some((_, old)), .. }) => Ok(mem::replace(old, waker)),
            _ => Err(waker),
        }
    }

    /// Takes the entry out, unless it was woken.
    pub(crate) fn remove(&mut self, key: Key) -> Option<Waker> {
        let waker = self.entry(key)?.take();
        if key.index > 0 && waker.is_some() {
            self.in_more -= 1;
        }
        waker
    }

    /// Moves every waker that `ready` answers to `wakes`.
    pub(crate) fn take(&mut self, ready: Ready, wakes: &mut Vec<Waker>) {
        if !ready.intersection(Interest::READABLE).is_empty() {
            wakes.extend(self.reader.take());
        }
        if !ready.intersection(Interest::WRITABLE).is_empty() {
            wakes.extend(self.writer.take());
        }
        let answered = |entry: &Entry| {
            entry.waiting.as_ref().is_some_and(|(interest, _)| !ready.intersection(*interest).is_empty())
        };
        if answered(&self.first) {
            wakes.extend(self.first.take());
        }
        if self.in_more == 0 {
            return;
        }
        for entry in self.more.iter_mut().filter(|entry| answered(entry)) {
            wakes.extend(entry.take());
            self.in_more -= 1;
        }
    }

    fn entry(&mut self, key: Key) -> Option<&mut Entry> {
        self.at(key.index).filter(|entry| entry.generation == key.generation)
    }

    fn at(&mut self, index: u32) -> Option<&mut Entry> {
        match index {
            0 => Some(&mut self.first),
            index => self.more.get_mut(index as usize - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(waiters: &mut Waiters, ready: Ready) -> usize {
        let mut wakes = Vec::new();
        waiters.take(ready, &mut wakes);
        wakes.len()
    }

    #[test]
    fn an_event_takes_all_it_answers_and_no_other() {
        let mut waiters = Waiters::default();
        for _ in 0..3 {
            waiters.insert(Interest::READABLE, Waker::noop().clone());
            waiters.insert(Interest::WRITABLE, Waker::noop().clone());
        }
        assert!(waiters.set_exclusive(Interest::READABLE, Waker::noop().clone()).is_none());
        assert_eq!(waiting(&mut waiters, Ready::READABLE), 4);
        assert_eq!(waiting(&mut waiters, Ready::READABLE), 0);
        assert_eq!(waiting(&mut waiters, Ready::WRITE_CLOSED), 3);
    }

    #[test]
    fn a_key_of_a_woken_entry_touches_no_other() {
        let mut waiters = Waiters::default();
        let first = waiters.insert(Interest::READABLE, Waker::noop().clone());
        let second = waiters.insert(Interest::READABLE, Waker::noop().clone());
        assert_eq!(waiting(&mut waiters, Ready::READABLE), 2);
        waiters.insert(Interest::READABLE, Waker::noop().clone());
        waiters.insert(Interest::READABLE, Waker::noop().clone());
        assert!(waiters.remove(first).is_none() && waiters.remove(second).is_none());
        assert!(waiters.update(second, Waker::noop().clone()).is_err());
        assert_eq!(waiting(&mut waiters, Ready::READABLE), 2);
    }

    #[test]
    fn equal_wakers_of_poll_calls_share_an_entry() {
        let mut waiters = Waiters::default();
        assert!(matches!(waiters.add_shared(Interest::READABLE, Waker::noop().clone()), Left::Nothing));
        assert!(matches!(waiters.add_shared(Interest::READABLE, Waker::noop().clone()), Left::Spare(_)));
        assert!(matches!(waiters.add_shared(Interest::WRITABLE, Waker::noop().clone()), Left::Nothing));
        assert_eq!(waiting(&mut waiters, Ready::READABLE), 1);
    }

    #[test]
    fn a_poll_call_does_not_rely_on_the_entry_of_a_future() {
        let mut waiters = Waiters::default();
        let key = waiters.insert(Interest::READABLE, Waker::noop().clone());
        assert!(matches!(waiters.add_shared(Interest::READABLE, Waker::noop().clone()), Left::Nothing));
        assert!(waiters.remove(key).is_some());
        assert_eq!(waiting(&mut waiters, Ready::READABLE), 1, "the future is gone, the call still waits");
    }

    #[test]
    fn poll_calls_beyond_the_most_wake_the_oldest_and_no_future() {
        let mut waiters = Waiters::default();
        let futures: Vec<Key> = (0..3).map(|i| waiters.insert(Interest::READABLE, numbered(1_000 + i))).collect();
        let wakers: Vec<Waker> = (0..MOST_POLLS * 3).map(numbered).collect();
        for (i, waker) in wakers.iter().enumerate() {
            match waiters.add_shared(Interest::READABLE, waker.clone()) {
                Left::Nothing => assert!(i < MOST_POLLS),
                Left::Displaced(oldest) => assert!(oldest.will_wake(&wakers[i - MOST_POLLS])),
                Left::Spare(_) => unreachable!("all are different"),
            }
        }
        assert!(waiters.more.len() <= MOST_POLLS + futures.len());
        // After an event there is room again.
        assert_eq!(waiting(&mut waiters, Ready::READABLE), MOST_POLLS + futures.len());
        assert!(matches!(waiters.add_shared(Interest::READABLE, wakers[0].clone()), Left::Nothing));
    }

    #[test]
    fn numbers_of_poll_calls_may_wrap() {
        let mut waiters = Waiters { last_poll: u32::MAX - 5, ..Waiters::default() };
        let wakers: Vec<Waker> = (0..MOST_POLLS * 2).map(numbered).collect();
        for (i, waker) in wakers.iter().enumerate() {
            if let Left::Displaced(oldest) = waiters.add_shared(Interest::WRITABLE, waker.clone()) {
                assert!(oldest.will_wake(&wakers[i - MOST_POLLS]));
            }
        }
        assert_eq!(waiting(&mut waiters, Ready::WRITABLE), MOST_POLLS);
    }

    #[test]
    fn freed_entries_are_used_again() {
        let mut waiters = Waiters::default();
        for _ in 0..100 {
            let keys: Vec<Key> = (0..5).map(|_| waiters.insert(Interest::READABLE, Waker::noop().clone())).collect();
            for key in keys {
                assert!(waiters.remove(key).is_some());
            }
        }
        assert_eq!(waiters.more.len(), 4);
    }

    /// A waker that can be told from others by its number.
    fn numbered(number: usize) -> Waker {
        struct Numbered(#[allow(dead_code, reason = "makes each allocation its own")] usize);
        impl alloc::task::Wake for Numbered {
            fn wake(self: alloc::sync::Arc<Self>) {}
        }
        alloc::sync::Arc::new(Numbered(number)).into()
    }

    #[test]
    fn random_waits_match_a_plain_list() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % below
        };
        let interests = [Interest::READABLE, Interest::WRITABLE, Interest::READABLE | Interest::WRITABLE];
        let events = [Ready::READABLE, Ready::WRITABLE, Ready::READ_CLOSED, Ready::ALL];
        let mut waiters = Waiters::default();
        // What should wait: interest, waker, key.
        let mut model: Vec<(Interest, Waker, Key)> = Vec::new();
        let mut stale: Vec<Key> = Vec::new();
        for step in 0..20_000 {
            match random(5) {
                0 | 1 if model.len() < 12 => {
                    let (interest, waker) = (interests[random(3)], numbered(step));
                    let key = waiters.insert(interest, waker.clone());
                    model.push((interest, waker, key));
                }
                2 if !model.is_empty() => {
                    let (_, waker, key) = model.swap_remove(random(model.len()));
                    assert!(waiters.remove(key).expect("it waits").will_wake(&waker));
                    stale.push(key);
                }
                3 if !model.is_empty() => {
                    let index = random(model.len());
                    let waker = numbered(step);
                    let old = waiters.update(model[index].2, waker.clone()).expect("it waits");
                    assert!(old.will_wake(&model[index].1));
                    model[index].1 = waker;
                }
                4 => {
                    let event = events[random(4)];
                    let mut wakes = Vec::new();
                    waiters.take(event, &mut wakes);
                    let (woken, left): (Vec<_>, Vec<_>) =
                        model.into_iter().partition(|(interest, ..)| !event.intersection(*interest).is_empty());
                    assert_eq!(wakes.len(), woken.len());
                    for (_, waker, key) in woken {
                        assert!(wakes.iter().any(|other| other.will_wake(&waker)));
                        stale.push(key);
                    }
                    model = left;
                }
                _ => {}
            }
            if let Some(key) = stale.pop() {
                assert!(waiters.remove(key).is_none(), "a key is good once");
            }
        }
        assert!(waiters.more.len() <= 12);
    }
}
