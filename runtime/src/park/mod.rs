//! How workers sleep and who wakes them: the parked set, the driver's seat, the sentinel.
//!
//! A worker with nothing to do joins the parked set, looks at the queues once more, and races for the driver's seat.
//! The winner sleeps in the driver, until the next deadline or event; the losers sleep on their own [`Parker`].
//!
//! - [`parker`]: one thread's sleep, and the token that ends it.
//! - [`idle`]: who is parked, how many search, who keeps watch over an empty seat.
//! - [`seat`]: the lock around the driver, and who holds it.
//! - [`rest`]: the steps a worker takes from "nothing to do" to "awake again", over the three above.
//! - [`lifo`]: a worker's slot for the task it woke last.
//! - [`block_on`]: the sleep of a thread inside `block_on`.
//! - [`activity`]: the threads inside `block_on`, for the test clock.

pub(crate) mod activity;
pub(crate) mod block_on;
pub(crate) mod idle;
pub(crate) mod lifo;
pub(crate) mod parker;
pub(crate) mod rest;
pub(crate) mod seat;

pub(crate) use activity::Activity;
pub(crate) use block_on::BlockOnSleep;
pub(crate) use idle::Idle;
pub(crate) use lifo::LifoSlot;
pub(crate) use parker::{Parker, Unparked};
pub(crate) use rest::{Bound, Driver, Interrupt, Lounge, Surroundings, Turn};

extern crate alloc;
pub(crate) use seat::Seat;
