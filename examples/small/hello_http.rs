//! The least HTTP server: `cargo run --release --example hello_http`, then `curl http://127.0.0.1:8081/`. Ctrl-C ends it.
//! Another address to listen on may be given; with port 0 it takes a free one.

use std::convert::Infallible;

use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use wheelhouse::compat::hyper::serve;
use wheelhouse::net::TcpListener;

#[wheelhouse::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8081".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("curl http://{}/", listener.local_addr()?);
    let hello = service_fn(|_: Request<Incoming>| async { Ok::<_, Infallible>(Response::new("hello\n".to_owned())) });
    serve(listener, hello).graceful_shutdown(wheelhouse::signal::ctrl_c()).await
}
