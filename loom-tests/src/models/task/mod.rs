//! Models of the task races.
