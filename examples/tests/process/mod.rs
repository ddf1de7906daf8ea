//! Starts the built example as a process, and talks to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A service at work; killed when dropped.
pub(crate) struct Running {
    child: Child,
    /// Where it listens.
    pub(crate) addr: SocketAddr,
    rest: Option<JoinHandle<String>>,
}

impl Running {
    /// Starts it on a free port and waits for its address.
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = Command::new(example("service"));
        command.args(["--port", "0"]).args(args).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the example starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        let _ = out.read_line(&mut line).expect("the first line");
        let addr = line.split("http://").nth(1).and_then(|rest| rest.split([',', ' ', '\n']).next());
        let addr = addr.and_then(|addr| addr.parse().ok()).unwrap_or_else(|| panic!("no address in {line:?}"));
        // Read on, so that the service never waits for a full pipe.
        let rest = thread::spawn(move || {
            let mut text = String::new();
            let _ = out.read_to_string(&mut text);
            text
        });
        Self { child, addr, rest: Some(rest) }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for its end; what it printed after the first line comes with the status.
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + Duration::from_secs(20);
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                break status;
            }
            assert!(Instant::now() < deadline, "the service does not end");
            thread::sleep(Duration::from_millis(2));
        };
        (status, self.rest.take().map_or_else(String::new, |rest| rest.join().expect("a reading thread")))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the example until it ends by itself: status, standard output, standard error.
pub(crate) fn run_to_end(args: &[&str]) -> (ExitStatus, String, String) {
    let output = Command::new(example("service")).args(args).stdin(Stdio::null()).output();
    let output = output.expect("the example starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status, text(output.stdout), text(output.stderr))
}

/// The path of a built example: beside this test's own program.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this program's path");
    let profile = test.ancestors().nth(2).expect("a test lies in PROFILE/deps");
    let path = profile.join("examples").join(name);
    assert!(path.exists(), "{} is not built: run the tests of the whole package", path.display());
    path
}

/// One request on a connection of its own: status and body.
pub(crate) fn get(addr: SocketAddr, path: &str) -> (u16, String) {
    Client::connect(addr).get(path)
}

/// A connection that is kept open.
pub(crate) struct Client(BufReader<TcpStream>);

impl Client {
    /// Connects.
    pub(crate) fn connect(addr: SocketAddr) -> Self {
        let stream = TcpStream::connect(addr).expect("the service accepts");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket option");
        Self(BufReader::new(stream))
    }

    /// One request: status and body.
    pub(crate) fn get(&mut self, path: &str) -> (u16, String) {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        self.0.get_mut().write_all(request.as_bytes()).expect("a socket takes bytes");
        let status_line = self.line();
        let status = status_line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status in {status_line:?}"));
        let mut length = 0;
        loop {
            let header = self.line();
            if header.is_empty() {
                break;
            }
            if let Some((name, value)) = header.split_once(':') {
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse().expect("a number of bytes");
                }
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("the whole body");
        (status, String::from_utf8(body).expect("text"))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let _ = self.0.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Waits until the service closes the connection.
    pub(crate) fn assert_closed(&mut self) {
        let n = self.0.read(&mut [0; 1]).expect("an end, not a time-out");
        assert_eq!(n, 0, "bytes that nobody asked for");
    }
}
