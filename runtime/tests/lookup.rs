//! Names of hosts are looked up on the blocking pool.

use wheelhouse::net::{TcpListener, TcpStream, lookup_host};
use wheelhouse::runtime::Builder;

#[test]
fn a_name_is_looked_up_on_the_blocking_pool() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let metrics = runtime.handle().metrics();
    runtime.block_on(async {
        let addrs: Vec<_> = lookup_host("localhost:80").await.unwrap().collect();
        assert!(addrs.iter().all(|addr| addr.ip().is_loopback() && addr.port() == 80), "{addrs:?}");
        assert!(!addrs.is_empty());
    });
    assert_eq!(metrics.num_blocking_threads(), 1);
}

#[test]
fn an_address_needs_no_look_up() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let metrics = runtime.handle().metrics();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    });
    assert_eq!(metrics.num_blocking_threads(), 0);
}
