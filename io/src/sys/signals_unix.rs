//! Signals of one reactor: a self-pipe that the handlers write to, and who listens to which signal.
//!
//! Each reactor has its own pipe and its own actions in the process-wide registry of handlers, so that several
//! runtimes in a process hear the same signal. An action stores the signal's mark first and writes a byte then; the
//! reactor empties the pipe first and looks at the marks then. A byte that finds the pipe full needs none: the
//! reactor has yet to empty it, and looks at the marks after that.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::task::Waker;

use mio::unix::SourceFd;
use signal_hook_registry::{FORBIDDEN, SigId};

use crate::error::Error;
use crate::readiness::{Ready, Source};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering};

/// More than any system has signals; numbers below that are none are the registry's to refuse.
const NUMBERS: usize = 129;

/// What the handlers write to. Lives until the last action is unregistered.
#[derive(Debug)]
struct Wire {
    sender: UnixStream,
    /// By signal number: it arrived since the reactor last looked.
    arrived: Box<[AtomicBool]>,
}

#[derive(Debug)]
struct Channel {
    signal: i32,
    action: SigId,
    /// An event of it stands for an arrival of the signal.
    source: Arc<Source>,
}

#[derive(Debug)]
struct Line {
    receiver: UnixStream,
    wire: Arc<Wire>,
    channels: Vec<Channel>,
}

#[derive(Debug)]
enum State {
    Unused,
    Open(Line),
    ShutDown,
}

/// The signals of one reactor.
#[derive(Debug)]
pub(crate) struct Signals {
    state: Mutex<State>,
    /// Whether the pipe is in the poller: a hint like the number of sources.
    open: AtomicBool,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(State::Unused), open: AtomicBool::new(false) }
    }

    pub(crate) fn any(&self) -> bool {
        self.open.load(Ordering::Relaxed) // see the field
    }

    /// The source whose events are arrivals of `signal`. From here on its default action is gone from the process.
    pub(crate) fn listen(&self, signal: i32, registry: &mio::Registry, token: mio::Token) -> io::Result<Arc<Source>> {
        if FORBIDDEN.contains(&signal) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the signal cannot be listened to"));
        }
        let mut state = self.state.lock();
        if matches!(*state, State::Unused) {
            let line = Line::open()?;
            registry.register(&mut SourceFd(&line.receiver.as_raw_fd()), token, mio::Interest::READABLE)?;
            *state = State::Open(line);
            self.open.store(true, Ordering::Relaxed); // see the field
        }
        match &mut *state {
            State::Open(line) => line.listen(signal),
            State::Unused | State::ShutDown => Err(Error::ShutDown.into()),
        }
    }

    /// The pipe has an event: hands the arrivals out.
    pub(crate) fn hand_out(&self, wakes: &mut Vec<Waker>) {
        if let State::Open(line) = &*self.state.lock() {
            line.empty();
            for channel in &line.channels {
                // What the handler did before the mark is the arrival itself.
                if line.wire.arrived[channel.signal as usize].swap(false, Ordering::AcqRel) {
                    channel.source.event(Ready::READABLE, wakes);
                }
            }
        }
    }

    /// Unregisters every action and closes the pipe. Listeners hear that there is nothing more to come.
    pub(crate) fn shut_down(&self, wakes: &mut Vec<Waker>) {
        let before = {
            let mut state = self.state.lock();
            self.open.store(false, Ordering::Relaxed); // see the field
            std::mem::replace(&mut *state, State::ShutDown)
        };
        if let State::Open(line) = before {
            for channel in &line.channels {
                signal_hook_registry::unregister(channel.action);
                channel.source.shut_down(wakes);
            }
        }
    }
}

impl Line {
    fn open() -> io::Result<Line> {
        let (receiver, sender) = UnixStream::pair()?;
        receiver.set_nonblocking(true)?;
        sender.set_nonblocking(true)?;
        let arrived = (0..NUMBERS).map(|_| AtomicBool::new(false)).collect();
        Ok(Line { receiver, wire: Arc::new(Wire { sender, arrived }), channels: Vec::new() })
    }

    fn listen(&mut self, signal: i32) -> io::Result<Arc<Source>> {
        if let Some(channel) = self.channels.iter().find(|channel| channel.signal == signal) {
            return Ok(channel.source.clone());
        }
        let number = usize::try_from(signal).ok().filter(|number| *number < self.wire.arrived.len());
        let number = number.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no such signal"))?;
        let wire = self.wire.clone();
        let act = move || {
            wire.arrived[number].store(true, Ordering::Release);
            // Err: the pipe is full, see the module's header.
            let _ = (&wire.sender).write(&[1]);
        };
        // SAFETY: the action stores an atomic and sends on a non-blocking socket: both are async-signal-safe, and
        // neither allocates, locks or panics (`number` is in range).
        let action = unsafe { signal_hook_registry::register(signal, act) }?;
        let source = Arc::new(Source::new(Ready::EMPTY));
        self.channels.push(Channel { signal, action, source: source.clone() });
        Ok(source)
    }

    fn empty(&self) {
        let mut buf = [0; 128];
        // Err: empty, as wanted; an interruption is no harm either, since the next arrival is another event.
        while matches!((&self.receiver).read(&mut buf), Ok(read) if read > 0) {}
    }
}
