//! The floor of reading: reads every file below a folder on all cores, and does nothing with it.

use std::fs::{File, read_dir};
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn main() {
    let mut folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let places = if entry.file_type().expect("a file type").is_dir() { &mut folders } else { &mut files };
            places.push(entry.path());
        }
    }
    let next = AtomicUsize::new(0);
    let read = || {
        let mut buffer = vec![0; 256 << 10];
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut file = File::open(path).expect("a file");
            while file.read(&mut buffer).expect("bytes") > 0 {}
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(read);
        }
    });
}
