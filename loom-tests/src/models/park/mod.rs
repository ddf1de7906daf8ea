//! Models of the park races.
