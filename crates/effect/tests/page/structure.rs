//! The structure of the page, which no text changes.

use jiff::tz::TimeZone;
use lessons_effect::join::measure::Measure;
use lessons_effect::page::{Activity, GENERATOR, Report, page};
use lessons_effect::statistics::summary::Summary;

use crate::sample;

/// A text that would end an attribute, a tag and the style sheet, run a script, and turn around what follows.
const HOSTILE: &str =
    "\"'></title></style></svg><script>alert(1)</script><img/src=x/onerror=alert(1)>\u{202e}\u{1b}[2J&";

pub(crate) fn of(summary: &Summary) -> String {
    let activity = Activity { reminders: 604, blocked: 41 };
    page(&Report { summary, activity, waiting: 4, zone: &TimeZone::UTC })
}

/// The sample in which every text of other people is `text`.
pub(crate) fn saying(text: &str) -> Summary {
    let mut summary = sample::summary();
    for lesson in &mut summary.lessons {
        lesson.title = text.into();
        lesson.rule = text.into();
        lesson.recent.iter_mut().for_each(|session| session.model = text.into());
        lesson.untold.iter_mut().for_each(|untold| untold.model = text.into());
        if let Some(proposal) = &mut lesson.proposal {
            proposal.reason = text.into();
            proposal.command = text.into();
        }
    }
    summary
}

pub(crate) fn hostile() -> String {
    of(&saying(HOSTILE))
}

/// The names of the elements, in their order.
fn elements(page: &str) -> Vec<&str> {
    let after = page.split('<').skip(1).filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()));
    after.filter_map(|it| it.split([' ', '>']).next()).collect()
}

/// The values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let start = format!(" {attribute}=\"");
    page.split(&start).skip(1).filter_map(|it| it.split('"').next()).collect()
}

/// What a person reads, a line for each line-like element. Style and tables are left out.
fn words(page: &str) -> String {
    let body = page.split_once("<body>").unwrap().1;
    let mut text = String::new();
    for piece in body.split('<').skip(1) {
        let (tag, words) = piece.split_once('>').unwrap();
        let name = tag.split(' ').next().unwrap();
        if ["h1", "h2", "h3", "p", "li", "dt", "dd", "summary", "tr", "text", "title", "desc", "div"]
            .contains(&name)
        {
            text.push('\n');
        }
        if ["td", "span", "code"].contains(&name) {
            text.push(' ');
        }
        text.push_str(words);
    }
    let lines = text.lines().map(|line| line.trim().replace("&quot;", "\"").replace("&amp;", "&"));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn hostile_texts_leave_the_structure_as_it_is() {
    let (page, harmless) = (hostile(), of(&saying("harmless")));
    assert_eq!(elements(&page), elements(&harmless));
    assert!(!page.contains("<script") && !page.contains("<img"), "a text became an element");
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'), "a text can hide or turn around others");
    assert!(page.contains("&lt;script&gt;"), "the text is there");
}

#[test]
fn the_page_runs_and_loads_nothing() {
    for page in [of(&sample::summary()), of(&sample::first_week()), of(&sample::empty()), hostile()] {
        let policy = page.find("default-src 'none'; style-src 'unsafe-inline'").expect("a policy");
        assert!(
            policy < page.find("<style>").expect("a style sheet"),
            "the policy stands before what it is about"
        );
        assert!(page.find(GENERATOR).expect("the mark") < 512);
        for name in ["script", "link", "iframe", "object", "embed", "img", "image", "use", "form", "base"] {
            assert!(!elements(&page).contains(&name), "{name}");
        }
        let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
        assert!(!style.contains("url(") && !style.contains("@import") && !style.contains('<'), "style.css");
        for attribute in ["src", "onload", "onerror", "srcset"] {
            assert!(values(&page, attribute).is_empty(), "{attribute}");
        }
        assert!(values(&page, "href").iter().all(|it| it.starts_with('#')), "links lead to the page itself");
    }
}

#[test]
fn every_figure_has_a_title_a_description_and_its_table() {
    let page = of(&sample::summary());
    let figures: Vec<_> =
        page.split("<figure").skip(1).map(|it| it.split_once("</figure>").unwrap().0).collect();
    assert_eq!(figures.len(), 6);
    for figure in figures {
        assert!(figure.contains("<figcaption"), "{figure}");
        let pictures = figure.split("<svg").skip(1).map(|it| it.split('>').next().unwrap());
        assert!(pictures.clone().any(|it| it.contains("role=\"img\"")), "{figure}");
        for attributes in pictures {
            // Decoration is hidden, and a picture within another is a part of it.
            let is_titled = attributes.contains("role=\"img\"");
            assert!(
                is_titled || attributes.contains("aria-hidden") || attributes.starts_with(" x="),
                "{attributes}"
            );
        }
        for picture in figure.split("<svg role=\"img\"").skip(1) {
            let inside = picture.split_once('>').unwrap().1;
            assert!(inside.starts_with("<title>") && inside.contains("</title><desc>"), "{inside}");
        }
        assert_eq!(figure.matches("<details>").count(), 1, "{figure}");
        assert!(figure.contains("<caption>") && figure.contains("<th scope=\"row\">"), "{figure}");
    }
}

#[test]
fn anchors_and_labels_lead_somewhere() {
    for page in [of(&sample::summary()), of(&sample::first_week()), of(&sample::empty())] {
        let ids = values(&page, "id");
        let mut once = ids.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), ids.len(), "an id stands twice");
        let links = values(&page, "href").into_iter().map(|link| &link[1..]);
        let labels = ["aria-labelledby", "aria-describedby"].into_iter().flat_map(|it| values(&page, it));
        for name in links.chain(labels) {
            assert!(ids.contains(&name), "{name}");
        }
        let headings: Vec<_> =
            elements(&page).into_iter().filter(|it| ["h1", "h2", "h3"].contains(it)).collect();
        assert_eq!(headings.iter().filter(|it| **it == "h1").count(), 1);
        assert_eq!(headings[0], "h1");
    }
}

#[test]
fn of_few_sessions_no_share_is_said() {
    let summary = sample::first_week();
    insta::assert_snapshot!(words(&page(&Report {
        summary: &summary,
        activity: Activity { reminders: 5, blocked: 1 },
        waiting: 1,
        zone: &TimeZone::UTC,
    })));
}

#[test]
fn a_lesson_that_is_told_when_a_session_starts_is_said_to_come_up_and_not_again() {
    let mut summary = sample::summary();
    let page = words(&of(&summary));
    assert!(!page.contains("came up") && !page.contains("no trigger"), "{page}");
    for lesson in &mut summary.lessons {
        lesson.measure = Measure::First;
    }
    summary.lessons[0].measure = Measure::None;
    let page = words(&of(&summary));
    assert!(page.contains("there it is the share in which the call came up."), "{page}");
    assert!(page.contains("any session in which it holds"), "{page}");
    assert!(page.contains("1 lesson has no trigger, so no call can show what follows."), "{page}");
    assert!(page.lines().any(|line| line.contains("came up; ") && line.contains(" % possible")), "{page}");
}

#[test]
fn before_anything_has_happened_the_page_says_what_comes_when() {
    let summary = sample::empty();
    insta::assert_snapshot!(words(&page(&Report {
        summary: &summary,
        activity: Activity::default(),
        waiting: 0,
        zone: &TimeZone::UTC,
    })));
}
