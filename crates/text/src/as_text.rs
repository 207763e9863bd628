//! Types that are a text in JSON: the one that they print.

/// Has serde write types as they print, and read them as they parse.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Percent(u8);
///
/// impl std::fmt::Display for Percent {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         write!(f, "{} %", self.0)
///     }
/// }
///
/// impl std::str::FromStr for Percent {
///     type Err = &'static str;
///     fn from_str(text: &str) -> Result<Self, Self::Err> {
///         text.strip_suffix(" %").and_then(|text| text.parse().ok()).map(Self).ok_or("no percentage")
///     }
/// }
///
/// lessons_text::serde_as_text!(Percent);
///
/// assert_eq!(serde_json::to_string(&Percent(7)).unwrap(), "\"7 %\"");
/// assert_eq!(serde_json::from_str::<Percent>("\"7 %\"").unwrap(), Percent(7));
/// assert_eq!(serde_json::from_str::<Percent>("\"7\"").unwrap_err().to_string(), "no percentage");
/// ```
#[macro_export]
macro_rules! serde_as_text {
    ($($type:ty),+) => {$(
        impl $crate::serde::Serialize for $type {
            fn serialize<S: $crate::serde::Serializer>(&self, into: S) -> ::std::result::Result<S::Ok, S::Error> {
                into.collect_str(self)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(from: D) -> ::std::result::Result<Self, D::Error> {
                let text = <::std::string::String as $crate::serde::Deserialize>::deserialize(from)?;
                text.parse().map_err($crate::serde::de::Error::custom)
            }
        }
    )+};
}
