//! tokio's traits on our streams, without tokio's runtime.
#![cfg(feature = "tokio-io")]

mod support;

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wheelhouse_io::net::unix::pipe;
use wheelhouse_io::net::{TcpListener, TcpStream, UnixStream};

#[test]
fn streams_halves_and_pipes_speak_tokio() {
    support::run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut client = TcpStream::connect(listener.local_addr()?).await?;
        let (server, _) = listener.accept().await?;
        assert!(tokio::io::AsyncWrite::is_write_vectored(&client));
        let (mut read, mut write) = server.into_split();
        client.write_all(b"question").await?;
        client.shutdown().await?;
        let mut text = Vec::with_capacity(100);
        read.read_to_end(&mut text).await?;
        assert_eq!(text, b"question");
        write.write_all(b"answer").await?;
        write.shutdown().await?;
        let mut text = Vec::new();
        client.read_to_end(&mut text).await?;
        assert_eq!(text, b"answer");

        let (mut a, mut b) = UnixStream::pair()?;
        let (mut sender, mut receiver) = pipe::pipe()?;
        a.write_all(b"unix").await?;
        sender.write_all(b"pipe").await?;
        let mut buf = [0; 4];
        b.read_exact(&mut buf).await?;
        assert_eq!(&buf, b"unix");
        receiver.read_exact(&mut buf).await?;
        assert_eq!(&buf, b"pipe");
        io::Result::Ok(())
    })
    .unwrap();
}
