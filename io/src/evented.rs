//! A registered descriptor and the three ways to wait for it.

use std::future::Future;
use std::io;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::context::{self, poll_budget, spend_budget};
use crate::error::Error;
use crate::handle::{Io, Registration};
use crate::readiness::{Interest, Ready, Snapshot, Source, Waiting};
use crate::starved::Starved;

/// A descriptor with its registration. Dropping it deregisters first and closes then, so that no event of this
/// descriptor can meet the next owner of its number.
#[derive(Debug)]
pub(crate) struct Evented<E: mio::event::Source> {
    registration: Registration,
    /// `None` only once taken by `into_inner`.
    inner: Option<E>,
}

/// What an operation found out beside its result.
pub(crate) struct Done<R> {
    pub(crate) value: R,
    pub(crate) left: Left,
}

/// What an operation left for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// Something, perhaps.
    Unknown,
    /// Nothing: the next one would find the source dry.
    Nothing,
    /// Nothing, unless priority data has come: there may be something behind it.
    NothingBeforePriority,
}

impl Left {
    pub(crate) fn nothing_if(drained: bool) -> Self {
        if drained { Left::Nothing } else { Left::Unknown }
    }

    /// Whether there is nothing left, for an operation that began after `seen`. Priority data that has come since has an
    /// event of its own, and a clear with `seen` does it no harm.
    fn is_nothing(self, seen: Snapshot) -> bool {
        match self {
            Left::Unknown => false,
            Left::Nothing => true,
            Left::NothingBeforePriority => !seen.had_priority(),
        }
    }
}

impl<E: mio::event::Source> Evented<E> {
    /// Registers with the thread's current reactor.
    pub(crate) fn new(inner: E, interest: mio::Interest, initial: Ready) -> io::Result<Self> {
        Self::with_io(&context::current()?, inner, interest, initial)
    }

    pub(crate) fn with_io(io: &Io, mut inner: E, interest: mio::Interest, initial: Ready) -> io::Result<Self> {
        let registration = io.register(&mut inner, interest, initial)?;
        Ok(Self { registration, inner: Some(inner) })
    }

    pub(crate) fn source(&self) -> &Source {
        self.registration.source()
    }

    pub(crate) fn registration(&self) -> &Registration {
        &self.registration
    }

    /// The descriptor without its registration.
    pub(crate) fn into_inner(mut self) -> io::Result<E> {
        let mut inner = self.inner.take().expect("only this method and drop take it");
        self.registration.deregister(&mut inner)?;
        Ok(inner)
    }

    /// Runs `op` as soon as the source is ready for it, and again whenever it would have blocked.
    pub(crate) fn poll_io<R>(
        &self,
        cx: &mut Context<'_>,
        interest: Interest,
        how: impl Waits,
        mut op: impl FnMut(&E) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.poll_hinted(cx, interest, how, |inner| op(inner).map(|value| Done { value, left: Left::Unknown }))
    }

    /// [`poll_io`](Self::poll_io) for an operation that can tell when it left nothing over.
    pub(crate) fn poll_hinted<R>(
        &self,
        cx: &mut Context<'_>,
        interest: Interest,
        mut how: impl Waits,
        mut op: impl FnMut(&E) -> io::Result<Done<R>>,
    ) -> Poll<io::Result<R>> {
        ready!(poll_budget(cx));
        loop {
            let seen = ready!(how.poll(self.source(), cx, interest));
            let result = self.attempt(seen, interest, &mut op);
            if !is_would_block(&result) {
                spend_budget();
                return Poll::Ready(result);
            }
        }
    }

    /// Runs `op` if the source may be ready for it.
    pub(crate) fn try_io<R>(&self, interest: Interest, mut op: impl FnMut(&E) -> io::Result<R>) -> io::Result<R> {
        self.try_hinted(interest, |inner| op(inner).map(|value| Done { value, left: Left::Unknown }))
    }

    /// [`try_io`](Self::try_io) for an operation that can tell when it left nothing over.
    pub(crate) fn try_hinted<R>(
        &self,
        interest: Interest,
        mut op: impl FnMut(&E) -> io::Result<Done<R>>,
    ) -> io::Result<R> {
        let seen = self.source().observe();
        if !seen.answers(interest) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.attempt(seen, interest, &mut op)
    }

