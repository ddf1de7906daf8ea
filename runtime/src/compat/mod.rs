//! Glue to other people's libraries, each behind a feature of its own.

#[cfg(feature = "hyper")]
pub mod hyper;
