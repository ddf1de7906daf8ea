//! A simulated machine, whose clock is slewed and whose threads are interrupted anywhere; and the real one.

use core::cell::{Cell, RefCell};

use proptest::prelude::*;

use super::*;

/// Hidden time goes on in picoseconds. The counter has a fixed rate, the clock's changes.
struct Simulated {
    picos: Cell<u128>,
    /// Counts per second.
    hertz: u64,
    /// The clock at `since`, and by how many millionths it runs fast.
    clock: Cell<u128>,
    since: Cell<u128>,
    ppm: Cell<i64>,
    /// What each step costs, in picoseconds: the scheduler's whims.
    delays: RefCell<Vec<u64>>,
    clock_reads: Cell<u64>,
    counter_reads: Cell<u64>,
}

impl Simulated {
    fn new(hertz: u64) -> Simulated {
        Simulated {
            picos: Cell::new(0),
            hertz,
            clock: Cell::new(5_000_000_000_000_000),
            since: Cell::new(0),
            ppm: Cell::new(0),
            delays: RefCell::new(Vec::new()),
            clock_reads: Cell::new(0),
            counter_reads: Cell::new(0),
        }
    }

    /// The clock now, in picoseconds.
    fn exact(&self) -> u128 {
        let passed = self.picos.get() - self.since.get();
        self.clock.get() + passed * (1_000_000 + self.ppm.get()) as u128 / 1_000_000
    }

    fn slew(&self, ppm: i64) {
        self.clock.set(self.exact());
        self.since.set(self.picos.get());
        self.ppm.set(ppm);
    }

    fn pass(&self, picos: u64) {
        self.picos.set(self.picos.get() + u128::from(picos));
    }

    fn step(&self) {
        self.pass(self.delays.borrow_mut().pop().unwrap_or(10_000));
    }

    fn measured(&self, rate: &Rate) {
        rate.begin(self, || true);
        self.pass(20_000_000_000);
        rate.measure(self);
    }
}

impl Source for Simulated {
    fn counter(&self) -> u64 {
        self.counter_reads.set(self.counter_reads.get() + 1);
        self.step();
        (self.picos.get() * u128::from(self.hertz) / 1_000_000_000_000) as u64
    }

    fn clock(&self) -> u64 {
        self.clock_reads.set(self.clock_reads.get() + 1);
        self.step();
        let read = (self.exact() / 1_000) as u64;
        self.step();
        read
    }

    fn unadjusted(&self) -> u64 {
        self.step();
        (self.picos.get() / 1_000) as u64
    }
}

fn rate_of(source: &Simulated) -> Rate {
    let rate = Rate::new();
    source.measured(&rate);
    assert!(![UNKNOWN, DISTRUSTED].contains(&rate.factor()));
    rate
}

/// One thing that happens between two readings.
#[derive(Debug, Clone)]
enum Between {
    Pass(u64),
    Slew(i64),
    /// The next steps take this long, in picoseconds.
    Interrupt(Vec<u64>),
}

fn between(ppm: i64) -> impl Strategy<Value = Between> {
    prop_oneof![
        4 => (0u64..6_000_000).prop_map(Between::Pass),
        2 => (0u64..100_000).prop_map(Between::Pass),
        1 => (0u64..50_000_000_000).prop_map(Between::Pass),
        1 => (-ppm..=ppm).prop_map(Between::Slew),
        1 => prop::collection::vec(prop_oneof![4 => 0u64..100_000, 1 => 0u64..20_000_000_000], 1..6)
            .prop_map(Between::Interrupt),
    ]
}

/// Reads again and again while those things happen; returns how many readings the counter served.
fn never_behind(hertz: u64, script: &[Between], ahead: u128) -> Result<u64, TestCaseError> {
    let source = Simulated::new(hertz);
    let rate = rate_of(&source);
    let bound = Bound::new();
    let mut served = 0;
    let mut last = 0;
    for thing in script {
        match thing {
            Between::Pass(picos) => source.pass(*picos),
            Between::Slew(ppm) => source.slew(*ppm),
            Between::Interrupt(delays) => *source.delays.borrow_mut() = delays.clone(),
        }
        for _ in 0..3 {
            let reads = source.clock_reads.get();
            // The caller's own reading comes before the call, and is the exact time of it at the latest.
            let called = source.exact();
            let read = bound.read(&source, &rate);
            let returned = source.exact();
            prop_assert!(u128::from(read) * 1_000 + 999 >= called, "{read} ns is behind {called} ps");
            prop_assert!(u128::from(read) * 1_000 <= returned + ahead, "{read} ns is far ahead of {returned} ps");
            prop_assert!(read >= last, "{read} comes after {last}");
            last = read;
            served += u64::from(source.clock_reads.get() == reads);
        }
    }
    prop_assert_ne!(rate.factor(), DISTRUSTED, "an honest counter was found out");
    Ok(served)
}

