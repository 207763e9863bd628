//! Parallel work on all cores.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The number of cores.
pub fn count() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Works on every item, on all cores, beginning with the first ones. The results are in the order of the items, each
/// with the number of its item; items without a result are left out.
pub fn each<'i, I: Sync, T: Send>(
    items: &'i [I],
    work: impl Fn(&'i I) -> Option<T> + Sync,
) -> Vec<(usize, T)> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let one = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { break };
            if let Some(result) = work(item) {
                done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..count().get() {
            scope.spawn(one);
        }
        one();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let odd = each(&items, |&item| (item % 2 == 1).then_some(item * 10));
        assert_eq!(odd.len(), 500);
        assert!(
            odd.iter()
                .enumerate()
                .all(|(at, &(number, result))| number == 2 * at + 1 && result == number * 10)
        );
    }
}
