//! Where a connection waits for its answer.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use crate::model::Status;

/// One answer at a time, from the model to the task of a connection on the same thread.
#[derive(Default)]
pub(crate) struct Slot {
    status: Cell<Option<Status>>,
    waiting: Cell<Option<Waker>>,
}

impl Slot {
    pub(crate) fn put(&self, status: Status) {
        self.status.set(Some(status));
        if let Some(waker) = self.waiting.take() {
            waker.wake();
        }
    }

    pub(crate) async fn take(&self) -> Status {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<Status> {
        if let Some(status) = self.status.take() {
            return Poll::Ready(status);
        }
        self.waiting.set(Some(cx.waker().clone()));
        Poll::Pending
    }
}
