//! Serialization of a struct into fields and values.

use serde::ser::{Impossible, Serialize, SerializeMap, SerializeStruct, Serializer};

use super::Mismatch;
use crate::to_member::ToMember;

/// A field and its value, if it has one.
type Field = (Vec<u8>, Option<Vec<u8>>);

/// Serializer for a struct or a map.
#[derive(Debug, Default)]
pub(super) struct Fields {
    all: Vec<Field>,
    /// The key of a map, until its value follows.
    key: Vec<u8>,
}

/// Serializer for the value of a field; `None` for a missing one.
#[derive(Debug)]
struct Text;

/// Defines methods for types that can be neither a field nor a hash.
macro_rules! refuse {
    ($refused:expr; $($method:ident($($type:ty),*) -> $result:ty;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$result, Mismatch> {
            Err($refused)
        }
    )*};
}

fn no_struct() -> Mismatch {
    Mismatch("a hash must be a struct or a map".to_owned())
}

impl Serializer for Fields {
    type Ok = Vec<Field>;
    type Error = Mismatch;
    type SerializeSeq = Impossible<Self::Ok, Mismatch>;
    type SerializeTuple = Impossible<Self::Ok, Mismatch>;
    type SerializeTupleStruct = Impossible<Self::Ok, Mismatch>;
    type SerializeTupleVariant = Impossible<Self::Ok, Mismatch>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<Self::Ok, Mismatch>;

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Mismatch> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Mismatch> {
        Ok(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Self::Ok, Mismatch> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok, Mismatch> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Self::Ok, Mismatch> {
        Err(no_struct())
    }

    refuse! {
        no_struct();
        serialize_bool(bool) -> Self::Ok;
        serialize_i8(i8) -> Self::Ok;
        serialize_i16(i16) -> Self::Ok;
        serialize_i32(i32) -> Self::Ok;
        serialize_i64(i64) -> Self::Ok;
        serialize_u8(u8) -> Self::Ok;
        serialize_u16(u16) -> Self::Ok;
        serialize_u32(u32) -> Self::Ok;
        serialize_u64(u64) -> Self::Ok;
        serialize_f32(f32) -> Self::Ok;
        serialize_f64(f64) -> Self::Ok;
        serialize_char(char) -> Self::Ok;
        serialize_str(&str) -> Self::Ok;
        serialize_bytes(&[u8]) -> Self::Ok;
        serialize_none() -> Self::Ok;
        serialize_unit() -> Self::Ok;
        serialize_unit_struct(&'static str) -> Self::Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> Self::Ok;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}

impl SerializeStruct for Fields {
    type Ok = Vec<Field>;
    type Error = Mismatch;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Mismatch> {
        self.all.push((name.into(), value.serialize(Text)?));
        Ok(())
    }

    fn end(self) -> Result<Self::Ok, Mismatch> {
        Ok(self.all)
    }
}

impl SerializeMap for Fields {
    type Ok = Vec<Field>;
    type Error = Mismatch;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Mismatch> {
        self.key = key.serialize(Text)?.ok_or_else(|| Mismatch::no_text("nothing"))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Mismatch> {
        self.all.push((std::mem::take(&mut self.key), value.serialize(Text)?));
        Ok(())
    }

    fn end(self) -> Result<Self::Ok, Mismatch> {
        Ok(self.all)
    }
}

/// Defines methods for types with a text form, the same as for members of a set.
macro_rules! texts {
    ($($method:ident($type:ty);)*) => {$(
        fn $method(self, value: $type) -> Result<Self::Ok, Mismatch> {
            Ok(Some(value.with_member(|member| member.with_bytes(<[u8]>::to_vec))))
        }
    )*};
}

impl Serializer for Text {
    type Ok = Option<Vec<u8>>;
    type Error = Mismatch;
    type SerializeSeq = Impossible<Self::Ok, Mismatch>;
    type SerializeTuple = Impossible<Self::Ok, Mismatch>;
    type SerializeTupleStruct = Impossible<Self::Ok, Mismatch>;
    type SerializeTupleVariant = Impossible<Self::Ok, Mismatch>;
    type SerializeMap = Impossible<Self::Ok, Mismatch>;
    type SerializeStruct = Impossible<Self::Ok, Mismatch>;
    type SerializeStructVariant = Impossible<Self::Ok, Mismatch>;

    texts! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
    }

    fn serialize_none(self) -> Result<Self::Ok, Mismatch> {
        Ok(None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok, Mismatch> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Self::Ok, Mismatch> {
        value.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Self::Ok, Mismatch> {
        Ok(Some(variant.into()))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: &T,
    ) -> Result<Self::Ok, Mismatch> {
        Err(Mismatch::no_text(variant))
    }

    refuse! {
        Mismatch::no_text("a unit");
        serialize_unit() -> Self::Ok;
        serialize_unit_struct(&'static str) -> Self::Ok;
    }

    refuse! {
        Mismatch::no_text("a list");
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
    }

    refuse! {
        Mismatch::no_text("a map");
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
