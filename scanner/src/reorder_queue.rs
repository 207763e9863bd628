//! Work on several threads, and what comes of it on this one, in order.
//!
//! The items are worked on in their order, several at a time; each gives any number of results. They are taken in
//! the order of the items, so who takes them cannot tell how many threads there were. Whoever is ahead waits once
//! what is not taken yet weighs too much, so memory stays bounded; whoever works on the item that is taken from
//! never waits, so nobody waits for ever.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How often who takes is heard of although nothing came.
const TICK: Duration = Duration::from_millis(50);

/// How much may go on at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// How many threads work.
    pub(crate) workers: usize,
    /// How much the results may weigh that nobody has taken.
    pub(crate) capacity: usize,
}

/// Hands in a result and what it weighs. A break says that nobody wants more.
pub(crate) type Push<'h, T> = dyn FnMut(T, usize) -> ControlFlow<()> + 'h;

/// Does `work` for every item and `take`s what comes of it, with `None` now and then where nothing came. Ends
/// with the items, with the first error, or where `take` breaks.
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

/// Where results lie until they are taken.
struct ReorderQueue<T> {
    bounds: Bounds,
    state: Mutex<QueueState<T>>,
    /// A result came, or an item is finished.
    arrived: Condvar,
    /// Something was taken, or nothing more will be.
    freed: Condvar,
}

struct QueueState<T> {
    /// The item that is taken from.
    front: usize,
    pending: BTreeMap<usize, ItemResults<T>>,
    weight: usize,
    is_closed: bool,
}

/// The results of one item, and what each weighs.
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

    /// What comes next of an item, all before it being taken.
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

/// Says that an item is finished, however its work ended.
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

/// Says that nothing more is taken, however the taking ended.
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
