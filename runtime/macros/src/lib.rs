//! The attribute macros of wheelhouse.
