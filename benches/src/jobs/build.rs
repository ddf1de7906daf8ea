//! A clean release build of hello world with default features: how long it takes, and how many packages it builds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::Contestant;
use crate::sample::Sample;

/// Builds hello world on the contestant's runtime in a folder of its own.
pub(crate) fn hello_world(contestant: Contestant) -> Option<Sample> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let (dependency, main) = match contestant {
        Contestant::Wheelhouse => (
            format!("wheelhouse = {{ path = {:?} }}", workspace.join("runtime")),
            "#[wheelhouse::main]\nasync fn main() {\n    println!(\"hello\");\n}\n",
        ),
        Contestant::Tokio => (
            "tokio = { version = \"1\", features = [\"macros\", \"rt-multi-thread\", \"net\", \"time\", \"signal\"] }"
                .to_owned(),
            "#[tokio::main]\nasync fn main() {\n    println!(\"hello\");\n}\n",
        ),
        Contestant::Smol => {
            ("smol = \"2\"".to_owned(), "fn main() {\n    smol::block_on(async { println!(\"hello\") });\n}\n")
        }
        _ => return None,
    };
    let folder = std::env::temp_dir().join(format!("benches-hello-{}-{contestant}", std::process::id()));
    let built = build(&folder, &dependency, main);
    let _ = fs::remove_dir_all(&folder);
    Some(built.unwrap_or_else(|error| panic!("hello world on {contestant}: {error}")))
}

fn build(folder: &PathBuf, dependency: &str, main: &str) -> io::Result<Sample> {
    fs::create_dir_all(folder.join("src"))?;
    let head = "[package]\nname = \"hello\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
    fs::write(folder.join("Cargo.toml"), format!("{head}\n[dependencies]\n{dependency}\n\n[workspace]\n"))?;
    fs::write(folder.join("src/main.rs"), main)?;
    let cargo = |args: &[&str]| {
        let status = Command::new("cargo").args(args).current_dir(folder).stdout(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("cargo {} failed", args.join(" ")))) }
    };
    // What comes from the registry is there before the clock starts.
    cargo(&["fetch", "--quiet"])?;
    let start = Instant::now();
    cargo(&["build", "--quiet", "--release"])?;
    let took = start.elapsed();
    let lock = fs::read_to_string(folder.join("Cargo.lock"))?;
    let locked = lock.matches("[[package]]").count();
    let fingerprints = fs::read_dir(folder.join("target/release/.fingerprint"))?.count();
    Ok(Sample::of("seconds", took.as_secs_f64()).with("locked", locked as f64).with("units", fingerprints as f64))
}
