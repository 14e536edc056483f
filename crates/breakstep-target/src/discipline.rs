//! What sets one discipline apart from another: how the servers share the work among the jobs.

/// A request that was let in. Numbers are given in order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// Which one it is.
    pub number: u64,
    /// Whether its answer will be an error, although it has had its service.
    pub fails: bool,
}

/// Jobs and servers, in work time (ns): a clock that stands still while the server is frozen.
///
/// The caller takes out every finish up to `at_ns` before it lets a job arrive at `at_ns`.
pub trait Discipline: Send {
    /// Lets in a job that needs `service_ns` of one whole server.
    fn arrive(&mut self, job: Job, at_ns: u64, service_ns: u64);

    /// When the next job will have finished if no other arrives; `None` when there is no job.
    fn next_finish_ns(&self) -> Option<u64>;

    /// Takes out that job.
    fn take_finished(&mut self) -> Option<Job>;

    /// Jobs waiting and in service.
    fn in_system(&self) -> usize;
}
