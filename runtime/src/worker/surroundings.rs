//! What a resting worker asks of the scheduler.

use super::local::Local;
use crate::driver::Machine;
use crate::park::Surroundings;

impl Surroundings<Machine> for Local {
    fn has_work(&self) -> bool {
        let scheduler = self.scheduler();
        !scheduler.injector.is_empty() || scheduler.remotes.iter().any(|remote| !remote.stealer.is_empty())
    }

    fn has_stuck_work(&self) -> bool {
        let scheduler = self.scheduler();
        if let Some(watchdog) = &scheduler.services.watchdog {
            // Somebody is awake, or was a moment ago; it left this to whoever keeps watch.
            watchdog.worker_awake(|| false);
        }
        let mut stuck = Surroundings::has_work(self);
        for peer in 0..scheduler.workers() {
            let remote = &scheduler.remotes[peer];
            let polls = scheduler.services.counters[peer].polls.get();
            if remote.has_lifo() {
                stuck |= self.note(peer, polls);
            } else {
                self.note_empty(peer);
            }
        }
        stuck
    }

    fn is_stopping(&self) -> bool {
        self.scheduler().is_stopping()
    }

    fn is_busy_elsewhere(&self) -> bool {
        self.scheduler().services.pool.is_busy()
    }

    fn is_simulated(&self) -> bool {
        self.scheduler().services.timers.is_paused()
    }

    fn count_handoff(&self) {
        self.scheduler().services.driver.handed_off();
    }

    fn collect(&self, driver: &mut Machine) {
        Local::collect(self, driver);
    }
}
