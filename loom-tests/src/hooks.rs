//! Stand-in for each crate's `hooks` facade: counters and tracing cost nothing in a model.
