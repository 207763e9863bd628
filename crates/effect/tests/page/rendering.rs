//! What a browser makes of the page. Without one nothing is tested here, and that is said.

use std::fs;
use std::io::Write as _;

use serde_json::Value;

use crate::browser::{Browser, Window};
use crate::sample;
use crate::structure::{hostile, of, saying};

/// How far the page is wider than its window, texts that nobody can read, and texts outside of the window.
const SURVEY: &str = r"(() => {
  const colour = text => (text.match(/[\d.]+/g) || []).map(Number);
  const luminance = rgb => {
    const [r, g, b] = rgb.slice(0, 3).map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const rgb = colour(getComputedStyle(at).backgroundColor);
      if (rgb.length === 3 || rgb[3] > 0) return rgb;
    }
    return [255, 255, 255];
  };
  const faint = [], outside = [];
  let texts = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || element.closest('title')) continue;
    texts += 1;
    const style = getComputedStyle(element);
    const ink = luminance(colour(style.color)) + 0.05;
    const paper = luminance(ground(element)) + 0.05;
    const contrast = Math.max(ink, paper) / Math.min(ink, paper);
    if (contrast < 4.5) faint.push(`${walk.currentNode.data.trim()}: ${contrast.toFixed(2)}`);
    const box = element.getBoundingClientRect();
    if (box.left < -0.5 || box.right > innerWidth + 0.5) outside.push(walk.currentNode.data.trim());
  }
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return { wide, faint, outside, texts, elements: document.querySelectorAll('*').length };
})()";

/// Reports that mean that the page did something: a message, an error, a request.
fn reported(events: &[Value]) -> Vec<String> {
    let methods = ["Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"];
    let messages = events.iter().filter(|it| it["method"].as_str().is_some_and(|it| methods.contains(&it)));
    let requests = events.iter().filter(|it| it["method"] == "Network.requestWillBeSent");
    // The first request is for the page itself.
    messages.chain(requests.skip(1)).map(ToString::to_string).collect()
}

#[test]
fn a_browser_shows_the_page_without_a_message_a_request_or_a_text_out_of_sight() {
    let Some(mut browser) = Browser::start() else {
        // Not by a macro: the harness would keep it to itself.
        let _ =
            std::io::stderr().write_all(b"\nNOT TESTED: the page in a browser, as there is no chromium\n");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let pages = [
        ("full", of(&sample::summary())),
        ("first-week", of(&sample::first_week())),
        ("empty", of(&sample::empty())),
        ("harmless", of(&saying("harmless"))),
        ("hostile", hostile()),
        ("long", of(&saying(&"longer than every column ".repeat(20)))),
        ("unbroken", of(&saying(&"x".repeat(400)))),
    ];
    let mut counts = Vec::new();
    for (name, page) in &pages {
        let file = folder.path().join(format!("{name}.html"));
        fs::write(&file, page).unwrap();
        for width in [1100, 390] {
            for theme in ["light", "dark"] {
                let window = Window { width, theme };
                let what = format!("{name}, {window:?}");
                let events = browser.open(&file, window);
                assert_eq!(reported(&events), [""; 0], "{what}");
                let survey = browser.value(SURVEY);
                assert_eq!(survey["wide"], 0, "{what} is wider than its window");
                assert_eq!(survey["faint"], Value::Array(Vec::new()), "{what}");
                assert_eq!(survey["outside"], Value::Array(Vec::new()), "{what}");
                assert!(survey["texts"].as_u64() > Some(10), "{what}: nothing was looked at");
                counts.push((*name, survey["elements"].clone()));
            }
        }
    }
    let count = |of: &str| counts.iter().find(|(name, _)| *name == of).map(|(_, count)| count);
    assert_eq!(count("hostile"), count("harmless"), "a text became an element");
    if let Some(kept) = std::env::var_os("LESSONS_KEEP_PAGES") {
        for (name, page) in &pages {
            fs::write(std::path::Path::new(&kept).join(format!("{name}.html")), page).unwrap();
        }
    }
}
