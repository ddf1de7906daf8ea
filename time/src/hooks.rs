//! What the concurrency core tells its surroundings; the models have a twin of this file.

/// Stands for the memory of one entry. It costs nothing here. In a model it is a tracked cell: the firing side reads it
/// up to its last touch, and the owner writes it where the memory would be freed, so that a touch after that is seen.
#[derive(Debug, Default)]
pub(crate) struct Memory;

impl Memory {
    pub(crate) fn new() -> Memory {
        Memory
    }

    /// The driver touches the entry.
    #[inline(always)]
    pub(crate) fn touch(&self) {}

    /// The owner is done with the entry: its memory may be freed or used again.
    #[inline(always)]
    pub(crate) fn free(&self) {}
}