    /// One attempt on the strength of `seen`. Readiness that it disproves is taken back.
    fn attempt<R>(
        &self,
        seen: Snapshot,
        interest: Interest,
        op: &mut impl FnMut(&E) -> io::Result<Done<R>>,
    ) -> io::Result<R> {
        if seen.is_shut_down() {
            return Err(Error::ShutDown.into());
        }
        loop {
            match op(self) {
                Ok(Done { value, left }) => {
                    if left.is_nothing(seen) {
                        // A closed side stays known: the next operation has an end of file or an error to fetch.
                        let _ = self.source().clear(seen, interest.mask() - (Ready::READ_CLOSED | Ready::WRITE_CLOSED));
                    }
                    return Ok(value);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    if error.kind() == io::ErrorKind::WouldBlock {
                        // Whether or not newer: the caller looks at the word again before it waits.
                        let _ = self.source().clear(seen, interest.mask());
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Runs an accept. If it fails for want of a descriptor or of memory, the listener is not ready until it is worth
    /// another try.
    pub(crate) fn or_starve<R>(&self, accept: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        let seen = self.source().observe();
        accept().inspect_err(|error| {
            if Starved::is_cause(error) {
                // An event since then means another connection, and another attempt.
                let _ = self.source().clear(seen, Interest::READABLE.mask());
                self.registration.starve();
                // Last: a subscriber may panic.
                tracing::debug!(target: "wheelhouse::io", %error, "accept failed: the listener is tried again later");
            }
        })
    }

    /// A future that runs `op` as soon as the source is ready for it. Dropping it leaves no trace.
    pub(crate) fn op<R, F: FnMut(&E) -> io::Result<R>>(&self, interest: Interest, op: F) -> Op<'_, E, F> {
        Op { evented: self, interest, op, waiting: Waiting::default() }
    }

    /// Waits, among any number of others, until the source is ready for `interest`.
    pub(crate) fn poll_ready(
        &self,
        cx: &mut Context<'_>,
        interest: Interest,
        mut how: impl Waits,
    ) -> Poll<io::Result<Snapshot>> {
        ready!(poll_budget(cx));
        let seen = ready!(how.poll(self.source(), cx, interest));
        spend_budget();
        if seen.is_shut_down() {
            return Poll::Ready(Err(Error::ShutDown.into()));
        }
        Poll::Ready(Ok(seen))
    }

    /// A future of the readiness for `interest`. Dropping it leaves no trace.
    pub(crate) fn ready(&self, interest: Interest) -> ReadyFor<'_, E> {
        ReadyFor { evented: self, interest, waiting: Waiting::default() }
    }
}

fn is_would_block<R>(result: &io::Result<R>) -> bool {
    matches!(result, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

impl<E: mio::event::Source> Deref for Evented<E> {
    type Target = E;

    fn deref(&self) -> &E {
        self.inner.as_ref().expect("only into_inner and drop take it")
    }
}

impl<E: mio::event::Source> Drop for Evented<E> {
    fn drop(&mut self) {
        if let Some(mut inner) = self.inner.take() {
            // Err: the descriptor is not in the poller, which is what is wanted.
            let _ = self.registration.deregister(&mut inner);
            drop(inner);
            self.registration.io().descriptor_closed();
        }
    }
}

/// How a caller waits for a source.
pub(crate) trait Waits {
    fn poll(&mut self, source: &Source, cx: &mut Context<'_>, interest: Interest) -> Poll<Snapshot>;
}

/// The caller has the reading or the writing side to itself: its last waker counts.
pub(crate) struct Exclusive;

/// The caller is one of any number, and cannot say when it stops waiting.
pub(crate) struct Shared;

impl Waits for Exclusive {
    fn poll(&mut self, source: &Source, cx: &mut Context<'_>, interest: Interest) -> Poll<Snapshot> {
        source.poll_exclusive(cx, interest)
    }
}

impl Waits for Shared {
    fn poll(&mut self, source: &Source, cx: &mut Context<'_>, interest: Interest) -> Poll<Snapshot> {
        source.poll_shared(cx, interest)
    }
}

/// The caller is one of any number, and cancels its wait when it is dropped.
impl Waits for &mut Waiting {
    fn poll(&mut self, source: &Source, cx: &mut Context<'_>, interest: Interest) -> Poll<Snapshot> {
        source.poll_waiting(cx, interest, self)
    }
}

/// See [`Evented::op`].
pub(crate) struct Op<'a, E: mio::event::Source, F> {
    evented: &'a Evented<E>,
    interest: Interest,
    op: F,
    waiting: Waiting,
}

// Nothing is pinned: the operation is only ever called by `&mut`.
impl<E: mio::event::Source, F> Unpin for Op<'_, E, F> {}

impl<E: mio::event::Source, R, F: FnMut(&E) -> io::Result<R>> Future for Op<'_, E, F> {
    type Output = io::Result<R>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<R>> {
        let this = &mut *self;
        this.evented.poll_io(cx, this.interest, &mut this.waiting, &mut this.op)
    }
}

impl<E: mio::event::Source, F> Drop for Op<'_, E, F> {
    fn drop(&mut self) {
        self.evented.source().cancel(&mut self.waiting);
    }
}

/// See [`Evented::ready`].
pub(crate) struct ReadyFor<'a, E: mio::event::Source> {
    evented: &'a Evented<E>,
    interest: Interest,
    waiting: Waiting,
}

impl<E: mio::event::Source> Future for ReadyFor<'_, E> {
    type Output = io::Result<Snapshot>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<Snapshot>> {
        let this = &mut *self;
        this.evented.poll_ready(cx, this.interest, &mut this.waiting)
    }
}

impl<E: mio::event::Source> Drop for ReadyFor<'_, E> {
    fn drop(&mut self) {
        self.evented.source().cancel(&mut self.waiting);
    }
}
