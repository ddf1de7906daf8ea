//! Named pipes.

use std::fs::{File, OpenOptions as FileOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use super::{Receiver, Sender};

/// How to open the ends of a named pipe.
///
/// # Examples
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use wheelhouse_io::net::unix::pipe;
///
/// # wheelhouse_io::doc::run(async {
/// # let path = std::env::temp_dir().join(format!("wheelhouse-p1-{}", std::process::id()));
/// # let name = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
/// # // SAFETY: the name is live and ends with 0.
/// # assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
/// // Made with `mkfifo`. There is a reader before there is a writer.
/// let mut receiver = pipe::OpenOptions::new().open_receiver(&path)?;
/// let mut sender = pipe::OpenOptions::new().open_sender(&path)?;
/// sender.write_all(b"hello").await?;
/// let mut buf = [0; 5];
/// receiver.read_exact(&mut buf).await?;
/// assert_eq!(&buf, b"hello");
/// # std::fs::remove_file(&path)?;
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    read_write: bool,
    unchecked: bool,
}

impl OpenOptions {
    /// Either end is opened for what it does alone, and what is opened must be a pipe.
    #[must_use]
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// Whether an end is opened for the other's part too. Then a sender can be opened before there is a receiver, and a
    /// receiver never sees the end of the stream. POSIX does not say that this works; on Linux it does.
    pub fn read_write(&mut self, on: bool) -> &mut OpenOptions {
        self.read_write = on;
        self
    }

    /// Whether to believe that what is opened is a pipe, without looking.
    pub fn unchecked(&mut self, on: bool) -> &mut OpenOptions {
        self.unchecked = on;
        self
    }

    /// Opens the reading end.
    ///
    /// # Errors
    ///
    /// Those of the operating system; `InvalidInput` if it is no pipe; [`Error::NoRuntime`](crate::Error::NoRuntime)
    /// inside when no reactor is current.
    pub fn open_receiver(&self, path: impl AsRef<Path>) -> io::Result<Receiver> {
        Receiver::from_owned_fd(self.open(path.as_ref(), FileOptions::new().read(true).write(self.read_write))?)
    }

    /// Opens the writing end.
    ///
    /// # Errors
    ///
    /// Those of [`open_receiver`](Self::open_receiver); the system's `ENXIO` if nobody has the reading end open.
    pub fn open_sender(&self, path: impl AsRef<Path>) -> io::Result<Sender> {
        Sender::from_owned_fd(self.open(path.as_ref(), FileOptions::new().write(true).read(self.read_write))?)
    }

    fn open(&self, path: &Path, options: &mut FileOptions) -> io::Result<OwnedFd> {
        let file = options.custom_flags(libc::O_NONBLOCK).open(path)?;
        if !self.unchecked {
            check(&file)?;
        }
        Ok(file.into())
    }
}

fn check(file: &File) -> io::Result<()> {
    if file.metadata()?.file_type().is_fifo() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a pipe: a file or a socket has types of its own"))
}

macro_rules! from_file {
    ($end:ident) => {
        impl $end {
            /// Takes over an open file that is a pipe, and sets it non-blocking. It must be open for this end's part.
            ///
            /// # Errors
            ///
            /// Those of the operating system; `InvalidInput` if it is no pipe;
            /// [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is current.
            pub fn from_file(file: File) -> io::Result<$end> {
                check(&file)?;
                $end::from_owned_fd(file.into())
            }

            /// The descriptor, set blocking again. This end is deregistered; copies of the descriptor block too.
            ///
            /// # Errors
            ///
            /// Those of the operating system.
            pub fn into_blocking_fd(self) -> io::Result<OwnedFd> {
                let end = self.io.into_inner()?;
                end.set_nonblocking(false)?;
                Ok(end.into())
            }
        }
    };
}

from_file!(Sender);
from_file!(Receiver);
