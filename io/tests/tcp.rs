//! TCP listeners and streams on a reactor.

mod support;

use std::io;
use std::net::Shutdown;
use std::time::Duration;

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse_io::net::{TcpListener, TcpStream};

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    let (server, _) = listener.accept().await?;
    Ok((client, server))
}

#[test]
fn bytes_arrive_in_order_and_the_end_is_seen() {
    support::run(async {
        let (mut client, mut server) = pair().await?;
        let sent: Vec<u8> = (0..2_000_000u32).map(|n| n as u8).collect();
        let copy = sent.clone();
        let writer = async move {
            client.write_all(&copy).await?;
            client.close().await?;
            let mut rest = Vec::new();
            client.read_to_end(&mut rest).await?;
            io::Result::Ok(rest)
        };
        let reader = async move {
            let mut got = Vec::new();
            server.read_to_end(&mut got).await?;
            server.write_all(b"done").await?;
            io::Result::Ok(got)
        };
        let (rest, got) = futures::future::try_join(writer, reader).await?;
        assert!(got == sent);
        assert_eq!(rest, b"done");
        Ok(())
    })
    .unwrap();
}

#[test]
fn small_messages_go_back_and_forth() {
    support::run(async {
        let (mut client, mut server) = pair().await?;
        let echo = async {
            let mut buf = [0; 64];
            for _ in 0..1000 {
                server.read_exact(&mut buf).await?;
                server.write_all(&buf).await?;
            }
            io::Result::Ok(())
        };
        let drive = async {
            for n in 0..1000u32 {
                let mut message = [0; 64];
                message[..4].copy_from_slice(&n.to_le_bytes());
                client.write_all(&message).await?;
                let mut back = [0; 64];
                client.read_exact(&mut back).await?;
                assert_eq!(message, back);
            }
            io::Result::Ok(())
        };
        futures::future::try_join(echo, drive).await?;
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_refused_connection_is_an_error() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = support::run(async { TcpStream::connect(free).await }).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
}

#[test]
fn connect_tries_each_address() {
    support::run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let stream = TcpStream::connect(&[free, listener.local_addr()?][..]).await?;
        assert_eq!(stream.peer_addr()?, listener.local_addr()?);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_half_closed_stream_still_carries_the_other_direction() {
    support::run(async {
        let (mut client, mut server) = pair().await?;
        client.shutdown_with(Shutdown::Write)?;
        assert_eq!(server.read(&mut [0; 8]).await?, 0);
        assert_eq!(server.read(&mut [0; 8]).await?, 0);
        server.write_all(b"still here").await?;
        drop(server);
        let mut text = String::new();
        client.read_to_string(&mut text).await?;
        assert_eq!(text, "still here");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_reset_by_the_peer_reaches_a_reader_that_waits() {
    support::run(async {
        let (client, mut server) = pair().await?;
        client.set_linger(Some(Duration::ZERO))?;
        let reader = async { server.read(&mut [0; 8]).await };
        let closer = async {
            // After the reader began to wait.
            futures::pending!();
            drop(client);
        };
        let wake_closer = std::future::poll_fn({
            let mut polled = false;
            move |cx| {
                if std::mem::replace(&mut polled, true) {
                    return std::task::Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                std::task::Poll::Pending
            }
        });
        let (read, (), ()) = futures::join!(reader, closer, wake_closer);
        assert_eq!(read.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        Ok(())
    })
    .unwrap();
}

#[test]
fn zero_length_reads_and_writes_are_ready_at_once() {
    support::run(async {
        let (mut client, mut server) = pair().await?;
        assert_eq!(server.read(&mut []).await?, 0);
        assert_eq!(client.write(&[]).await?, 0);
        client.write_all(b"x").await?;
        assert_eq!(server.read(&mut []).await?, 0);
        let mut buf = [0; 1];
        server.read_exact(&mut buf).await?;
        assert_eq!(&buf, b"x");
        Ok(())
    })
    .unwrap();
}
