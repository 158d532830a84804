//! Deserialization of a struct from fields and values.

use std::any::type_name;
use std::str::FromStr;

use bytes::Bytes;
use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::Mismatch;

/// Deserializes a struct or a map.
pub(super) fn fields<T: DeserializeOwned>(fields: &[(Bytes, Bytes)]) -> Result<T, Mismatch> {
    let fields = fields.iter().map(|(field, value)| (Text(field), Text(value)));
    T::deserialize(MapDeserializer::new(fields))
}

/// A field, or the value of one.
#[derive(Clone, Copy, Debug)]
struct Text<'t>(&'t [u8]);

impl<'t> Text<'t> {
    fn as_str(self) -> Result<&'t str, Mismatch> {
        str::from_utf8(self.0).map_err(|_| self.cannot_parse_as("UTF-8"))
    }

    fn parse<T: FromStr>(self) -> Result<T, Mismatch> {
        self.as_str()?.parse().map_err(|_| self.cannot_parse_as(type_name::<T>()))
    }

    #[cold]
    fn cannot_parse_as(self, name: &str) -> Mismatch {
        /// The maximum number of bytes of a value in an error text.
        const SHOWN: usize = 40;
        let shown = self.0.get(..SHOWN).unwrap_or(self.0).escape_ascii();
        Mismatch::custom(format_args!("cannot parse \"{shown}\" as {name}"))
    }
}

impl IntoDeserializer<'_, Mismatch> for Text<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Numbers, parsed from decimal.
macro_rules! numbers {
    ($($method:ident => $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
            visitor.$visit(self.parse()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Text<'_> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match str::from_utf8(self.0) {
            Ok(text) => visitor.visit_str(text),
            Err(_) => visitor.visit_bytes(self.0),
        }
    }

    numbers! {
        deserialize_i8 => visit_i8;
        deserialize_i16 => visit_i16;
        deserialize_i32 => visit_i32;
        deserialize_i64 => visit_i64;
        deserialize_i128 => visit_i128;
        deserialize_u8 => visit_u8;
        deserialize_u16 => visit_u16;
        deserialize_u32 => visit_u32;
        deserialize_u64 => visit_u64;
        deserialize_u128 => visit_u128;
        deserialize_f32 => visit_f32;
        deserialize_f64 => visit_f64;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0 {
            b"1" => visitor.visit_bool(true),
            b"0" => visitor.visit_bool(false),
            _ => visitor.visit_bool(self.parse()?),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_char(self.parse()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_str(self.as_str()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_bytes(self.0)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_bytes(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        let variant: StrDeserializer<'_, Mismatch> = self.as_str()?.into_deserializer();
        variant.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        identifier ignored_any unit unit_struct seq tuple tuple_struct map struct
    }
}
