//! One connection: opened for an arrival, then carrying one request at a time.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use breakstep_wire::{Progress, Response, ResponseDecoder, WireError};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::outcome::{Failure, Outcome};
use crate::recorder::{Arrival, Ending};
use crate::transport::{Stage, Stream};
use crate::worker::{Slot, Worker};

/// Reads in one turn, so that an endless response cannot keep the worker from its schedule.
const READS_A_TURN: usize = 16;

/// Performs `first` on a new connection, then whatever the worker assigns, until it closes.
pub(crate) async fn serve(worker: Rc<Worker>, slot: Rc<Slot>, first: Arrival) {
    poll_fn(|cx| {
        slot.remember(cx.waker());
        Poll::Ready(())
    })
    .await;
    let unanswered = match connect(&worker, &slot, &first).await {
        Some(stream) => carry(&worker, &slot, stream, first).await,
        None => None,
    };
    worker.closed(&slot, unanswered);
}

async fn connect(worker: &Rc<Worker>, slot: &Slot, arrival: &Arrival) -> Option<Stream> {
    let started_ns = worker.clock.now_ns();
    let stage = Cell::new(Stage::Connecting);
    let mut connecting = pin!(worker.policy.transport.connect(&stage));
    let opened = poll_fn(|cx| {
        if slot.expired() {
            return Poll::Ready(Err(stage.get().timeout()));
        }
        connecting.as_mut().poll(cx)
    });
    let opened = opened.await;
    let ended_ns = worker.clock.now_ns();
    match opened {
        Ok(stream) => {
            worker.connected(arrival, ended_ns - started_ns);
            Some(stream)
        }
        Err(failure) => {
            worker.ended(arrival, &Ending { ended_ns, result: Err(failure), ..Ending::unsent() });
            None
        }
    }
}

/// Carries requests until the connection cannot be used again. Returns an arrival that must be
/// performed on a fresh connection instead, if the server closed this one at the wrong moment.
async fn carry(
    worker: &Rc<Worker>,
    slot: &Rc<Slot>,
    mut stream: Stream,
    first: Arrival,
) -> Option<Arrival> {
    let mut decoder = ResponseDecoder::new();
    let (mut arrival, mut reused) = (first, false);
    loop {
        let end = exchange(worker, slot, &mut stream, &mut decoder, &arrival).await;
        if end.closed_unanswered && reused && !arrival.retried {
            return Some(Arrival { retried: true, ..arrival });
        }
        worker.ended(&arrival, &end.ending);
        if !end.reusable {
            return None;
        }
        arrival = match worker.next_for(slot, end.ending.ended_ns) {
            Some(next) => next,
            None => match idle(worker, slot, &mut stream).await {
                Idle::Assigned(next) => next,
                Idle::ClosedBeforeUse(next) => return Some(next),
                Idle::Closed => return None,
            },
        };
        reused = true;
    }
}

struct End {
    ending: Ending,
    reusable: bool,
    /// The server closed the connection before a single byte of a response.
    closed_unanswered: bool,
}

async fn exchange(
    worker: &Worker,
    slot: &Slot,
    stream: &mut Stream,
    decoder: &mut ResponseDecoder,
    arrival: &Arrival,
) -> End {
    let request = worker.request_of(arrival);
    decoder.start(request.head_only);
    let mut exchange = Exchange {
        worker,
        slot,
        stream,
        decoder,
        arrival,
        request: &request.bytes,
        written: 0,
        ending: Ending::unsent(),
        broken_pipe: None,
    };
    poll_fn(|cx| exchange.poll(cx)).await
}

/// A request and its response. The response is read while the request is still being written: a
/// server may answer early, and a broken pipe does not mean that it has not.
struct Exchange<'a> {
    worker: &'a Worker,
    slot: &'a Slot,
    stream: &'a mut Stream,
    decoder: &'a mut ResponseDecoder,
    arrival: &'a Arrival,
    request: &'a [u8],
    written: usize,
    ending: Ending,
    broken_pipe: Option<io::Error>,
}

