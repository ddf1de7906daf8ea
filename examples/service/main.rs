//! An HTTP/1.1 service on wheelhouse's own sockets and timers.
//!
//! `cargo run --release --example service` serves until it is stopped; `-- --load 10s` also drives the service from
//! inside the same process and prints what it bore.

mod args;
mod connection;
mod load;
mod metrics;
mod routes;
mod server;

use std::process::ExitCode;

use wheelhouse::runtime::Builder;

use crate::args::Args;

fn main() -> ExitCode {
    let args = match Args::read() {
        Ok(args) => args,
        Err(code) => return code,
    };
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::INFO).init();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("service: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    let mut builder = Builder::new_multi_thread();
    if let Some(workers) = args.workers {
        builder = builder.worker_threads(usize::from(workers));
    }
    let runtime = builder.build().map_err(|error| format!("the runtime cannot start: {error}"))?;
    runtime.block_on(server::run(args))
}
