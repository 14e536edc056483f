//! The server as a handle: a thread that listens, and the way to stop it.

use std::convert::Infallible;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;

use breakstep_engine::clock::Clock;
use breakstep_engine::timer::{Timer, set_timer_slack_minimal};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::task::LocalSet;

use crate::arrival_log::ArrivalLog;
use crate::listener::Listener;
use crate::parameters::{Listen, Parameters};
use crate::response::Responses;
use crate::serving::Serving;
use crate::shared::Shared;

/// How long to wait after a failed accept: descriptors have run out, and some may come free.
const ACCEPT_PAUSE_NS: u64 = 10_000_000;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken, not ours, or not allowed.
    #[error("cannot listen on {address}: {source}; {remedy}")]
    Listen {
        /// As asked for.
        address: String,
        /// The system's reason.
        source: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// The log of arrivals cannot be written.
    #[error("cannot write the arrival log {path}: {source}; choose another --arrival-log")]
    ArrivalLog {
        /// As asked for.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// No event loop, timer or thread: the system is out of descriptors or memory.
    #[error("cannot start the server's thread: {0}; raise the limits on descriptors and threads")]
    System(#[from] io::Error),
}

/// A model server at work. Dropping it stops it too.
pub struct Server {
    shared: Arc<Shared>,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Server {
    /// Listens and serves on a thread of its own. Time, and with it the first freeze, counts
    /// from here.
    ///
    /// ```
    /// # use breakstep_target::{Parameters, Server};
    /// let server = Server::start(Parameters::parse(&[]).unwrap())?;
    /// assert!(server.address().starts_with("127.0.0.1:"));
    /// server.stop()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start(parameters: Parameters) -> Result<Self, StartError> {
        raise_descriptor_limit();
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let parts = Parts::prepare(&runtime, parameters)?;
        let (shared, stop) = (parts.shared.clone(), Arc::new(Notify::new()));
        let stopped = stop.clone();
        let thread = std::thread::Builder::new()
            .name("breakstep-target".to_owned())
            .spawn(move || LocalSet::new().block_on(&runtime, parts.serve(&stopped)))?;
        Ok(Self { shared, stop, thread: Some(thread) })
    }

    /// Where it listens: `127.0.0.1:PORT`, `[::1]:PORT` or `unix:PATH`.
    pub fn address(&self) -> String {
        self.shared.address.clone()
    }

    /// What `GET /truth` would answer, even in a freeze.
    pub fn truth(&self) -> String {
        self.shared.truth()
    }

    /// Closes every connection and ends the thread, in a freeze too. The error says why the
    /// server had ended before, or that the arrival log is not whole.
    pub fn stop(mut self) -> io::Result<()> {
        self.end()
    }

    fn end(&mut self) -> io::Result<()> {
        self.stop.notify_one();
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().map_err(|_| io::Error::other("the server's thread panicked"))?
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Whoever wants to know calls `stop`.
        let _ = self.end();
    }
}

/// All that can fail is made before the thread begins.
struct Parts {
    shared: Arc<Shared>,
    responses: Responses,
    listener: Listener,
    clock: Clock,
    /// One for the model, one for pauses.
    timers: [Timer; 2],
    arrivals: Option<ArrivalLog>,
}

impl Parts {
    fn prepare(runtime: &Runtime, parameters: Parameters) -> Result<Self, StartError> {
        let _guard = runtime.enter();
        let arrivals = create_log(&parameters)?;
        let listener = Listener::bind(&parameters.listen)
            .map_err(|source| listen_error(&parameters.listen, source))?;
        let clock = Clock::start();
        Ok(Self {
            responses: Responses::new(parameters.body_bytes),
            shared: Arc::new(Shared::new(parameters, listener.address()?)),
            listener,
            clock,
            timers: [Timer::new(clock, false)?, Timer::new(clock, false)?],
            arrivals,
        })
    }

    async fn serve(self, stop: &Notify) -> io::Result<()> {
        // Without it wake-ups come 50 µs later, nothing worse.
        let _ = set_timer_slack_minimal();
        let [timer, pause] = self.timers;
        let timing = (self.clock, timer);
        let serving = Rc::new(Serving::new(self.shared, self.responses, timing, self.arrivals));
        let ended = tokio::select! {
            () = stop.notified() => Ok(()),
            Err(fault) = serving.run() => Err(fault),
            Err(fault) = accept_all(&self.listener, &serving, (self.clock, &pause)) => Err(fault),
        };
        ended.and(serving.finish())
    }
}

async fn accept_all(
    listener: &Listener,
    serving: &Rc<Serving>,
    (clock, pause): (Clock, &Timer),
) -> io::Result<Infallible> {
    loop {
        match listener.accept(serving).await {
            Err(fault) if fault.kind() != io::ErrorKind::ConnectionAborted => {
                pause.wait_until(clock.now_ns() + ACCEPT_PAUSE_NS, false).await?;
            }
            _ => {}
        }
    }
}

fn create_log(parameters: &Parameters) -> Result<Option<ArrivalLog>, StartError> {
    let Some(path) = &parameters.arrival_log else { return Ok(None) };
    let log = ArrivalLog::create(path);
    let fault = |source| StartError::ArrivalLog { path: path.display().to_string(), source };
    log.map(Some).map_err(fault)
}

fn listen_error(listen: &Listen, source: io::Error) -> StartError {
    let remedy = match listen {
        Listen::Tcp(_) => "choose another --listen; port 0 takes any free port",
        Listen::Unix(_) => "choose another --listen, or remove the file if no server uses it",
    };
    StartError::Listen { address: listen.to_string(), source, remedy }
}

/// A connection costs a descriptor; the usual soft limit of 1024 is far below the hard one.
fn raise_descriptor_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where that is forbidden the old limit holds, and accepting pauses when it is reached.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}
