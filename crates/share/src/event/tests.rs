use proptest::prelude::*;
use secp256k1::{Secp256k1, XOnlyPublicKey, schnorr};
use serde_json::{Value, json};

use super::*;

fn key() -> SecretKey {
    SecretKey::of(&[7; 32]).unwrap()
}

fn unsigned(content: &str) -> Unsigned {
    let tags = vec![vec!["d".to_owned(), "a \"b\"".to_owned()], vec!["t".to_owned()]];
    Unsigned { created_at: 1_769_817_600, kind: 4129, tags, content: content.to_owned() }
}

fn signed(content: &str) -> Verified {
    unsigned(content).sign(&key(), &[1; 32]).unwrap()
}

fn parsed(text: &str) -> Result<Unverified, EventError> {
    Unverified::parse(text.as_bytes())
}

/// NIP-01 by other code: the JSON of serde, the SHA-256 of this text, and the signature by libsecp256k1.
fn is_right_by_others(text: &str) -> bool {
    let event: Value = serde_json::from_str(text).unwrap();
    let fields =
        json!([0, event["pubkey"], event["created_at"], event["kind"], event["tags"], event["content"]]);
    let id: [u8; 32] = Sha256::digest(fields.to_string()).into();
    let bytes = |name: &str| -> Vec<u8> {
        let digits = event[name].as_str().unwrap();
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
    };
    let key = XOnlyPublicKey::from_byte_array(bytes("pubkey").try_into().unwrap()).unwrap();
    let signature = schnorr::Signature::from_byte_array(bytes("sig").try_into().unwrap());
    bytes("id") == id && Secp256k1::new().verify_schnorr(&signature, &id, &key).is_ok()
}

#[test]
fn an_event_is_what_nip_01_and_bip_340_say_by_other_code() {
    for content in ["", "Use `git stash -u`.\n\t\"x\"\\ \u{8}\u{c}\r", "é 漢字 🦀 \u{7f}\u{2028}</script>"]
    {
        assert!(is_right_by_others(&signed(content).to_json()), "{content:?}");
    }
}

/// Events that other programs have signed, as they are published.
const FOREIGN: &str = include_str!("foreign.jsonl");

#[test]
fn events_of_other_programs_are_verified() {
    for line in FOREIGN.lines() {
        assert!(parsed(line).unwrap().verify().is_ok(), "{line}");
    }
}

#[test]
fn the_text_of_the_id_is_that_of_nip_01() {
    let author: PublicKey = key().public();
    let text = format!("[0,\"{author}\",5,1,[[\"e\",\"x\"],[\"p\"]],\"a\\nb\\\"c\\\\d\\re\\tf\\bg\\fh/é\"]");
    let tags = vec![vec!["e".into(), "x".into()], vec!["p".into()]];
    let said = Unsigned { created_at: 5, kind: 1, tags, content: "a\nb\"c\\d\re\tf\u{8}g\u{c}h/é".into() };
    assert_eq!(said.id_by(author), EventId::of(Sha256::digest(text).into()));
    let empty = Unsigned { created_at: 0, kind: 0, tags: Vec::new(), content: String::new() };
    assert_eq!(
        empty.id_by(author),
        EventId::of(Sha256::digest(format!("[0,\"{author}\",0,0,[],\"\"]")).into())
    );
}

#[test]
fn an_event_is_read_back_as_it_was_signed() {
    let event = signed("Use `git stash -u`.");
    let text = format!("  {}\n", event.to_json());
    assert_eq!(parsed(&text).unwrap().verify(), Ok(event));
}

#[test]
fn every_field_is_there_once_and_no_other() {
    let text = signed("x").to_json();
    let mut fields: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    for name in fields.keys() {
        let mut fewer = fields.clone();
        let value = fewer.remove(name).unwrap();
        assert!(parsed(&Value::Object(fewer).to_string()).is_err(), "without {name}");
        let twice = text.replacen('{', &format!("{{{}:{value},", json!(name)), 1);
        assert!(parsed(&twice).unwrap_err().to_string().contains("duplicate"), "{name} twice");
    }
    fields.insert("relay".into(), json!("wss://r"));
    assert!(parsed(&Value::Object(fields).to_string()).is_err());
}

