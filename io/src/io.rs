//! Interests and readiness, and any descriptor as a source.

pub use crate::readiness::{Interest, Ready};
