//! Enums whose values have a name each: the same in files, in the database, on the command line and in sentences.

/// The reason why a text names no value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not one of {}", names.join(", "))]
pub struct UnknownName {
    given: String,
    names: &'static [&'static str],
}

impl UnknownName {
    /// The error for a text where one of `names` was expected.
    pub fn new(given: &str, names: &'static [&'static str]) -> Self {
        Self { given: given.to_owned(), names }
    }
}

/// An enum that [`named!`](crate::named!) defined, for what is done with several of them alike.
pub trait Named: Copy + PartialEq + std::fmt::Display + 'static {
    /// Every value, in the order of the definition.
    const VALUES: &'static [Self];
}

/// Defines an enum by the names of its values. Printing, parsing and serde go by them.
///
/// ```
/// lessons_text::named! {
///     /// A way to go.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum Way {
///         /// Up.
///         Up = "up",
///         /// Sideways.
///         Sideways = "side ways",
///     }
/// }
/// assert_eq!(Way::ALL, [Way::Up, Way::Sideways]);
/// assert_eq!((Way::Sideways.name(), Way::named("up")), ("side ways", Some(Way::Up)));
/// assert_eq!("left".parse::<Way>().unwrap_err().to_string(), "`left` is not one of up, side ways");
/// assert_eq!(serde_json::to_string(&Way::Sideways).unwrap(), "\"side ways\"");
/// let unknown = serde_json::from_str::<Way>("\"left\"").unwrap_err();
/// assert!(unknown.to_string().starts_with("unknown variant `left`, expected `up` or `side ways`"));
/// ```
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $type:ident {
        $($(#[$of_value:meta])* $value:ident = $name:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        $vis enum $type { $($(#[$of_value])* $value),+ }

        #[allow(dead_code, reason = "not every type is used in every way")]
        impl $type {
            /// Every value, in the order of the definition.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The names of all values, in the same order.
            $vis const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name of the value.
            $vis fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }

            /// The value of a name.
            $vis fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$value),)+
                    _ => None,
                }
            }
        }

        impl $crate::named::Named for $type {
            const VALUES: &'static [Self] = &Self::ALL;
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::named::UnknownName;

            fn from_str(name: &str) -> ::std::result::Result<Self, Self::Err> {
                Self::named(name).ok_or_else(|| $crate::named::UnknownName::new(name, Self::NAMES))
            }
        }

        impl $crate::serde::Serialize for $type {
            fn serialize<S>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error>
            where
                S: $crate::serde::Serializer,
            {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
            where
                D: $crate::serde::Deserializer<'de>,
            {
                let name = <::std::borrow::Cow<'de, str> as $crate::serde::Deserialize>::deserialize(deserializer)?;
                let unknown = || $crate::serde::de::Error::unknown_variant(&name, Self::NAMES);
                Self::named(&name).ok_or_else(unknown)
            }
        }
    };
}
