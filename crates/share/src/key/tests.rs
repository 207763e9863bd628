//! The test vectors of BIP-340, as its page on <https://bips.dev/340> links them.

use super::*;

const VECTORS: &str = include_str!("bip-0340.csv");

fn digits(text: &str) -> Vec<u8> {
    let pair = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(pair).collect()
}

#[test]
fn the_vectors_of_bip_340_are_signed_and_checked_as_it_says() {
    let mut signed = 0;
    for row in VECTORS.lines().skip(1) {
        let [_, secret, public, randomness, message, signature, result] =
            row.split(',').collect::<Vec<_>>().try_into().unwrap();
        let [public, message, signature] = [public, message, signature].map(digits);
        let (public, signature) = (PublicKey::of(public.try_into().unwrap()), signature.try_into().unwrap());
        assert_eq!(public.has_signed(&message, &signature), result == "TRUE", "{row}");
        if !secret.is_empty() {
            let key = SecretKey::of(&digits(secret).try_into().unwrap()).unwrap();
            let randomness = digits(randomness).try_into().unwrap();
            assert_eq!(
                (key.public(), key.signature(&message, &randomness)),
                (public, Some(signature)),
                "{row}"
            );
            signed += 1;
        }
    }
    assert_eq!((VECTORS.lines().count(), signed), (20, 8));
}

#[test]
fn a_key_is_not_shown() {
    let text = "b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef";
    let key = SecretKey::parse(text).unwrap();
    assert!(!format!("{key:?}").contains(&text[..8]));
    assert_eq!(*key.to_text(), text);
}

#[test]
fn zero_and_the_order_of_the_group_are_no_keys() {
    assert!(SecretKey::of(&[0; 32]).is_none());
    let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    assert!(SecretKey::parse(order).is_none());
    assert!(SecretKey::parse("B7E1").is_none());
}
