//! The service as a user meets it: a process, a port, signals.

mod process;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use process::{Client, Running, get, run_to_end};

#[test]
fn each_route_gives_its_answer() {
    let service = Running::start(&[]);
    assert_eq!(get(service.addr, "/"), (200, "Hello from wheelhouse\n".to_owned()));
    assert_eq!(get(service.addr, "/sleep/5"), (200, "slept 5 ms\n".to_owned()));
    assert_eq!(get(service.addr, "/sleep/soon").0, 400);
    assert_eq!(get(service.addr, "/sleep/60001").0, 400);
    assert_eq!(get(service.addr, "/nowhere").0, 404);
    assert_eq!(get(service.addr, "/metrics").0, 200);
}

#[test]
fn a_slow_answer_is_cut_off() {
    let service = Running::start(&[]);
    let start = Instant::now();
    assert_eq!(get(service.addr, "/slow").0, 504);
    let took = start.elapsed();
    assert!(took >= Duration::from_secs(2), "cut off early, after {took:?}");
    assert!(took < Duration::from_secs(6), "cut off only after {took:?}");
}

#[test]
fn every_counter_grows_under_load() {
    let service = Running::start(&["--workers", "2"]);
    let addr = service.addr;
    let load = move || {
        let clients: Vec<_> = (0..32)
            .map(|_| {
                thread::spawn(move || {
                    let mut client = Client::connect(addr);
                    for _ in 0..20 {
                        assert_eq!(client.get("/").0, 200);
                        assert_eq!(client.get("/sleep/1").0, 200);
                    }
                })
            })
            .collect();
        for client in clients {
            client.join().expect("a client got its answers");
        }
    };
    load();
    let before = get(addr, "/metrics").1;
    // Stealing is a matter of chance: more load until it has happened.
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        load();
        let after = get(addr, "/metrics").1;
        let stuck: Vec<_> = [
            "wheelhouse_timers_armed_total",
            "wheelhouse_timers_fired_total",
            "wheelhouse_timers_cancelled_total",
            "wheelhouse_timers_extended_total",
            "wheelhouse_worker_polls_total",
            "wheelhouse_worker_steals_total",
            "wheelhouse_worker_parks_total",
            "service_requests_total",
        ]
        .into_iter()
        .filter(|family| sum(&after, family) <= sum(&before, family))
        .collect();
        if stuck.is_empty() {
            break;
        }
        assert!(Instant::now() < deadline, "these have not grown: {stuck:?}\n{after}");
    }
}

/// The sum of a family's samples over all labels.
fn sum(page: &str, family: &str) -> f64 {
    let samples = page.lines().filter_map(|line| {
        let rest = line.strip_prefix(family)?;
        if !rest.starts_with([' ', '{']) {
            return None;
        }
        rest.rsplit(' ').next()?.parse::<f64>().ok()
    });
    samples.sum()
}

#[test]
fn an_idle_connection_is_closed_and_each_request_pushes_that_back() {
    let service = Running::start(&["--idle", "600ms"]);
    let mut client = Client::connect(service.addr);
    let mut last = Instant::now();
    for _ in 0..4 {
        // All of it takes longer than a connection may idle.
        thread::sleep(Duration::from_millis(250));
        last = Instant::now();
        assert_eq!(client.get("/").0, 200);
    }
    client.assert_closed();
    let idled = last.elapsed();
    assert!(idled >= Duration::from_millis(600), "closed after {idled:?}");
    assert!(idled < Duration::from_secs(5), "closed only after {idled:?}");
}

#[test]
fn sigterm_lets_requests_in_flight_end_and_refuses_new_ones() {
    let service = Running::start(&[]);
    let addr = service.addr;
    let clients: Vec<_> = (0..64).map(|_| thread::spawn(move || get(addr, "/sleep/300"))).collect();
    thread::sleep(Duration::from_millis(100));
    let signalled = Instant::now();
    service.signal("TERM");
    thread::sleep(Duration::from_millis(80));
    let refused = TcpStream::connect(addr);
    assert!(refused.is_err(), "a connection was accepted after SIGTERM");
    for client in clients {
        assert_eq!(client.join().expect("a client"), (200, "slept 300 ms\n".to_owned()));
    }
    let (status, _) = service.wait();
    assert!(status.success(), "{status}");
    let took = signalled.elapsed();
    assert!(took < Duration::from_secs(1), "the exit took {took:?}");
}

#[test]
fn ctrl_c_ends_an_idle_service_at_once() {
    let service = Running::start(&[]);
    let idle = Client::connect(service.addr);
    let mut kept = Client::connect(service.addr);
    assert_eq!(kept.get("/").0, 200);
    let signalled = Instant::now();
    service.signal("INT");
    let (status, _) = service.wait();
    assert!(status.success(), "{status}");
    let took = signalled.elapsed();
    assert!(took < Duration::from_secs(1), "the exit took {took:?}");
    drop((idle, kept));
}

#[test]
fn a_load_prints_what_the_service_bore() {
    let (status, out, err) = run_to_end(&["--port", "0", "--load", "700ms"]);
    assert!(status.success(), "{status}\n{out}\n{err}");
    for wanted in
        ["requests/s", "latency of /: p50", "p99.9", "armed", "fired", "cancelled", "extended", "timer lateness"]
    {
        assert!(out.contains(wanted), "no {wanted:?} in\n{out}");
    }
    assert!(!out.contains('\x1b') && !err.contains("\x1b[1A"), "a progress bar although this is no terminal");
}

#[test]
fn a_taken_port_is_one_clear_line() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = taken.local_addr().expect("a bound address").port().to_string();
    let (status, _, err) = run_to_end(&["--port", &port]);
    assert!(!status.success());
    assert_one_line(&err);
    assert!(err.contains(&port) && err.contains("in use"), "{err}");
}

#[test]
fn a_mistake_on_the_command_line_is_one_clear_line() {
    for args in [
        &["--port", "x"][..],
        &["--port", "70000"],
        &["--port"],
        &["--workers", "0"],
        &["--workers", "many"],
        &["--load", "10"],
        &["--load", "0s"],
        &["--load", "-5s"],
        &["--frobnicate"],
        &["stray"],
    ] {
        let (status, out, err) = run_to_end(args);
        assert!(!status.success(), "{args:?}");
        assert!(out.is_empty(), "{args:?}: {out}");
        assert_one_line(&err);
    }
}

#[test]
fn help_names_every_flag() {
    let (status, out, _) = run_to_end(&["--help"]);
    assert!(status.success());
    for flag in ["--port", "--workers", "--load", "--idle", "--help"] {
        assert!(out.contains(flag), "no {flag} in\n{out}");
    }
}

fn assert_one_line(err: &str) {
    assert_eq!(err.trim_end().lines().count(), 1, "{err}");
    assert!(err.starts_with("service: ") && err.ends_with('\n'), "{err}");
    assert!(!err.contains("panicked") && !err.contains("backtrace"), "{err}");
}

#[test]
fn garbage_is_answered_or_closed_and_the_service_lives_on() {
    let service = Running::start(&[]);
    let mut stream = TcpStream::connect(service.addr).expect("the service accepts");
    stream.write_all(b"\x16\x03\x01 not http\r\n\r\n").expect("a socket takes bytes");
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a socket option");
    let _ = stream.read_to_end(&mut answer);
    assert_eq!(get(service.addr, "/").0, 200);
}
