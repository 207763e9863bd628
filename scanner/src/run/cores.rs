//! Parallel work on all cores.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;

use crate::run::reorder_queue::{Bounds, Push, in_order};

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
    let numbered: Vec<(usize, &'i I)> = items.iter().enumerate().collect();
    let bounds = Bounds { workers: count().get(), capacity: usize::MAX };
    let work = |&(number, item): &(usize, &'i I), push: &mut Push<'_, _>| {
        // Nobody ends early.
        let _ = work(item).map(|result| push((number, result), 0));
    };
    let mut done = Vec::new();
    let Ok(()) = in_order(&numbered, bounds, work, |result| {
        done.extend(result);
        Ok::<_, Infallible>(ControlFlow::Continue(()))
    });
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
