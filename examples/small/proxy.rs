//! A TCP proxy: `cargo run --release --example proxy -- 127.0.0.1:9000 127.0.0.1:8080` passes on what comes to the first
//! address to the second, byte for byte, either direction ending by itself (half-close). Prints a line a connection.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use futures::io::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::net::{TcpListener, TcpStream};
use wheelhouse::time::{Instant, timeout};

/// Passes TCP connections on.
#[derive(Debug, Parser)]
#[command(name = "proxy")]
struct Args {
    /// Where to listen.
    listen: SocketAddr,
    /// Where to connect to.
    target: SocketAddr,
    /// Seconds until a connection attempt to the target is given up.
    #[arg(long, default_value_t = 5)]
    connect_timeout: u64,
}

#[wheelhouse::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    match serve(&args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("proxy: cannot listen on {}: {error}", args.listen);
            ExitCode::FAILURE
        }
    }
}

async fn serve(args: &Args) -> io::Result<()> {
    let listener = TcpListener::bind(args.listen).await?;
    println!("{} -> {}", listener.local_addr()?, args.target);
    let (target, limit) = (args.target, Duration::from_secs(args.connect_timeout));
    loop {
        let (client, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                eprintln!("proxy: accept: {error}");
                continue;
            }
        };
        wheelhouse::spawn(async move {
            let start = Instant::now();
            match pass_on(client, target, limit).await {
                Ok((up, down)) => println!("{peer}: {up} bytes up, {down} down, {:?}", start.elapsed()),
                Err(error) => println!("{peer}: {error}"),
            }
        });
    }
}

async fn pass_on(client: TcpStream, target: SocketAddr, limit: Duration) -> io::Result<(u64, u64)> {
    let server = timeout(limit, TcpStream::connect(target)).await.map_err(|_| io::ErrorKind::TimedOut)??;
    // Both directions at once, on shared references: neither waits for the other's end.
    futures::future::try_join(copy(&client, &server), copy(&server, &client)).await
}

/// Copies until `from` ends, then closes `to`'s sending side.
async fn copy(mut from: &TcpStream, mut to: &TcpStream) -> io::Result<u64> {
    let mut buf = vec![0; 16 * 1024];
    let mut total = 0;
    loop {
        match from.read(&mut buf).await? {
            0 => break,
            n => {
                to.write_all(&buf[..n]).await?;
                total += n as u64;
            }
        }
    }
    to.close().await?;
    Ok(total)
}
