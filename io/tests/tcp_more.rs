//! Halves, readiness and the finer points of TCP streams.

mod support;

use std::io::{self, IoSlice, Write};
use std::net::Shutdown;
use std::time::Duration;

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse_io::io::{Interest, Ready};
use wheelhouse_io::net::{TcpListener, TcpSocket, TcpStream};

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    let (server, _) = listener.accept().await?;
    Ok((client, server))
}

#[test]
fn dropping_the_owned_writing_half_ends_the_stream() {
    support::run(async {
        let (client, mut server) = pair().await?;
        let (mut read, mut write) = client.into_split();
        write.write_all(b"bye").await?;
        drop(write);
        let mut text = String::new();
        server.read_to_string(&mut text).await?;
        assert_eq!(text, "bye");
        server.write_all(b"and you").await?;
        drop(server);
        text.clear();
        read.read_to_string(&mut text).await?;
        assert_eq!(text, "and you");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_forgotten_writing_half_does_not_end_the_stream() {
    support::run(async {
        let (client, server) = pair().await?;
        let (_read, write) = client.into_split();
        write.forget();
        support::yield_now().await;
        assert_eq!(server.try_read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        Ok(())
    })
    .unwrap();
}

#[test]
fn halves_reunite_with_their_own_only() {
    support::run(async {
        let (client, mut server) = pair().await?;
        let (other, _other_server) = pair().await?;
        let (read, write) = client.into_split();
        let (other_read, other_write) = other.into_split();
        let error = read.reunite(other_write).unwrap_err();
        assert_eq!(error.to_string(), "the halves are not of the same stream");
        let (read, other_write) = (error.0, error.1);
        let mut client = write.reunite(read).unwrap();
        drop(other_read.reunite(other_write).unwrap());
        client.write_all(b"whole").await?;
        server.read_exact(&mut [0; 5]).await?;
        Ok(())
    })
    .unwrap();
}

#[test]
fn borrowed_halves_work_at_the_same_time() {
    support::run(async {
        let (client, server) = pair().await?;
        let echo = async {
            let (mut read, mut write) = server.split();
            futures::io::copy(&mut read, &mut write).await?;
            write.close().await
        };
        let drive = async {
            let (mut read, mut write) = client.split();
            let send = async {
                for _ in 0..100 {
                    write.write_all(&[5; 10_000]).await?;
                }
                write.close().await
            };
            let receive = async {
                let mut got = Vec::new();
                read.read_to_end(&mut got).await?;
                io::Result::Ok(got.len())
            };
            futures::future::try_join(send, receive).await
        };
        let (_, ((), got)) = futures::future::try_join(echo, drive).await?;
        assert_eq!(got, 1_000_000);
        Ok(())
    })
    .unwrap();
}

#[test]
fn peeked_bytes_are_read_again() {
    support::run(async {
        let (mut client, mut server) = pair().await?;
        client.write_all(b"peek").await?;
        let mut buf = [0; 8];
        assert_eq!(server.peek(&mut buf).await?, 4);
        assert_eq!(server.peek(&mut buf).await?, 4);
        assert_eq!(server.read(&mut buf).await?, 4);
        assert_eq!(&buf[..4], b"peek");
        Ok(())
    })
    .unwrap();
}

#[test]
fn only_would_block_takes_readiness_back() {
    support::run(async {
        let (mut client, server) = pair().await?;
        client.write_all(b"x").await?;
        server.readable().await?;
        let other = server.try_io(Interest::READABLE, || Err::<(), _>(io::ErrorKind::Other.into()));
        assert_eq!(other.unwrap_err().kind(), io::ErrorKind::Other);
        assert!(server.try_io(Interest::READABLE, || Ok(())).is_ok());
        let blocked = server.try_io(Interest::READABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
        assert_eq!(blocked.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        let mut called = false;
        let again = server.try_io(Interest::READABLE, || {
            called = true;
            Ok(())
        });
        assert_eq!((again.unwrap_err().kind(), called), (io::ErrorKind::WouldBlock, false));
        Ok(())
    })
    .unwrap();
}

#[test]
fn ready_says_which_of_the_interests() {
    support::run(async {
        let (client, server) = pair().await?;
        assert!(server.try_read(&mut [0; 1]).is_err());
        let ready = server.ready(Interest::READABLE | Interest::WRITABLE).await?;
        assert!(ready.is_writable() && !ready.is_readable(), "{ready:?}");
        client.shutdown_with(Shutdown::Write)?;
        let ready = server.ready(Interest::READABLE).await?;
        assert!(ready.is_read_closed(), "{ready:?}");
        assert!((ready & Ready::WRITABLE).is_empty(), "not asked for: {ready:?}");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_stream_goes_to_std_and_comes_back() {
    support::run(async {
        let (mut client, mut server) = pair().await?;
        for _ in 0..4 {
            // As often as it takes the stream to change how it receives.
            client.write_all(b"ab").await?;
            server.read_exact(&mut [0; 2]).await?;
        }
        let std = server.into_std()?;
        std.set_nonblocking(false)?;
        (&std).write_all(b"std")?;
        let mut server = TcpStream::from_std(std)?;
        server.write_all(b"+").await?;
        let mut buf = [0; 4];
        client.read_exact(&mut buf).await?;
        assert_eq!(&buf, b"std+");
        Ok(())
    })
    .unwrap();
}

#[test]
fn vectored_writes_arrive_whole() {
    support::run(async {
        let (mut client, mut server) = pair().await?;
        let parts: Vec<Vec<u8>> = (0..2000u32).map(|n| vec![n as u8; 7]).collect();
        let whole = parts.concat();
        let send = async {
            let mut sent = 0;
            while sent < whole.len() {
                let slices: Vec<IoSlice> = whole[sent..].chunks(7).map(IoSlice::new).collect();
                sent += client.write_vectored(&slices).await?;
            }
            client.close().await
        };
        let receive = async {
            let mut got = Vec::new();
            server.read_to_end(&mut got).await?;
            io::Result::Ok(got)
        };
        let ((), got) = futures::future::try_join(send, receive).await?;
        assert!(got == whole);
        Ok(())
    })
    .unwrap();
}

#[test]
fn vectored_writes_of_any_size_keep_their_order() {
    support::run(async {
        let (mut client, mut server) = pair().await?;
        // Small ones are gathered, larger ones are not.
        for size in [1, 2, 3, 1023, 1024, 1025, 4000] {
            let whole: Vec<u8> = (0..size).map(|n| n as u8).collect();
            let (head, tail) = whole.split_at(size / 3);
            let slices = [head, &[], tail].map(IoSlice::new);
            assert_eq!(client.write_vectored(&slices).await?, size);
            assert_eq!(client.write_vectored(&slices[2..]).await?, tail.len());
            let mut got = vec![0; size + tail.len()];
            server.read_exact(&mut got).await?;
            assert!(got[..size] == whole && got[size..] == *tail);
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_close_behind_the_last_byte_is_seen() {
    support::run(async {
        for _ in 0..200 {
            let (mut client, mut server) = pair().await?;
            let mut buf = [0; 4];
            for _ in 0..3 {
                client.write_all(b"data").await?;
                server.read_exact(&mut buf).await?;
            }
            // The end comes while the reader believes that nothing is left.
            client.write_all(b"last").await?;
            drop(client);
            server.read_exact(&mut buf).await?;
            assert_eq!(server.read(&mut buf).await?, 0);
        }
        Ok(())
    })
    .unwrap();
}

#[cfg(target_os = "linux")]
mod urgent {
    use std::io::{self, Write};
    use std::os::fd::AsRawFd;

    use futures::{AsyncReadExt, AsyncWriteExt};
    use wheelhouse_io::io::Interest;
    use wheelhouse_io::net::TcpStream;

    use super::{pair, support};

    fn send_urgent(stream: &impl AsRawFd) {
        // SAFETY: the buffer is live and one byte long.
        let sent = unsafe { libc::send(stream.as_raw_fd(), b"!".as_ptr().cast(), 1, libc::MSG_OOB) };
        assert_eq!(sent, 1);
    }

    fn receive_urgent(stream: &impl AsRawFd) -> io::Result<u8> {
        let mut byte = 0;
        // SAFETY: the buffer is live and one byte long.
        let received = unsafe { libc::recv(stream.as_raw_fd(), (&raw mut byte).cast(), 1, libc::MSG_OOB) };
        // Linux says EINVAL where there is no urgent byte (any more).
        if received == 1 { Ok(byte) } else { Err(io::ErrorKind::WouldBlock.into()) }
    }

    /// A read ends at the mark, short, with bytes behind it.
    async fn read_both_sides(server: &mut TcpStream) -> io::Result<()> {
        let mut got = Vec::new();
        let mut buf = [0; 64];
        while got.len() < 12 {
            let n = server.read(&mut buf).await?;
            got.extend_from_slice(&buf[..n]);
        }
        assert_eq!(got, b"beforebehind");
        Ok(())
    }

    async fn pair_with_a_mark() -> io::Result<(TcpStream, TcpStream)> {
        let (mut client, server) = pair().await?;
        // So that the event of all three writes is taken before the first read, and no other follows.
        assert!(server.try_read(&mut [0; 1]).is_err());
        client.write_all(b"before").await?;
        send_urgent(&client);
        client.write_all(b"behind").await?;
        Ok((client, server))
    }

    #[test]
    fn bytes_behind_the_mark_are_read() {
        support::run(async {
            let (_client, mut server) = pair_with_a_mark().await?;
            read_both_sides(&mut server).await
        })
        .unwrap();
    }

    #[test]
    fn bytes_behind_the_mark_are_read_after_the_urgent_byte() {
        support::run(async {
            let (_client, mut server) = pair_with_a_mark().await?;
            server.ready(Interest::PRIORITY).await?;
            assert_eq!(server.try_io(Interest::PRIORITY, || receive_urgent(&server))?, b'!');
            // No priority data is left, and the readiness for it goes.
            assert!(server.try_io(Interest::PRIORITY, || receive_urgent(&server)).is_err());
            read_both_sides(&mut server).await
        })
        .unwrap();
    }

    #[test]
    fn bytes_behind_a_mark_that_std_has_seen_are_read() {
        support::run(async {
            let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
            let mut client = std::net::TcpStream::connect(listener.local_addr()?)?;
            let (server, _) = listener.accept()?;
            client.write_all(b"before")?;
            send_urgent(&client);
            client.write_all(b"behind")?;
            assert_eq!(receive_urgent(&server)?, b'!');
            let mut server = TcpStream::from_std(server)?;
            // The event that comes with the registration is taken before the first read.
            support::yield_now().await;
            support::yield_now().await;
            read_both_sides(&mut server).await
        })
        .unwrap();
    }
}

#[test]
#[cfg(unix)]
fn socket_options_are_kept() {
    support::run(async {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.set_keepalive(true)?;
        socket.set_recv_buffer_size(65536)?;
        assert!(socket.reuseaddr()? && socket.keepalive()? && socket.recv_buffer_size()? >= 65536);
        socket.set_reuseport(true)?;
        socket.bind("127.0.0.1:0".parse().unwrap())?;
        let listener = socket.listen(16)?;
        let twin = TcpSocket::new_v4()?;
        twin.set_reuseport(true)?;
        twin.bind(listener.local_addr()?)?;
        assert!(twin.reuseport()?);
        let client = TcpSocket::new_v4()?.connect(listener.local_addr()?).await?;
        client.set_nodelay(true)?;
        client.set_ttl(42)?;
        client.set_linger(Some(Duration::from_secs(3)))?;
        assert!(client.nodelay()?);
        assert_eq!((client.ttl()?, client.linger()?), (42, Some(Duration::from_secs(3))));
        assert!(client.take_error()?.is_none());
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_dropped_accept_loses_no_connection() {
    support::run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let addr = listener.local_addr()?;
        {
            let mut accept = std::pin::pin!(listener.accept());
            assert!(futures::poll!(accept.as_mut()).is_pending());
        }
        let client = TcpStream::connect(addr).await?;
        let (server, _) = listener.accept().await?;
        assert_eq!(server.peer_addr()?, client.local_addr()?);
        Ok(())
    })
    .unwrap();
}
