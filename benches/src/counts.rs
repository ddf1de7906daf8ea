//! Instructions an operation, counted by valgrind: what tells of a regression where times are too noisy to.
//!
//! Each case runs on one thread, twice, with different numbers of operations; the difference is what the operations
//! took, without start and end. `benches/counts.txt` holds the counts that were last accepted.
//!
//! What could differ from machine to machine is held still: valgrind shows the program a processor of its own, the
//! C library is told to choose its copying without regard to that, and no case depends on how fast it runs. A new compiler
//! does move the counts.

use std::future::{Future, poll_fn};
use std::path::Path;
use std::pin::{Pin, pin};
use std::process::Command;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::task::noop_waker_ref;
use wheelhouse::runtime::Builder;
use wheelhouse::time::{Instant, Sleep, sleep, sleep_until};

/// How far a count may be from the accepted one.
const TOLERANCE: f64 = 0.05;

/// Which of its routines for copying the C library chooses depends on the processor: with all of this off it has one left.
/// The names are those of glibc since 2.33 and before it; it passes over what it does not know.
const TUNABLES: &str = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX2_Usable,-AVX,-AVX_Usable,-AVX_Fast_Unaligned_Load,\
                        -ERMS,-FSRM,-Fast_Unaligned_Copy,-Fast_Copy_Backward,-SSSE3,-SSE4_1,-SSE4_2";

/// A case: runs so many operations.
type Case = fn(usize);

const CASES: [(&str, Case); 6] = [
    ("arm-cancel-1e3", |ops| arm_cancel(1_000, ops)),
    ("arm-cancel-1e5", |ops| arm_cancel(100_000, ops)),
    ("arm-cancel-1e6", |ops| arm_cancel(1_000_000, ops)),
    ("reset-later", reset_later),
    ("spawn-join", spawn_join),
    ("arm-turn", turn),
];

/// The options of `benches counts`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Accept what is counted.
    #[arg(long)]
    write: bool,
    /// Where the accepted counts are.
    #[arg(long, default_value = "benches/counts.txt")]
    file: std::path::PathBuf,
}

/// Counts every case and compares.
pub(crate) fn run(args: &Args) -> Result<(), String> {
    let compiler = compiler();
    let mut page =
        format!("# Instructions an operation in a release build, by `benches counts --write`.\n# {compiler}\n");
    let accepted = if args.write { String::new() } else { read(&args.file)? };
    if !args.write && !compiler.is_empty() && !accepted.lines().any(|line| line.strip_prefix("# ") == Some(&compiler)) {
        println!(
            "accepted with another compiler than {compiler}: if that alone moves the counts, `--write` accepts them"
        );
    }
    let mut off = Vec::new();
    for (name, _) in CASES {
        let counted = count(name)?;
        page += &format!("{name} {counted:.1}\n");
        let line = accepted.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
        let change = line.map(|accepted| counted / accepted - 1.0);
        let told = change.map_or_else(String::new, |change| format!("{:+.1}%", change * 100.0));
        println!("{name:16} {counted:8.1} instructions {told}");
        if !args.write && change.is_none_or(|change| change > TOLERANCE) {
            off.push(name);
        }
        if change.is_some_and(|change| change < -TOLERANCE) {
            println!("{:16} fewer than accepted: `benches counts --write` keeps it so", "");
        }
    }
    if args.write {
        return std::fs::write(&args.file, page).map_err(|error| format!("{}: {error}", args.file.display()));
    }
    if off.is_empty() { Ok(()) } else { Err(format!("more instructions than accepted: {}", off.join(", "))) }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The compiler that is installed, which is taken for the one that built this.
fn compiler() -> String {
    let version = Command::new("rustc").arg("--version").output().map(|output| output.stdout);
    String::from_utf8_lossy(&version.unwrap_or_default()).trim().to_owned()
}

/// Instructions an operation of a case.
fn count(name: &str) -> Result<f64, String> {
    let (few, many) = (2_000, 12_000);
    Ok((collected(name, many)? - collected(name, few)?) / f64::from(many - few))
}

/// All instructions of one run under valgrind.
fn collected(name: &str, ops: u32) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .env("GLIBC_TUNABLES", TUNABLES)
        .arg(program)
        .args(["counted", name, &ops.to_string()])
        .output()
        .map_err(|error| format!("valgrind cannot be run: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    let count = line.and_then(|(_, count)| count.trim().parse().ok());
    count.ok_or_else(|| format!("valgrind counted nothing: {}", text.lines().last().unwrap_or_default()))
}

/// Runs one case in this process.
pub(crate) fn counted(name: &str, ops: usize) -> Result<(), String> {
    let case = CASES.iter().find(|(known, _)| *known == name).ok_or_else(|| format!("no case is called {name}"))?;
    case.1(ops);
    Ok(())
}

fn on_one_thread<F: Future>(future: F) -> F::Output {
    let runtime = Builder::new_current_thread().build();
    runtime.expect("wheelhouse starts").block_on(future)
}

/// Sleeps of one to two hours, each polled once.
fn arm(n: usize) -> Vec<Pin<Box<Sleep>>> {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut cx = Context::from_waker(noop_waker_ref());
    let mut sleeps: Vec<_> =
        (0..n).map(|_| Box::pin(sleep(Duration::from_micros(rng.u64(3_600_000_000..7_200_000_000))))).collect();
    for sleep in &mut sleeps {
        assert!(sleep.as_mut().poll(&mut cx).is_pending());
    }
    sleeps
}

fn arm_cancel(armed: usize, ops: usize) {
    on_one_thread(async move {
        let armed = arm(armed);
        let mut rng = fastrand::Rng::with_seed(11);
        let mut cx = Context::from_waker(noop_waker_ref());
        for _ in 0..ops {
            let sleep = pin!(sleep(Duration::from_micros(rng.u64(5_000_000..55_000_000))));
            assert!(sleep.poll(&mut cx).is_pending());
        }
        drop(armed);
    });
}

fn reset_later(ops: usize) {
    on_one_thread(async move {
        let base = Instant::now() + Duration::from_secs(3_600);
        let mut sleep = pin!(sleep_until(base));
        poll_fn(|cx| {
            assert!(sleep.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        for i in 0..ops {
            sleep.as_mut().reset(base + Duration::from_micros(i as u64));
        }
    });
}

fn spawn_join(ops: usize) {
    on_one_thread(async move {
        for i in 0..ops {
            let joined = wheelhouse::spawn(async move { i }).await;
            assert_eq!(joined.expect("it does not panic"), i);
        }
    });
}

/// Timers that are due at sixteen instants fire. The clock stands still but for its jumps: by a real one a slower machine
/// would take more turns.
fn turn(ops: usize) {
    let runtime = Builder::new_current_thread().start_paused(true).build().expect("wheelhouse starts");
    runtime.block_on(async move {
        let due = Instant::now() + Duration::from_secs(3);
        let mut rng = fastrand::Rng::with_seed(5);
        let mut cx = Context::from_waker(noop_waker_ref());
        let sleep_at = |us| Box::pin(sleep_until(due + Duration::from_micros(us)));
        let mut armed: Vec<_> = (0..ops).map(|_| sleep_at(rng.u64(0..16) * 60)).collect();
        for sleep in &mut armed {
            assert!(sleep.as_mut().poll(&mut cx).is_pending());
        }
        sleep_until(due + Duration::from_millis(1)).await;
        assert!(armed.iter().all(|sleep| sleep.is_elapsed()));
    });
}
