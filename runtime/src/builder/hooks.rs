//! The knobs that are called back. A panic in a hook is contained.
//!
//! Each hook for the beginning of something has one for its end, and whoever keeps books by them finds them even: a task
//! that was told of at its spawn is told of at its end, whatever it is, and however it ends.

use std::sync::Arc;

use super::Builder;
use crate::services::TaskMeta;

impl Builder {
    /// Called on each thread of the runtime before it does anything else, with the worker's number. Threads of the pool
    /// for blocking work count on from the number of workers.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().on_thread_start(|worker| println!("worker {worker} starts")).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_thread_start(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.thread_start = Some(Arc::new(hook));
        self
    }

    /// Called on each thread of the runtime before it ends; the number is that of
    /// [`on_thread_start`](Self::on_thread_start).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().on_thread_stop(|worker| println!("worker {worker} ends")).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_thread_stop(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.thread_stop = Some(Arc::new(hook));
        self
    }

    /// Called on a worker, with its number, before it goes to sleep for want of tasks. It may wake tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().on_thread_park(|worker| println!("worker {worker} sleeps")).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_thread_park(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.thread_park = Some(Arc::new(hook));
        self
    }

    /// Called on a worker, with its number, after it has woken.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().on_thread_unpark(|worker| println!("worker {worker} wakes")).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_thread_unpark(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.thread_unpark = Some(Arc::new(hook));
        self
    }

    /// Called on the spawning thread for each task, before it is queued.
    ///
    /// That is every task of the runtime: those of [`spawn`](crate::spawn), the closures of
    /// [`spawn_blocking`](crate::task::spawn_blocking), and those that are spawned on a
    /// [`LocalSet`](crate::task::LocalSet) while the runtime is entered. A task that is spawned on a local set outside of
    /// any runtime belongs to none, and this hook and [`on_task_terminate`](Self::on_task_terminate) are not told of it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().on_task_spawn(|task| println!("task {} is spawned", task.id())).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_task_spawn(mut self, hook: impl Fn(&TaskMeta) + Send + Sync + 'static) -> Self {
        self.hooks.task_spawn = Some(Arc::new(hook));
        self
    }

    /// Called for each task after its future was dropped: for those, and only those, that
    /// [`on_task_spawn`](Self::on_task_spawn) is told of, once. The thread is the one that polled the task last, or the one
    /// that ended it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().on_task_terminate(|task| println!("task {} is over", task.id())).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_task_terminate(mut self, hook: impl Fn(&TaskMeta) + Send + Sync + 'static) -> Self {
        self.hooks.task_terminate = Some(Arc::new(hook));
        self
    }

    /// Called before each poll of a task, on the thread that polls it; for the tasks of a
    /// [`LocalSet`](crate::task::LocalSet) too, if a thread that has entered the runtime polls the set. Not for closures of
    /// [`spawn_blocking`](crate::task::spawn_blocking), which are no polls: they may take as long as they like.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().on_before_task_poll(|task| println!("task {} runs", task.id())).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_before_task_poll(mut self, hook: impl Fn(&TaskMeta) + Send + Sync + 'static) -> Self {
        self.hooks.before_poll = Some(Arc::new(hook));
        self
    }

    /// Called after each poll of a task; see [`on_before_task_poll`](Self::on_before_task_poll).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().on_after_task_poll(|task| println!("task {} ran", task.id())).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_after_task_poll(mut self, hook: impl Fn(&TaskMeta) + Send + Sync + 'static) -> Self {
        self.hooks.after_poll = Some(Arc::new(hook));
        self
    }
}
