//! Letters of other scripts that are drawn like a Latin one.

/// The Latin letter, in lower case, like which a letter is drawn; otherwise the letter itself.
///
/// These are the letters whose skeleton by UTS 39, "Unicode Security Mechanisms", is one letter of ASCII: those that are left
/// of its table when compatibility forms are folded, which a hook can hold. Marks and signs that only look like letters are not
/// among them.
#[rustfmt::skip]
pub(crate) fn latin(letter: char) -> char {
    match letter {
        'ɑ' | 'α' | 'а' | 'ᗅ' | 'ꓮ' | 'ꭤ' | '𐊠' | '𖽀' => 'a',
        '\u{7d5}' | 'ᑲ' | 'ᖯ' | 'ᗷ' | 'ꓐ' | 'ꕗ' | '𐊂' | '𐊡' | '𐌁' | '𐌜' => 'b',
        'с' | 'င' | 'ၚ' | 'ᲃ' | 'ᴄ' | 'ⲥ' | 'ꓚ' | 'ꮯ' | '𐊢' | '𐌂' | '𐐽' | '𐔛' => 'c',
        'ԁ' | 'ᑯ' | 'ᗞ' | 'ᗪ' | 'ꓒ' | 'ꓓ' => 'd',
        'е' | 'ҽ' | 'ⴹ' | 'ꓰ' | 'ꗋ' | 'ꬲ' | '𐊆' => 'e',
        'ƒ' | 'ʄ' | 'ք' | '\u{7d3}' | 'ᖴ' | 'ẝ' | 'ꓝ' | 'ꞙ' | 'ꬵ' | '𐊇' | '𐊥' | '𐔥' | '𑣂' => 'f',
        'ƍ' | 'ɡ' | 'ց' | 'ᶃ' | 'ꓖ' => 'g',
        'һ' | 'հ' | 'ᕼ' | 'ꓧ' | '𐋏' => 'h',
        'ı' | 'ɩ' | 'ɪ' | 'ι' | 'і' | 'ւ' | 'ⲓ' | 'ꙇ' | 'ꭵ' | '𑣃' => 'i',
        'ȷ' | 'ϳ' | 'ј' | 'յ' | 'ᒍ' | 'ꓙ' => 'j',
        'ᛕ' | 'ꓗ' | '𐔘' => 'k',
        'ǀ' | 'ӏ' | '\u{5d5}' | '\u{5df}' | '\u{627}' | '\u{7ca}' | 'ᒪ' | 'ᛁ' | 'ᛐ' | 'ⵊ' | 'ⵏ' | 'ꓡ' | 'ꓲ' | 'ꕯ' | 'ꞁ' | 'ꟾ' | '𐊊' | '𐌉' | '𐔎' | '𐔦' | '\u{10926}' | '\u{10c3e}' | '\u{11dda}' | '\u{16d63}' | '𖼖' | '𖼨' => 'l',
        'ᗰ' | 'ᛖ' | 'ꓟ' | '𐊰' | '𐌑' | '\u{10c21}' => 'm',
        'ո' | 'ռ' | 'ꓠ' | '𐔓' | '𑪾' => 'n',
        'ο' | 'σ' | 'ϭ' | 'о' | 'օ' | '\u{5e1}' | '\u{647}' | '\u{6be}' | '\u{6c1}' | '\u{6d5}' | '\u{7cb}' | '\u{840}' | 'ଠ' | '\u{c02}' | '\u{c82}' | '\u{d02}' | 'ഠ' | '\u{d82}' | 'ဝ' | 'ჿ' | 'ᄋ' | 'ᆼ' | 'ዐ' | 'ᩅ' | '\u{1bea}' | 'ᲂ' | 'ᴏ' | 'ᴑ' | 'ⲟ' | 'ⵔ' | '\u{3007}' | 'ꓳ' | 'ꬽ' | '𐊒' | '𐊫' | '𐌏' | '𐐬' | '𐓪' | '𐔖' | '\u{1092c}' | '\u{10c17}' | '\u{10d07}' | '𑄤' | '\u{11302}' | '𑣈' | '𑣗' | '𖫩' => 'o',
        'þ' | 'ƿ' | 'ρ' | 'ϸ' | 'р' | 'ᑭ' | 'ⲣ' | 'ⳏ' | 'ꓑ' | '𐊕' => 'p',
        'ԛ' | 'գ' | 'զ' | 'ⵕ' => 'q',
        'г' | 'ᖇ' | 'ᴦ' | 'ⲅ' | 'ꓣ' | 'ꭇ' | 'ꭈ' | 'ꮁ' | '𖨙' | '𖼵' => 'r',
        'ƽ' | 'ѕ' | 'ട' | 'ჽ' | 'ꓢ' | 'ꕶ' | 'ꜱ' | 'ꮪ' | '𐊖' | '𐑈' | '𑣁' | '𖫖' | '𖼺' => 's',
        '\u{7e0}' | 'ㄒ' | '丅' | 'ꓔ' | 'ꔋ' | '𐊗' | '𐊱' | '𐌕' | '𖼊' => 't',
        'ʋ' | 'υ' | 'ս' | 'ሀ' | 'ᑌ' | 'ᴜ' | 'ꓴ' | 'ꞟ' | 'ꭎ' | 'ꭒ' | '𐓶' | '𑣘' | '𖽂' => 'u',
        'ν' | 'ѵ' | '\u{5d8}' | 'ᐯ' | 'ᴠ' | 'ⴸ' | 'ꓦ' | 'ꛟ' | 'ꮩ' | '𐔝' | '\u{10c1f}' | '𑜆' | '𑣀' | '𖼈' => 'v',
        'ɯ' | 'ш' | 'ѡ' | 'ԝ' | 'ա' | 'ᴡ' | 'ⲽ' | 'ꓪ' | 'ꟺ' | 'ꮃ' | 'ꮤ' | '𑜊' | '𑜎' | '𑜏' => 'w',
        'х' | 'ᕁ' | 'ᕽ' | 'ᚷ' | 'ᝣ' | '\u{1bec}' | 'ᳵ' | 'ⵝ' | 'ꓫ' | '𐊐' | '𐊴' | '𐌗' | '𐔧' | '\u{10c13}' | '\u{10cc2}' => 'x',
        'ɣ' | 'ʏ' | 'γ' | 'у' | 'ү' | '\u{7cc}' | 'ყ' | 'ᶌ' | 'ỿ' | 'ⲩ' | 'ㄚ' | '丫' | 'ꓬ' | 'ꭚ' | '𐊲' | '\u{10c20}' | '𑣄' | '𑣜' | '𖽃' => 'y',
        'ᴢ' | 'ⱬ' | 'ⲍ' | 'ⴭ' | 'ꓜ' | 'ꛉ' | 'ꮓ' | '𐔇' | '𑪼' => 'z',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization as _;
    use unicode_security::confusable_detection::skeleton;

    use super::*;

    #[test]
    fn the_letters_are_those_of_the_table_of_unicode() {
        for letter in ('\u{80}'..=char::MAX).filter(|c| c.is_alphabetic()) {
            let is_folded = std::iter::once(letter).nfkc().flat_map(char::to_lowercase).eq([letter]);
            let text = letter.to_string();
            let mut drawn = skeleton(&text).flat_map(char::to_lowercase);
            let one = drawn.next().filter(|c| c.is_ascii_lowercase() && drawn.next().is_none());
            let expected = one.filter(|_| is_folded).unwrap_or(letter);
            assert_eq!(latin(letter), expected, "{letter:?} {:x}", u32::from(letter));
        }
    }
}
