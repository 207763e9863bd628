//! The structure of the page, which no text changes.

use jiff::tz::TimeZone;
use lessons_effect::page::{GENERATOR, PageInput, page};
use lessons_effect::statistics::summary::Summary;
use lessons_effect::statistics::summary::Verdict;

use crate::sample;

/// A text that would end an attribute, a tag and the style sheet, run a script, and turn around what follows.
const HOSTILE: &str =
    "\"'></title></style></svg><script>alert(1)</script><img/src=x/onerror=alert(1)>\u{202e}\u{1b}[2J&";

pub(crate) fn of(summary: &Summary) -> String {
    page(&PageInput { summary, waiting: 4, zone: &TimeZone::UTC })
}

/// The sample in which every text of other people is `text`.
pub(crate) fn saying(text: &str) -> Summary {
    let mut summary = sample::summary();
    for lesson in &mut summary.lessons {
        lesson.title = text.into();
        if let Verdict::NotComeUp { model, .. } = &mut lesson.verdict {
            *model = text.into();
        }
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

/// What a person reads, a line for each line-like element. The style sheet is left out.
fn words(page: &str) -> String {
    let body = page.split_once("<body>").unwrap().1;
    let mut text = String::new();
    for piece in body.split('<').skip(1) {
        let (tag, words) = piece.split_once('>').unwrap();
        let name = tag.split(' ').next().unwrap();
        if ["h1", "h2", "p", "li", "tr"].contains(&name) {
            text.push('\n');
        }
        if ["td", "code", "th"].contains(&name) {
            text.push(' ');
        }
        text.push_str(words);
    }
    let lines =
        text.lines().map(|line| line.trim().replace("&quot;", "\"").replace("&amp;", "&").replace("  ", " "));
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
fn every_section_has_a_heading_and_tables_name_their_rows_and_columns() {
    let page = of(&sample::summary());
    let sections: Vec<_> =
        page.split("<section").skip(1).map(|it| it.split_once("</section>").unwrap().0).collect();
    assert_eq!(sections.len(), 6);
    for section in &sections {
        assert!(section.contains("<h2"), "{section}");
    }
    assert_eq!(page.matches("<table>").count(), 5);
    for table in page.split("<table>").skip(1) {
        assert!(table.contains("<th scope=\"col\"") && table.contains("<th scope=\"row\">"), "{table}");
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
    insta::assert_snapshot!(words(&of(&sample::first_week())));
}

#[test]
fn what_is_proposed_waits_and_what_is_not_told_can_be_retired() {
    insta::assert_snapshot!(words(&of(&sample::summary())));
}

#[test]
fn a_long_table_is_cut_and_says_where_the_rest_is() {
    let mut summary = sample::summary();
    let one = summary.lessons.pop().unwrap();
    summary.lessons.extend(std::iter::repeat_n(one, 30));
    assert!(words(&of(&summary)).contains("and 12 more: lessons effect"), "{}", words(&of(&summary)));
}

#[test]
fn before_anything_has_happened_the_page_says_what_fills_it() {
    let page = words(&of(&sample::empty()));
    assert!(page.contains("Nothing has happened yet.\nThis page fills by itself as you work"), "{page}");
    assert!(!page.contains("What waits for you?"), "{page}");
}
