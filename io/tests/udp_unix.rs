//! UDP, Unix sockets and pipes.
#![cfg(unix)]

mod support;

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::path::PathBuf;

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse_io::net::unix::pipe;
use wheelhouse_io::net::{UdpSocket, UnixDatagram, UnixListener, UnixStream};

/// A path that nobody else uses, removed when dropped.
struct TempPath(PathBuf);

impl TempPath {
    fn new(name: &str) -> TempPath {
        TempPath(std::env::temp_dir().join(format!("wheelhouse-io-{}-{name}", std::process::id())))
    }
}

impl Drop for TempPath {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn datagrams_go_and_come_with_their_addresses() {
    support::run(async {
        let a = UdpSocket::bind("127.0.0.1:0").await?;
        let b = UdpSocket::bind(("localhost", 0)).await?;
        let mut buf = [0; 32];
        for text in [&b"one"[..], b"", b"three"] {
            assert_eq!(a.send_to(text, b.local_addr()?).await?, text.len());
            assert_eq!(b.peek_from(&mut buf).await?, (text.len(), a.local_addr()?));
            let (n, from) = b.recv_from(&mut buf).await?;
            assert_eq!((&buf[..n], from), (text, a.local_addr()?));
        }
        assert_eq!(b.try_recv_from(&mut buf).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        Ok(())
    })
    .unwrap();
}

#[test]
fn connected_datagram_sockets_hear_their_peer_alone() {
    support::run(async {
        let a = UdpSocket::bind("127.0.0.1:0").await?;
        let b = UdpSocket::bind("127.0.0.1:0").await?;
        let stranger = UdpSocket::bind("127.0.0.1:0").await?;
        a.connect(b.local_addr()?).await?;
        b.connect(a.local_addr()?).await?;
        stranger.send_to(b"hello?", b.local_addr()?).await?;
        a.send(b"from a").await?;
        let mut buf = [0; 32];
        let n = b.recv(&mut buf).await?;
        assert_eq!(&buf[..n], b"from a");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_refused_datagram_reaches_a_receiver_that_waits() {
    support::run(async {
        let a = UdpSocket::bind("127.0.0.1:0").await?;
        let closed = std::net::UdpSocket::bind("127.0.0.1:0")?.local_addr()?;
        a.connect(closed).await?;
        let mut buf = [0; 1];
        let receive = a.recv(&mut buf);
        let send = async {
            support::yield_now().await;
            a.send(b"x").await
        };
        let (received, sent) = futures::join!(receive, send);
        sent?;
        assert_eq!(received.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
        Ok(())
    })
    .unwrap();
}

#[test]
fn unix_connections_carry_both_directions_and_their_ends() {
    let path = TempPath::new("stream");
    support::run(async {
        let listener = UnixListener::bind(&path.0)?;
        let mut client = UnixStream::connect(&path.0).await?;
        let (mut server, _) = listener.accept().await?;
        client.write_all(b"question").await?;
        client.shutdown_with(Shutdown::Write)?;
        let mut text = String::new();
        server.read_to_string(&mut text).await?;
        assert_eq!(text, "question");
        server.write_all(b"answer").await?;
        drop(server);
        text.clear();
        client.read_to_string(&mut text).await?;
        assert_eq!(text, "answer");
        assert_eq!(client.write(b"more").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_unix_peer_that_leaves_bytes_unread_resets_the_stream() {
    support::run(async {
        let (mut a, b) = UnixStream::pair()?;
        a.write_all(b"never read").await?;
        let close = async {
            support::yield_now().await;
            drop(b);
        };
        let mut buf = [0; 1];
        let (read, ()) = futures::join!(a.read(&mut buf), close);
        assert_eq!(read.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_full_backlog_delays_a_connection_and_does_not_fail_it() {
    let path = TempPath::new("backlog");
    support::run(async {
        let socket = socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None)?;
        socket.bind(&socket2::SockAddr::unix(&path.0)?)?;
        socket.listen(0)?;
        let listener = UnixListener::from_std(socket.into())?;
        // One more than the backlog takes.
        let first = UnixStream::connect(&path.0).await?;
        let second = UnixStream::connect(&path.0);
        let accept = async {
            support::yield_now().await;
            let one = listener.accept().await?;
            let two = listener.accept().await?;
            io::Result::Ok((one, two))
        };
        let (second, accepted) = futures::join!(second, accept);
        drop((first, second?, accepted?));
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_unix_stream_without_a_listener_is_an_error() {
    let path = TempPath::new("nobody");
    let error = support::run(UnixStream::connect(&path.0)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn unix_datagrams_go_and_come() {
    let path = TempPath::new("datagram");
    support::run(async {
        let server = UnixDatagram::bind(&path.0)?;
        let client = UnixDatagram::unbound()?;
        client.send_to(b"named", &path.0).await?;
        let mut buf = [0; 16];
        let (n, from) = server.recv_from(&mut buf).await?;
        assert_eq!((&buf[..n], from.is_unnamed()), (&b"named"[..], true));
        client.connect(&path.0)?;
        client.send(b"").await?;
        assert_eq!(server.recv(&mut buf).await?, 0);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_full_pipe_holds_the_writer_up_until_it_is_read() {
    support::run(async {
        let (mut sender, mut receiver) = pipe::pipe()?;
        let write = async {
            sender.write_all(&[9; 1_000_000]).await?;
            drop(sender);
            io::Result::Ok(())
        };
        let read = async {
            let mut got = Vec::new();
            receiver.read_to_end(&mut got).await?;
            io::Result::Ok(got)
        };
        let ((), got) = futures::future::try_join(write, read).await?;
        assert!(got == [9; 1_000_000]);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_pipe_nobody_reads_is_an_error_for_a_writer_that_waits() {
    support::run(async {
        let (mut sender, receiver) = pipe::pipe()?;
        while sender.try_write(&[0; 4096]).is_ok() {}
        let write = sender.write(b"x");
        let close = async {
            support::yield_now().await;
            drop(receiver);
        };
        let (written, ()) = futures::join!(write, close);
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        Ok(())
    })
    .unwrap();
}

#[test]
fn zero_length_reads_and_writes_of_streams_are_ready_at_once() {
    support::run(async {
        let (mut a, mut b) = UnixStream::pair()?;
        let (mut sender, mut receiver) = pipe::pipe()?;
        assert_eq!(a.write(&[]).await? + b.read(&mut []).await?, 0);
        assert_eq!(sender.write(&[]).await? + receiver.read(&mut []).await?, 0);
        assert_eq!(a.write_vectored(&[IoSlice::new(&[]), IoSlice::new(&[])]).await?, 0);
        Ok(())
    })
    .unwrap();
}

#[test]
fn passed_descriptors_do_not_hide_the_bytes_behind_them() {
    use std::os::fd::AsRawFd;
    support::run(async {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        let mut ours = UnixStream::from_std(ours)?;
        // Past what registering tells, which would hide a loss.
        assert!(ours.try_read(&mut [0; 1]).is_err());
        support::yield_now().await;
        // Two messages, the first with a descriptor: a read ends between them.
        send_with_descriptor(&theirs, b"first", theirs.as_raw_fd());
        io::Write::write_all(&mut &theirs, b"second")?;
        let mut got = Vec::new();
        let mut buf = [0; 64];
        while got.len() < 11 {
            let n = ours.read(&mut buf).await?;
            got.extend_from_slice(&buf[..n]);
        }
        assert_eq!(got, b"firstsecond");
        Ok(())
    })
    .unwrap();
}

fn send_with_descriptor(socket: &std::os::unix::net::UnixStream, bytes: &[u8], fd: i32) {
    use std::os::fd::AsRawFd;
    #[repr(C)]
    struct Control {
        header: libc::cmsghdr,
        fd: libc::c_int,
    }
    let size = size_of::<libc::cmsghdr>() + size_of::<libc::c_int>();
    let header = libc::cmsghdr { cmsg_len: size as _, cmsg_level: libc::SOL_SOCKET, cmsg_type: libc::SCM_RIGHTS };
    let mut control = Control { header, fd };
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // SAFETY: a message header is plain C data, for which all zero is a valid value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    message.msg_controllen = size_of::<Control>() as _;
    // SAFETY: the header points to live buffers with their true sizes.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &message, 0) };
    assert_eq!(sent, bytes.len() as isize);
}