fn cases() -> ProptestConfig {
    let times = std::env::var("WHEELHOUSE_PROPTEST_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1u32);
    ProptestConfig { cases: 2_000 * times, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn bounds_are_never_behind_a_disciplined_clock_nor_a_microsecond_ahead(
        hertz in 1_000_000_000u64..5_000_000_000,
        script in prop::collection::vec(between(500), 1..60),
    ) {
        never_behind(hertz, &script, 1_000_000)?;
    }

    #[test]
    fn bounds_are_never_behind_a_clock_that_a_daemon_drives_hard(
        hertz in 1_000_000_000u64..5_000_000_000,
        script in prop::collection::vec(between(110_000), 1..60),
    ) {
        never_behind(hertz, &script, 2_000_000)?;
    }
}

#[test]
fn one_anchor_serves_many_readings() {
    let script = vec![Between::Pass(20_000); 1_000];
    let served = never_behind(2_450_000_000, &script, 1_000_000).unwrap();
    assert!(served > 2_800, "{served} of 3,000 readings spared the clock");
}

#[test]
fn rare_readings_rest_from_the_counter() {
    let source = Simulated::new(2_450_000_000);
    let rate = rate_of(&source);
    let bound = Bound::new();
    let before = source.counter_reads.get();
    for _ in 0..1_600 {
        source.pass(100_000_000);
        bound.read(&source, &rate);
    }
    assert_eq!(source.clock_reads.get(), 1_600);
    let looks = source.counter_reads.get() - before;
    assert!(looks < 700, "{looks} readings of the counter for 1,600 of the clock");
}

#[test]
fn counter_that_is_slower_than_measured_is_found_out_by_the_next_anchor() {
    let source = Simulated::new(2_000_000_000);
    let rate = rate_of(&source);
    let bound = Bound::new();
    bound.read(&source, &rate);
    source.pass(100_000);
    bound.read(&source, &rate);
    assert_ne!(rate.factor(), DISTRUSTED);
    // From here on the clock seems to run faster than the bound allows for.
    rate.factor.store(rate.factor() * 3 / 4, Ordering::Relaxed);
    for _ in 0..3 {
        source.pass(5_000_000);
        bound.read(&source, &rate);
    }
    assert_eq!(rate.factor(), DISTRUSTED);
    let reads = source.clock_reads.get();
    bound.read(&source, &rate);
    assert_eq!(source.clock_reads.get(), reads + 1, "the true clock is read from then on");
}

#[test]
fn counter_that_is_faster_than_measured_is_found_out_by_the_next_anchor() {
    let source = Simulated::new(2_000_000_000);
    let rate = rate_of(&source);
    let bound = Bound::new();
    rate.factor.store(rate.factor() * 2, Ordering::Relaxed);
    for _ in 0..3 {
        bound.read(&source, &rate);
        source.pass(100_000);
        bound.read(&source, &rate);
        source.pass(9_000_000);
    }
    assert_eq!(rate.factor(), DISTRUSTED);
}

#[test]
fn counter_that_stands_still_in_a_long_sleep_is_found_out() {
    let source = Simulated::new(2_000_000_000);
    let rate = rate_of(&source);
    let bound = Bound::new();
    bound.read(&source, &rate);
    // A second passes, of which the counter sees ten microseconds.
    source.slew(100_000_000_000);
    source.pass(10_000_000);
    source.slew(0);
    bound.read(&source, &rate);
    assert_eq!(rate.factor(), DISTRUSTED);
}

#[test]
fn unlikely_rates_are_distrusted() {
    assert_eq!(factor(10_000_000, 1_000_000), DISTRUSTED, "0.1 GHz");
    assert_eq!(factor(10_000_000, 0), DISTRUSTED);
    assert_eq!(factor(10_000_000, 200_000_000), DISTRUSTED, "20 GHz");
    assert_ne!(factor(10_000_000, 24_500_000), DISTRUSTED);
}

#[test]
fn interrupted_measurement_begins_anew() {
    let source = Simulated::new(2_000_000_000);
    let rate = Rate::new();
    *source.delays.borrow_mut() = vec![0, 50_000_000_000, 0];
    rate.begin(&source, || true);
    source.pass(20_000_000_000);
    rate.measure(&source);
    assert_eq!(rate.factor(), UNKNOWN);
    source.pass(20_000_000_000);
    rate.measure(&source);
    let expected = factor(1_000_000_000, 2_000_000_000);
    assert!(rate.factor().abs_diff(expected) < expected / 1_000);
}

#[test]
fn machine_without_a_steady_counter_reads_the_clock() {
    let source = Simulated::new(2_000_000_000);
    let rate = Rate::new();
    rate.begin(&source, || false);
    let bound = Bound::new();
    for reads in 0..100 {
        assert_eq!(source.clock_reads.get(), reads);
        bound.read(&source, &rate);
    }
}

/// The real machine, on several threads that move between its processors: more threads than those, and now and then a
/// sleep.
#[test]
fn bounds_of_this_machine_are_never_behind_its_clock() {
    prepare();
    let deadline = std::time::Instant::now() + core::time::Duration::from_millis(1_500);
    let threads: Vec<_> = (0..6u32)
        .map(|thread| {
            std::thread::spawn(move || {
                let mut spared = 0u64;
                let mut rounds = 0u32;
                while std::time::Instant::now() < deadline {
                    for _ in 0..10_000 {
                        let before = platform::raw(ClockKind::Monotonic);
                        let bound = no_less_than_now();
                        assert!(bound >= before, "{bound} ns is behind {before} ns");
                        spared += u64::from(bound > before + SLOP);
                    }
                    rounds += 1;
                    if rounds % 16 == thread {
                        std::thread::sleep(core::time::Duration::from_micros(50));
                    }
                }
                spared
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no bound is behind");
    }
}
