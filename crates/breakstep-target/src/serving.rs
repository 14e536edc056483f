//! The model on a real clock: stamps arrivals, and hands each answer over when it is due.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use breakstep_engine::clock::Clock;
use breakstep_engine::timer::Timer;
use tokio::sync::Notify;

use crate::arrival_log::ArrivalLog;
use crate::freeze::NEVER;
use crate::model::{Decision, Model};
use crate::response::Responses;
use crate::shared::Shared;
use crate::slot::Slot;

/// One for each server, shared by the tasks of its thread.
pub(crate) struct Serving {
    pub(crate) shared: Arc<Shared>,
    pub(crate) responses: Responses,
    clock: Clock,
    timer: Timer,
    /// The instant that is waited for.
    next_ns: Cell<u64>,
    /// Something falls due before it.
    sooner: Notify,
    /// By the model's number. A client that has gone leaves its slot here until its job is done.
    waiting: RefCell<HashMap<u64, Rc<Slot>>>,
    arrivals: RefCell<Option<ArrivalLog>>,
}

impl Serving {
    pub(crate) fn new(
        shared: Arc<Shared>,
        responses: Responses,
        (clock, timer): (Clock, Timer),
        arrivals: Option<ArrivalLog>,
    ) -> Self {
        Self {
            shared,
            responses,
            clock,
            timer,
            next_ns: Cell::new(NEVER),
            sooner: Notify::new(),
            waiting: RefCell::default(),
            arrivals: RefCell::new(arrivals),
        }
    }

    /// A modelled request is complete; its answer comes into the slot.
    pub(crate) fn arrive(&self, slot: &Rc<Slot>) {
        let now_ns = self.clock.now_ns();
        let mut model = self.shared.model();
        if let Some(log) = &mut *self.arrivals.borrow_mut() {
            log.record(model.thaw_ns(now_ns));
        }
        self.carry_out(model.arrive(now_ns), slot);
        self.hand_over(&mut model, now_ns);
    }

    /// A request outside the model: the slot is filled as soon as the server is not frozen.
    pub(crate) fn pass(&self, slot: &Rc<Slot>) {
        let now_ns = self.clock.now_ns();
        let mut model = self.shared.model();
        self.carry_out(model.pass(now_ns), slot);
        self.hand_over(&mut model, now_ns);
    }

    /// Hands over answers as they fall due; returns only with an error.
    pub(crate) async fn run(&self) -> io::Result<Infallible> {
        loop {
            let next_ns = self.shared.model().next_event_ns().unwrap_or(NEVER);
            self.next_ns.set(next_ns);
            tokio::select! {
                biased;
                () = self.sooner.notified() => {}
                waited = self.timer.wait_until(next_ns, false) => {
                    waited?;
                    self.hand_over(&mut self.shared.model(), self.clock.now_ns());
                }
            }
        }
    }

    /// Ends the log of arrivals.
    pub(crate) fn finish(&self) -> io::Result<()> {
        self.arrivals.take().map_or(Ok(()), ArrivalLog::finish)
    }

    fn carry_out(&self, decision: Decision, slot: &Rc<Slot>) {
        match decision {
            Decision::Answer(status) => slot.put(status),
            Decision::Wait(number) => drop(self.waiting.borrow_mut().insert(number, slot.clone())),
        }
    }

    /// Also called on every arrival: under load the timer's wake-up may stand behind many sockets.
    fn hand_over(&self, model: &mut Model, now_ns: u64) {
        while let Some(answer) = model.advance(now_ns) {
            if let Some(slot) = self.waiting.borrow_mut().remove(&answer.number) {
                slot.put(answer.status);
            }
        }
        if model.next_event_ns().is_some_and(|next_ns| next_ns < self.next_ns.get()) {
            self.sooner.notify_one();
        }
    }
}