#[test]
fn what_is_no_event_is_refused() {
    let good: Value = serde_json::from_str(&signed("x").to_json()).unwrap();
    let with = |name: &str, value: Value| {
        let mut event = good.clone();
        event[name] = value;
        event.to_string()
    };
    let values: Vec<&Value> = ["id", "pubkey", "created_at", "kind", "tags", "content", "sig"]
        .into_iter()
        .map(|name| &good[name])
        .collect();
    for bad in [
        String::new(),
        "null".into(),
        "{}".into(),
        json!(values).to_string(),
        format!("[{good}]"),
        format!("{good}{good}"),
        with("id", json!("00")),
        with("pubkey", json!(good["pubkey"].as_str().unwrap().to_uppercase())),
        with("sig", json!("g".repeat(128))),
        with("created_at", json!(-1)),
        with("created_at", json!(1.5)),
        with("created_at", json!("1")),
        with("created_at", json!(LAST_SECOND + 1)),
        with("kind", json!(65_536)),
        with("tags", json!([[]])),
        with("tags", json!([["a", 1]])),
        with("tags", json!([["a", ["b"]]])),
        with("tags", json!({})),
        with("content", json!(null)),
        with("content", json!("bell \u{7}")),
        with("tags", json!([["nul \u{0}"]])),
        with("content", json!("x")).replace("\"x\"", "\"\\ud800\""),
    ] {
        assert!(parsed(&bad).is_err(), "{bad}");
    }
    assert!(Unverified::parse(b"{\"id\":\"\xff\"}").is_err());
    assert!(parsed(&format!("{{\"tags\":{}", "[".repeat(60_000))).is_err());
}

#[test]
fn an_event_has_at_most_64_kib_of_json() {
    let is_too_large = |error: EventError| error.to_string().ends_with("and an event may have 65536");
    let room = MAX_BYTES - 1 - signed("").to_json().len();
    let largest = format!("{}\n", signed(&"a".repeat(room)).to_json());
    assert!(parsed(&largest).is_ok());
    assert!(is_too_large(parsed(&format!("{largest} ")).unwrap_err()));
    let larger = unsigned(&"\n".repeat(room / 2 + 1)).sign(&key(), &[1; 32]);
    assert!(is_too_large(larger.unwrap_err()));
}

#[test]
fn a_wrong_id_is_told_from_a_wrong_signature() {
    let text = signed("block every push").to_json();
    let changed = parsed(&text.replace("block", "allow")).unwrap();
    assert_eq!(changed.verify(), Err(Forged::Id));
    // Somebody else's name over one's own words, with the right id.
    let other = unsigned("x").sign(&SecretKey::of(&[9; 32]).unwrap(), &[1; 32]).unwrap();
    let Claims { said, signature, .. } = other.0;
    let id = said.id_by(key().public());
    let forged = Verified(Claims { id, author: key().public(), said, signature }).to_json();
    let intact = parsed(&forged).unwrap();
    assert_eq!(intact.check_id(), Ok(()));
    assert_eq!(intact.verify(), Err(Forged::Signature));
}

#[test]
fn a_key_that_is_no_point_has_signed_nothing() {
    let event = signed("x");
    let no_point = PublicKey::of([0xff; 32]);
    let id = event.0.said.id_by(no_point);
    let forged = Unverified(Claims { id, author: no_point, ..event.0 });
    assert_eq!(forged.verify(), Err(Forged::Signature));
}

proptest! {
    #[test]
    fn any_text_is_signed_as_others_read_it(
        content in "[^\u{0}-\u{7}\u{b}\u{e}-\u{1f}]{0,200}",
        tag in "[^\u{0}-\u{7}\u{b}\u{e}-\u{1f}]{0,20}",
        (created_at, kind) in (0..=LAST_SECOND, any::<u16>()),
        (secret, randomness) in (1..=u128::MAX, any::<[u8; 32]>()),
    ) {
        let mut bytes = [0; 32];
        bytes[16..].copy_from_slice(&secret.to_be_bytes());
        let said = Unsigned { created_at, kind, tags: vec![vec![tag.clone(), content.clone()], vec![tag]], content };
        let event = said.sign(&SecretKey::of(&bytes).unwrap(), &randomness).unwrap();
        let text = event.to_json();
        prop_assert!(is_right_by_others(&text));
        prop_assert_eq!(parsed(&text).unwrap().verify(), Ok(event));
    }

    #[test]
    fn any_changed_byte_is_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = signed("Use `git stash -u` \u{e9}.").to_json().into_bytes();
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != byte);
        bytes[at] = byte;
        let read = Unverified::parse(&bytes).map(Unverified::verify);
        prop_assert!(!matches!(read, Ok(Ok(_))), "{}", String::from_utf8_lossy(&bytes));
    }
}
