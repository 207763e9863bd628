//! A bounded reorder queue: several threads work on items, and one thread takes their results in order.
//!
//! Workers start the items in their order, and each item gives any number of results. The results are taken in the
//! order of the items, so the outcome does not depend on the number of threads. A worker that is ahead waits once the
//! results that nobody has taken weigh more than the capacity, so memory stays bounded. The worker on the item whose
//! results are being taken never waits, so there is no deadlock.

use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The time after which the consumer is called although no result arrived.
const TICK: Duration = Duration::from_millis(50);

/// The limits of the queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The number of worker threads.
    pub(crate) workers: usize,
    /// The weight that results may have which nobody has taken.
    pub(crate) capacity: usize,
}

/// Adds a result and its weight to the queue. A break says that no more results are wanted.
pub(crate) type Push<'h, T> = dyn FnMut(T, usize) -> ControlFlow<()> + 'h;

/// Runs `work` for every item on several threads and `take` for every result on this one, in order; `take` gets
/// `None` from time to time while there is no result. Ends with the items, with the first error of `take`, or when
/// `take` breaks.
pub(crate) fn in_order<I: Sync, T: Send, E>(
    items: &[I],
    bounds: Bounds,
    work: impl Fn(&I, &mut Push<'_, T>) + Sync,
    mut take: impl FnMut(Option<T>) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let (senders, receivers): (Vec<_>, Vec<_>) = items.iter().map(|_| channel()).unzip();
    let left = Mutex::new(items.iter().zip(senders).enumerate());
    let gate = Gate { capacity: bounds.capacity, state: Mutex::default(), freed: Condvar::new() };
    // The sender of an item is dropped with its work, which ends what its receiver gives.
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((number, (item, sender))) = next().filter(|_| !gate.state().is_closed) {
            work(item, &mut |result, weight| gate.push(number, &sender, (Box::new(result), weight)));
        }
    };
    thread::scope(|scope| {
        let _closed = CloseOnDrop(&gate);
        for _ in 0..bounds.workers.max(1).min(items.len()) {
            scope.spawn(work);
        }
        // Each is dropped with its last result.
        for (number, receiver) in receivers.into_iter().enumerate() {
            gate.change(|state| state.front = number);
            loop {
                let result = match receiver.recv_timeout(TICK) {
                    Ok((result, weight)) => {
                        gate.change(|state| state.weight -= weight);
                        Some(*result)
                    }
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if take(result)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

/// A result and its weight. A channel makes room for 31 of them with its first one, and most items have one.
type Weighed<T> = (Box<T>, usize);

/// Where workers wait that are too far ahead.
struct Gate {
    capacity: usize,
    state: Mutex<GateState>,
    freed: Condvar,
}

#[derive(Default)]
struct GateState {
    /// The item whose results are being taken.
    front: usize,
    weight: usize,
    is_closed: bool,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut GateState)) {
        change(&mut self.state());
        self.freed.notify_all();
    }

    fn push<T>(&self, number: usize, to: &Sender<Weighed<T>>, result: Weighed<T>) -> ControlFlow<()> {
        let mut state = self.state();
        state.weight += result.1;
        let is_sent = to.send(result).is_ok();
        let is_ahead =
            |state: &mut GateState| state.weight > self.capacity && state.front != number && !state.is_closed;
        let state = self.freed.wait_while(state, is_ahead).unwrap_or_else(PoisonError::into_inner);
        if state.is_closed || !is_sent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A guard that closes the gate, however the consumer ended.
struct CloseOnDrop<'d>(&'d Gate);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.is_closed = true);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::*;

    /// What is taken of items that each give so many results of so much weight.
    fn taken(items: &[(usize, usize)], bounds: Bounds, most: usize) -> Vec<(usize, usize)> {
        let numbered: Vec<(usize, (usize, usize))> = items.iter().copied().enumerate().collect();
        let mut taken = Vec::new();
        let work = |&(item, (count, weight)): &(usize, (usize, usize)), push: &mut Push<'_, _>| {
            for result in 0..count {
                if push((item, result), weight).is_break() {
                    break;
                }
            }
        };
        let take = |result| {
            taken.extend(result);
            let is_enough = taken.len() >= most;
            Ok::<_, Infallible>(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        in_order(&numbered, bounds, work, take).unwrap();
        taken
    }

    proptest! {
        #[test]
        fn results_come_in_order_however_many_work(
            items in prop::collection::vec((0_usize..5, 0_usize..4), 0..20),
            workers in 1_usize..5,
            capacity in 0_usize..10,
            most in 1_usize..60,
        ) {
            let all = |(item, &(count, _)): (usize, &(usize, usize))| (0..count).map(move |result| (item, result));
            let mut expected: Vec<_> = items.iter().enumerate().flat_map(all).collect();
            expected.truncate(most);
            prop_assert_eq!(taken(&items, Bounds { workers, capacity }, most), expected);
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let work = |_: &usize, push: &mut Push<'_, usize>| while push(1, 1).is_continue() {};
        let bounds = Bounds { workers: 2, capacity: 1 };
        let take = |result: Option<usize>| result.map_or(Ok(ControlFlow::Continue(())), Err);
        assert_eq!(in_order(&[0, 1, 2], bounds, work, take), Err(1));
    }

    #[test]
    fn who_is_ahead_waits() {
        // The first item gives its result only once the second one has been worked on as far as it may.
        let ahead = AtomicUsize::new(0);
        let work = |&item: &usize, push: &mut Push<'_, usize>| {
            if item == 0 {
                while ahead.load(Ordering::SeqCst) < 3 {
                    thread::yield_now();
                }
                let _ = push(0, 1);
            } else {
                for _ in 0..100 {
                    ahead.fetch_add(1, Ordering::SeqCst);
                    if push(item, 1).is_break() {
                        break;
                    }
                }
            }
        };
        let mut most_ahead = 0;
        let take = |result: Option<usize>| {
            if result == Some(0) {
                most_ahead = ahead.load(Ordering::SeqCst);
            }
            Ok::<_, Infallible>(ControlFlow::Continue(()))
        };
        in_order(&[0, 1], Bounds { workers: 2, capacity: 2 }, work, take).unwrap();
        assert_eq!(most_ahead, 3);
    }
}
