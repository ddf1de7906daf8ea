//! Models of the blocking races.
