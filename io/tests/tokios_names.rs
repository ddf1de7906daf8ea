//! What sockets have that programs for tokio use: looking without taking, whose process it is, named pipes, and
//! descriptors given back.

#![cfg(target_os = "linux")]

mod support;

use std::future::{Future, poll_fn};
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::task::Poll;

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse_io::io::{AsyncFd, Interest};
use wheelhouse_io::net::unix::pipe;
use wheelhouse_io::net::{TcpListener, TcpSocket, TcpStream, UdpSocket, UnixDatagram, UnixListener, UnixStream};

fn run(test: impl Future<Output = ()>) {
    let test = async {
        test.await;
        Ok(())
    };
    support::run(test).unwrap();
}

async fn udp_pair() -> (UdpSocket, UdpSocket, SocketAddr) {
    let (a, b) = (UdpSocket::bind("127.0.0.1:0").await.unwrap(), UdpSocket::bind("127.0.0.1:0").await.unwrap());
    let addr = a.local_addr().unwrap();
    b.connect(addr).await.unwrap();
    a.connect(b.local_addr().unwrap()).await.unwrap();
    (a, b, addr)
}

#[test]
fn peeks_at_a_datagram_leave_it_there() {
    run(async {
        let (a, b, addr) = udp_pair().await;
        let mut buf = [0; 16];
        // What a fresh socket is taken to be ready for is disproved first.
        assert_eq!(b.try_peek(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(b.try_peek_from(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(b.try_peek_sender().unwrap_err().kind(), ErrorKind::WouldBlock);
        let mut polls = 0;
        let seen = poll_fn(|cx| {
            polls += 1;
            let poll = b.poll_peek_from(cx, &mut buf);
            if poll.is_pending() {
                assert_eq!(a.try_send(b"hello").unwrap(), 5);
            }
            poll
        });
        assert_eq!(seen.await.unwrap(), (5, addr));
        assert_eq!(polls, 2, "woken once, by the datagram");
        assert_eq!(poll_fn(|cx| b.poll_peek(cx, &mut buf)).await.unwrap(), 5);
        assert_eq!(poll_fn(|cx| b.poll_peek_sender(cx)).await.unwrap(), addr);
        assert_eq!(b.peek_sender().await.unwrap(), addr);
        assert_eq!(b.try_peek(&mut buf).unwrap(), 5);
        assert_eq!(b.try_peek_from(&mut buf).unwrap(), (5, addr));
        assert_eq!(b.try_peek_sender().unwrap(), addr);
        poll_fn(|cx| b.poll_recv_ready(cx)).await.unwrap();
        poll_fn(|cx| b.poll_send_ready(cx)).await.unwrap();
        assert_eq!(b.try_recv(&mut buf).unwrap(), 5);
        assert_eq!(&buf[..5], b"hello");
        assert_eq!(b.try_peek(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
    });
}

#[test]
fn options_are_what_they_were_set_to() {
    run(async {
        let (a, ..) = udp_pair().await;
        a.set_multicast_ttl_v4(3).unwrap();
        a.set_tos_v4(0x10).unwrap();
        assert_eq!((a.multicast_ttl_v4().unwrap(), a.tos_v4().unwrap()), (3, 0x10));
        if let Ok(v6) = UdpSocket::bind("[::1]:0").await {
            v6.set_multicast_loop_v6(false).unwrap();
            v6.set_tclass_v6(0x20).unwrap();
            assert_eq!((v6.multicast_loop_v6().unwrap(), v6.tclass_v6().unwrap()), (false, 0x20));
        }
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_zero_linger().unwrap();
        assert_eq!(socket.linger().unwrap(), Some(std::time::Duration::ZERO));
        assert_eq!(socket.device().unwrap(), None);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = socket.connect(listener.local_addr().unwrap()).await.unwrap();
        stream.set_quickack(true).unwrap();
        assert!(stream.quickack().unwrap());
        // Reset, not ended.
        stream.set_zero_linger().unwrap();
        let (mut peer, _) = listener.accept().await.unwrap();
        drop(stream);
        assert_eq!(peer.read(&mut [0]).await.unwrap_err().kind(), ErrorKind::ConnectionReset);
    });
}

#[test]
fn the_peer_of_a_unix_stream_is_this_process() {
    run(async {
        let path = temporary("cred");
        let listener = UnixListener::bind(&path).unwrap();
        assert!(listener.take_error().unwrap().is_none());
        let (near, far) = futures::join!(UnixStream::connect(&path), listener.accept());
        std::fs::remove_file(&path).unwrap();
        let far = far.unwrap().0;
        for stream in [&near.unwrap(), &far] {
            let peer = stream.peer_cred().unwrap();
            // SAFETY: the call takes and touches nothing.
            let uid = unsafe { libc::geteuid() };
            // SAFETY: as above.
            let gid = unsafe { libc::getegid() };
            assert_eq!((peer.uid(), peer.gid()), (uid, gid));
            assert_eq!(peer.pid(), Some(std::process::id().try_into().unwrap()));
        }
    });
}

#[test]
fn datagrams_of_unix_are_polled_with_their_addresses() {
    run(async {
        let (from, to) = (temporary("from"), temporary("to"));
        let (a, b) = (UnixDatagram::bind(&from).unwrap(), UnixDatagram::bind(&to).unwrap());
        let mut buf = [0; 16];
        let received = poll_fn(|cx| {
            let poll = b.poll_recv_from(cx, &mut buf);
            if poll.is_pending() {
                assert!(matches!(a.poll_send_to(cx, b"hello", &to), Poll::Ready(Ok(5))));
            }
            poll
        });
        let (n, sender) = received.await.unwrap();
        assert_eq!((n, sender.as_pathname()), (5, Some(&*from)));
        std::fs::remove_file(&from).unwrap();
        std::fs::remove_file(&to).unwrap();
    });
}

/// A path that nobody has.
fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("wheelhouse-names-{name}-{}", std::process::id()))
}

fn named_pipe(name: &str) -> PathBuf {
    let path = temporary(name);
    let text = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
    // SAFETY: the name is live and ends with 0.
    assert_eq!(unsafe { libc::mkfifo(text.as_ptr(), 0o600) }, 0);
    assert!(std::fs::metadata(&path).unwrap().file_type().is_fifo());
    path
}

#[test]
fn named_pipes_are_opened_end_by_end() {
    run(async {
        let path = named_pipe("ends");
        let error = pipe::OpenOptions::new().open_sender(&path).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENXIO), "nobody reads");
        let mut receiver = pipe::OpenOptions::new().open_receiver(&path).unwrap();
        let mut sender = pipe::OpenOptions::new().open_sender(&path).unwrap();
        sender.write_all(b"hello").await.unwrap();
        drop(sender);
        let mut text = String::new();
        receiver.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "hello");
        drop(receiver);

        // Open for both: nobody has to read, and the stream has no end.
        let mut sender = pipe::OpenOptions::new().read_write(true).open_sender(&path).unwrap();
        sender.write_all(b"x").await.unwrap();
        let receiver = pipe::OpenOptions::new().read_write(true).open_receiver(&path).unwrap();
        drop(sender);
        assert_eq!(receiver.try_read(&mut [0; 4]).unwrap(), 1);
        assert_eq!(receiver.try_read(&mut [0; 4]).unwrap_err().kind(), ErrorKind::WouldBlock);
        std::fs::remove_file(&path).unwrap();
    });
}

#[test]
fn what_is_no_pipe_is_refused_unless_unchecked() {
    run(async {
        let path = temporary("file");
        std::fs::write(&path, "x").unwrap();
        let error = pipe::OpenOptions::new().open_receiver(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        assert_eq!(pipe::Sender::from_file(file).unwrap_err().kind(), ErrorKind::InvalidInput);
        let error = pipe::OpenOptions::new().unchecked(true).open_sender(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "the poller's word for a file: {error}");
        std::fs::remove_file(&path).unwrap();
    });
}

#[test]
fn the_ends_of_a_pipe_are_given_back_blocking_or_not() {
    run(async {
        let is_blocking = |fd: &std::os::fd::OwnedFd| {
            // SAFETY: the descriptor is open, and the call touches no memory.
            let flags = unsafe { libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(fd), libc::F_GETFL) };
            flags & libc::O_NONBLOCK == 0
        };
        let (sender, receiver) = pipe::pipe().unwrap();
        let sender = sender.into_blocking_fd().unwrap();
        let receiver = receiver.into_nonblocking_fd().unwrap();
        assert!(is_blocking(&sender) && !is_blocking(&receiver));
        std::fs::File::from(sender).write_all(b"x").unwrap();
        let receiver = pipe::Receiver::from_file(receiver.into()).unwrap();
        assert_eq!(receiver.try_read(&mut [0; 4]).unwrap(), 1);
        assert!(is_blocking(&receiver.into_blocking_fd().unwrap()));
    });
}

#[test]
fn a_descriptor_that_cannot_be_registered_comes_back() {
    run(async {
        let file = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        let error = AsyncFd::try_with_interest(file, Interest::READABLE).unwrap_err();
        assert_eq!(error.to_string(), std::io::Error::from_raw_os_error(libc::EPERM).to_string());
        let (mut file, cause) = error.into_parts();
        assert_eq!(cause.kind(), ErrorKind::PermissionDenied);
        file.read_exact(&mut [0; 4]).unwrap();
    });
}

#[test]
fn a_descriptor_is_used_by_mut() {
    run(async {
        let (a, mut b) = std::os::unix::net::UnixStream::pair().unwrap();
        a.set_nonblocking(true).unwrap();
        let mut a = AsyncFd::try_new(a).unwrap();
        let mut buf = [0; 8];
        assert_eq!(a.try_io_mut(Interest::READABLE, |a| a.read(&mut buf)).unwrap_err().kind(), ErrorKind::WouldBlock);
        b.write_all(b"hello").unwrap();
        a.readable().await.unwrap().retain_ready();
        assert_eq!(a.async_io_mut(Interest::READABLE, |a| a.read(&mut buf)).await.unwrap(), 5);
    });
}

#[test]
fn a_socket_made_elsewhere_connects() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        let socket = TcpSocket::from_std_stream(socket.into()).unwrap();
        let stream: TcpStream = socket.connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut peer, _) = listener.accept().await.unwrap();
        (&stream).write_all(b"x").await.unwrap();
        assert_eq!(peer.read(&mut [0; 4]).await.unwrap(), 1);
    });
}
