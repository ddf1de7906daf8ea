//! Any descriptor as a source.
#![cfg(unix)]

mod support;

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use wheelhouse_io::io::{AsyncFd, Interest};

fn pair() -> io::Result<(UnixStream, AsyncFd<UnixStream>)> {
    let (a, b) = UnixStream::pair()?;
    b.set_nonblocking(true)?;
    Ok((a, AsyncFd::new(b)?))
}

#[test]
fn a_guard_takes_back_what_turned_out_wrong() {
    support::run(async {
        let (mut a, mut b) = pair()?;
        a.write_all(b"12")?;
        let mut buf = [0; 2];
        {
            let mut guard = b.readable().await?;
            assert_eq!(guard.try_io(|fd| fd.get_ref().read(&mut buf)).unwrap()?, 2);
            assert!(guard.try_io(|fd| fd.get_ref().read(&mut buf)).is_err());
        }
        assert!(futures::poll!(std::pin::pin!(b.readable())).is_pending());
        a.write_all(b"3")?;
        let mut guard = b.readable_mut().await?;
        assert_eq!(guard.get_inner_mut().read(&mut buf)?, 1);
        assert!(guard.ready().is_readable());
        drop(a);
        assert_eq!(b.async_io(Interest::READABLE, |mut fd| fd.read(&mut buf)).await?, 0);
        assert_eq!(b.into_inner().read(&mut buf)?, 0);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_regular_file_is_an_error() {
    support::run(async {
        let file = std::fs::File::open("/proc/self/exe")?;
        let error = AsyncFd::new(file).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_descriptor_closed_too_early_harms_nobody_else() {
    support::run(async {
        let (ours, mut theirs) = UnixStream::pair()?;
        let duplicate = ours.try_clone()?;
        // A bare number: nothing keeps the descriptor open. Its duplicate keeps the poller's entry.
        let misused = AsyncFd::new(ours.as_raw_fd())?;
        drop(ours);
        drop(misused);
        theirs.write_all(b"to nobody")?;
        let (mut a, b) = pair()?;
        support::yield_now().await;
        support::yield_now().await;
        assert!(b.try_io(Interest::READABLE, |_| Ok(())).is_err());
        a.write_all(b"x")?;
        b.readable().await?;
        drop(duplicate);
        Ok(())
    })
    .unwrap();
}
