//! A bounded reorder queue: several threads work on items, and one thread takes their results in order.
//!
//! Workers start the items in their order, and each item gives any number of results. The results are taken in the
//! order of the items, so the outcome does not depend on the number of threads. A worker that is ahead waits once the
//! results that nobody has taken weigh more than the capacity, so memory stays bounded. The worker on the item whose
//! results are being taken never waits, so there is no deadlock.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    let queue =
        ReorderQueue { bounds, state: Mutex::default(), arrived: Condvar::new(), freed: Condvar::new() };
    let next = AtomicUsize::new(0);
    let work = || {
        while !queue.state().is_closed {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { break };
            let _finished = FinishOnDrop { queue: &queue, number };
            work(item, &mut |result, weight| queue.push(number, result, weight));
        }
    };
    thread::scope(|scope| {
        let _closed = CloseOnDrop(&queue);
        for _ in 0..bounds.workers.max(1).min(items.len()) {
            scope.spawn(work);
        }
        for number in 0..items.len() {
            loop {
                let result = match queue.next_of(number) {
                    NextResult::Result(result) => Some(result),
                    NextResult::NothingYet => None,
                    NextResult::End => break,
                };
                if take(result)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

/// The queue that holds results until they are taken.
struct ReorderQueue<T> {
    bounds: Bounds,
    state: Mutex<QueueState<T>>,
    /// Signalled when a result arrived, or an item is finished.
    arrived: Condvar,
    /// Signalled when a result was taken, or no more will be.
    freed: Condvar,
}

struct QueueState<T> {
    /// The item whose results are being taken.
    front: usize,
    pending: BTreeMap<usize, ItemResults<T>>,
    weight: usize,
    is_closed: bool,
}

/// The results of one item, each with its weight.
struct ItemResults<T> {
    results: VecDeque<(T, usize)>,
    is_finished: bool,
}

impl<T> Default for QueueState<T> {
    fn default() -> Self {
        Self { front: 0, pending: BTreeMap::new(), weight: 0, is_closed: false }
    }
}

impl<T> Default for ItemResults<T> {
    fn default() -> Self {
        Self { results: VecDeque::new(), is_finished: false }
    }
}

enum NextResult<T> {
    Result(T),
    NothingYet,
    End,
}

impl<T> ReorderQueue<T> {
    fn state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, number: usize, result: T, weight: usize) -> ControlFlow<()> {
        let mut state = self.state();
        state.weight += weight;
        state.pending.entry(number).or_default().results.push_back((result, weight));
        self.arrived.notify_one();
        let is_ahead = |state: &mut QueueState<T>| {
            state.weight > self.bounds.capacity && state.front != number && !state.is_closed
        };
        let state = self.freed.wait_while(state, is_ahead).unwrap_or_else(PoisonError::into_inner);
        if state.is_closed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The next result of an item, once all items before it are done.
    fn next_of(&self, number: usize) -> NextResult<T> {
        let mut state = self.state();
        if state.front != number {
            state.front = number;
            self.freed.notify_all();
        }
        let is_missing = |state: &mut QueueState<T>| {
            let pending = state.pending.entry(number).or_default();
            pending.results.is_empty() && !pending.is_finished
        };
        let (mut state, waited) =
            self.arrived.wait_timeout_while(state, TICK, is_missing).unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return NextResult::NothingYet;
        }
        let Some((result, weight)) = state.pending.entry(number).or_default().results.pop_front() else {
            state.pending.remove(&number);
            return NextResult::End;
        };
        state.weight -= weight;
        self.freed.notify_all();
        NextResult::Result(result)
    }
}

/// A guard that marks an item as finished, however its work ended.
struct FinishOnDrop<'d, T> {
    queue: &'d ReorderQueue<T>,
    number: usize,
}

impl<T> Drop for FinishOnDrop<'_, T> {
    fn drop(&mut self) {
        self.queue.state().pending.entry(self.number).or_default().is_finished = true;
        self.queue.arrived.notify_one();
    }
}

/// A guard that closes the queue, however the consumer ended.
struct CloseOnDrop<'d, T>(&'d ReorderQueue<T>);

impl<T> Drop for CloseOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
        self.0.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

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