impl Exchange<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        if self.slot.expired() {
            return Poll::Ready(self.expired());
        }
        let sending = self.ending.sent_ns.is_none() && self.broken_pipe.is_none();
        if sending && let Poll::Ready(Err(error)) = self.poll_send(cx) {
            self.broken_pipe = Some(error);
        }
        self.poll_receive(cx)
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.request.len() {
            let left = &self.request[self.written..];
            let n = ready!(Pin::new(&mut *self.stream).poll_write(cx, left))?;
            self.written += n;
        }
        ready!(Pin::new(&mut *self.stream).poll_flush(cx))?;
        self.sent();
        Poll::Ready(Ok(()))
    }

    fn sent(&mut self) {
        let now_ns = self.worker.clock.now_ns();
        self.ending.sent_ns = Some(now_ns);
        self.worker.sent(self.arrival, now_ns);
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        let mut scratch = self.worker.scratch.borrow_mut();
        for _ in 0..READS_A_TURN {
            let mut buffer = ReadBuf::new(&mut scratch);
            let read = ready!(Pin::new(&mut *self.stream).poll_read(cx, &mut buffer));
            if let Err(error) = read {
                return Poll::Ready(self.lost(&error));
            }
            if let Some(end) = self.received(buffer.filled()) {
                return Poll::Ready(end);
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn received(&mut self, bytes: &[u8]) -> Option<End> {
        if bytes.is_empty() {
            return Some(match self.decoder.finish() {
                Ok(response) => self.answered(response, false),
                Err(WireError::EmptyReply) => self.closed_unanswered(),
                Err(error) => self.failed(Failure::new(Outcome::Reset, error.as_str())),
            });
        }
        self.ending.bytes_in += bytes.len() as u64;
        let now_ns = self.worker.clock.now_ns();
        self.ending.first_byte_ns.get_or_insert(now_ns);
        self.ending.ended_ns = now_ns;
        match self.decoder.decode(bytes) {
            Ok(Progress::Incomplete) => None,
            Ok(Progress::Complete { response, consumed }) => {
                let exact = consumed == bytes.len();
                if !exact {
                    self.worker.unsolicited();
                }
                Some(self.answered(response, exact))
            }
            Err(error) => Some(self.failed(Failure::new(Outcome::Protocol, error.as_str()))),
        }
    }

    fn answered(&mut self, response: Response, exact: bool) -> End {
        let answered_early = self.ending.sent_ns.is_none();
        if answered_early {
            self.sent();
        }
        if self.ending.ended_ns == 0 {
            self.ending.ended_ns = self.worker.clock.now_ns();
        }
        let keep_alive = self.worker.policy.keep_alive && response.keep_alive;
        let reusable = keep_alive && exact && !answered_early;
        let ending = Ending { result: Ok(response.status), ..self.ending };
        End { ending, reusable, closed_unanswered: false }
    }

    fn expired(&mut self) -> End {
        let sent = self.written > 0;
        let failure = if sent { Failure::timeout() } else { Failure::dropped_late() };
        self.failed(failure)
    }

    fn failed(&mut self, failure: Failure) -> End {
        let ended_ns = self.worker.clock.now_ns();
        let ending = Ending { ended_ns, result: Err(failure), ..self.ending };
        End { ending, reusable: false, closed_unanswered: false }
    }

    fn closed_unanswered(&mut self) -> End {
        let failure = match self.broken_pipe.take() {
            Some(error) => Failure::io(Outcome::Reset, &error, "connection lost while sending"),
            None => Failure::new(Outcome::Reset, WireError::EmptyReply.as_str()),
        };
        End { closed_unanswered: true, ..self.failed(failure) }
    }

    fn lost(&mut self, error: &io::Error) -> End {
        let failure = Failure::io(Outcome::Reset, error, "connection lost");
        End { closed_unanswered: !self.decoder.started(), ..self.failed(failure) }
    }
}

enum Idle {
    Assigned(Arrival),
    /// The server closed it before the assigned arrival was sent.
    ClosedBeforeUse(Arrival),
    Closed,
}

/// Waits for work while watching for the server's farewell.
async fn idle(worker: &Worker, slot: &Slot, stream: &mut Stream) -> Idle {
    poll_fn(|cx| {
        let assigned = slot.take_assigned();
        let mut scratch = worker.scratch.borrow_mut();
        let mut buffer = ReadBuf::new(&mut scratch);
        let read = Pin::new(&mut *stream).poll_read(cx, &mut buffer);
        match (read, assigned) {
            (Poll::Pending, Some(arrival)) => Poll::Ready(Idle::Assigned(arrival)),
            (Poll::Pending, None) => Poll::Pending,
            (Poll::Ready(read), assigned) => {
                if read.is_ok() && !buffer.filled().is_empty() {
                    worker.unsolicited();
                }
                Poll::Ready(assigned.map_or(Idle::Closed, Idle::ClosedBeforeUse))
            }
        }
    })
    .await
}
