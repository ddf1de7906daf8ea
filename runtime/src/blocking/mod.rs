//! A concurrency core: see the crate root.
