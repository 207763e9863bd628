//! Every text can be read on what it stands on, in both themes.

use std::collections::BTreeMap;

const STYLE: &str = include_str!("../../src/page/style.css");
const DARK: &str = "@media screen and (prefers-color-scheme: dark)";

/// Texts and what they stand on.
const TEXTS: [(&str, &[&str]); 4] = [
    ("ink", &["page", "card", "band"]),
    ("soft", &["page", "card", "band"]),
    ("link", &["page", "card"]),
    ("right", &["page"]),
];

/// The colours of a theme by name.
fn theme(style: &str) -> BTreeMap<&str, [f64; 3]> {
    let block = style.split_once(":root {").unwrap().1.split_once('}').unwrap().0;
    let variables = block.split(';').filter_map(|it| it.trim().strip_prefix("--")?.split_once(": #"));
    variables
        .map(|(name, hex)| {
            assert_eq!(hex.len(), 6, "--{name}");
            (name, [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0))
        })
        .collect()
}

/// The contrast of two colours, 1 to 21, as WCAG 2.2 defines it.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let [red, green, blue] =
            colour.map(|it| if it <= 0.040_45 { it / 12.92 } else { ((it + 0.055) / 1.055).powf(2.4) });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn texts_stand_out_in_both_themes() {
    let (light, dark) = STYLE.split_once(DARK).unwrap();
    let (light, dark) = (theme(light), theme(dark));
    assert_eq!(light.keys().collect::<Vec<_>>(), dark.keys().collect::<Vec<_>>(), "each colour has both");
    for (name, theme) in [("light", light), ("dark", dark)] {
        for (text, grounds) in TEXTS {
            for ground in grounds {
                let contrast = contrast(theme[text], theme[ground]);
                assert!(contrast >= 4.5, "{name}: --{text} on --{ground}: {contrast:.2}");
            }
        }
    }
}

#[test]
fn contrast_is_that_of_the_standard() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
    // #767676 on white is the usual example of a grey that just passes.
    assert!((contrast([f64::from(0x76_u8) / 255.0; 3], [1.0; 3]) - 4.54).abs() < 0.01);
}
