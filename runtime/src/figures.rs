//! The schedulers as sources of figures, for metrics, watchdog and dump.

use crossbeam_utils::CachePadded;
use wheelhouse_time::TimerMetrics;

use crate::blocking::Figures;
use crate::metrics::{DriverCounters, Source, WorkerCounters};
use crate::services::Services;
use crate::task_core::{Id, Snapshot};
use crate::watchdog::Watchdog;
use crate::{current_thread, worker};

/// What both schedulers answer alike.
macro_rules! from_services {
    () => {
        fn workers(&self) -> &[CachePadded<WorkerCounters>] {
            &self.services.counters
        }

        fn alive(&self) -> usize {
            self.services.owned.len()
        }

        fn driver(&self) -> &DriverCounters {
            &self.services.driver
        }

        fn timers(&self) -> TimerMetrics {
            self.services.timers.metrics()
        }

        fn blocking(&self) -> Figures {
            self.services.pool.figures()
        }

        fn task(&self, id: u64) -> Option<Snapshot> {
            task(&self.services, id)
        }

        fn tasks(&self) -> Vec<Snapshot> {
            let mut tasks = self.services.owned.snapshot();
            tasks.append(&mut self.services.listing.snapshot());
            tasks
        }

        fn watchdog(&self) -> Option<&Watchdog> {
            self.services.watchdog.as_ref()
        }
    };
}

impl Source for worker::Scheduler {
    from_services!();

    fn local_depth(&self, worker: usize) -> usize {
        let remote = &self.remotes[worker];
        remote.stealer.len() + usize::from(remote.has_lifo())
    }

    fn global_depth(&self) -> usize {
        self.injector.len()
    }
}

impl Source for current_thread::Scheduler {
    from_services!();

    fn local_depth(&self, _worker: usize) -> usize {
        0
    }

    fn global_depth(&self) -> usize {
        self.inbox_len()
    }
}

fn task(services: &Services, id: u64) -> Option<Snapshot> {
    services.owned.find(Id::from_u64(id)?)
}
