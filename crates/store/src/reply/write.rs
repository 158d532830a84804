//! Encoding of replies for a socket.

use resp::{Protocol, Writer};

use super::{Reply, coordinate};
use crate::profile::Profile;

impl Reply {
    /// Appends the bytes that a server sends for this reply: in the given protocol, with scores in the digits of the
    /// profile. In RESP2 the bytes are those of [`into_resp2`](Self::into_resp2).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{Protocol, Store};
    ///
    /// let store = Store::new();
    /// store.execute(&["ZADD", "z", "0.5", "m"]);
    /// let score = store.execute(&["ZSCORE", "z", "m"]);
    /// let bytes = |protocol| {
    ///     let mut out = Vec::new();
    ///     score.write(protocol, store.profile(), &mut out);
    ///     out
    /// };
    /// assert_eq!(bytes(Protocol::Resp2), b"$3\r\n0.5\r\n");
    /// assert_eq!(bytes(Protocol::Resp3), b",0.5\r\n");
    /// ```
    pub fn write(&self, protocol: Protocol, profile: Profile, out: &mut Vec<u8>) {
        self.write_to(&mut Writer::new(out, protocol), protocol, profile);
    }

    fn write_to(&self, writer: &mut Writer<'_>, protocol: Protocol, profile: Profile) {
        let each = |all: &[Self], writer: &mut Writer<'_>| {
            for one in all {
                one.write_to(writer, protocol, profile);
            }
        };
        match self {
            Self::Status(text) => writer.status(text.as_bytes()),
            Self::Error(error) => writer.error(error.to_string().as_bytes()),
            Self::Int(number) => writer.int(*number),
            Self::Boolean(yes) => writer.boolean(*yes),
            Self::Bulk(bytes) => writer.bulk(bytes),
            Self::Double(number) => writer.double(&profile.double(*number)),
            Self::Coordinate(degrees) => writer.double(&coordinate(*degrees, profile)),
            Self::Verbatim(text) => writer.verbatim(*b"txt", text.as_bytes()),
            Self::Nil => writer.null(),
            Self::NullArray => writer.null_array(),
            Self::Array(all) => {
                writer.array(all.len());
                each(all, writer);
            }
            Self::Set(all) => {
                writer.set(all.len());
                each(all, writer);
            }
            Self::Map(pairs) => {
                writer.map(pairs.len());
                for (key, value) in pairs {
                    key.write_to(writer, protocol, profile);
                    value.write_to(writer, protocol, profile);
                }
            }
            Self::Named(name, value) => match protocol {
                Protocol::Resp2 => {
                    writer.array(1);
                    value.write_to(writer, protocol, profile);
                }
                Protocol::Resp3 => {
                    writer.map(1);
                    writer.status(name.as_bytes());
                    value.write_to(writer, protocol, profile);
                }
            },
            Self::Pairs(pairs) => {
                writer.array(match protocol {
                    Protocol::Resp2 => pairs.len() * 2,
                    Protocol::Resp3 => pairs.len(),
                });
                for (first, second) in pairs {
                    if protocol == Protocol::Resp3 {
                        writer.array(2);
                    }
                    first.write_to(writer, protocol, profile);
                    second.write_to(writer, protocol, profile);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn every_kind() -> Vec<Reply> {
        let pairs = || vec![(Reply::text("k"), Reply::Double(0.1))];
        vec![
            Reply::OK,
            Reply::Error(Error::wrong_type()),
            Reply::Int(-1),
            Reply::Boolean(true),
            Reply::text("a"),
            Reply::Double(f64::INFINITY),
            Reply::Coordinate(15.5),
            Reply::Verbatim("t".to_owned()),
            Reply::Nil,
            Reply::NullArray,
            Reply::Array(vec![Reply::Nil]),
            Reply::Set(vec![Reply::Boolean(false)]),
            Reply::Map(pairs()),
            Reply::Named("n", Box::new(Reply::Set(Vec::new()))),
            Reply::Pairs(pairs()),
        ]
    }

    fn bytes(reply: &Reply, protocol: Protocol) -> String {
        let mut out = Vec::new();
        reply.write(protocol, Profile::Redis70, &mut out);
        String::from_utf8(out).unwrap().replace("\r\n", " ")
    }

    #[test]
    fn each_kind_has_its_form() {
        let wrong = "-WRONGTYPE Operation against a key holding the wrong kind of value ";
        let want = [
            ["+OK ", "+OK "],
            [wrong, wrong],
            [":-1 ", ":-1 "],
            [":1 ", "#t "],
            ["$1 a ", "$1 a "],
            ["$3 inf ", ",inf "],
            ["$4 15.5 ", ",15.5 "],
            ["$1 t ", "=5 txt:t "],
            ["$-1 ", "_ "],
            ["*-1 ", "_ "],
            ["*1 $-1 ", "*1 _ "],
            ["*1 :0 ", "~1 #f "],
            ["*2 $1 k $19 0.10000000000000001 ", "%1 $1 k ,0.10000000000000001 "],
            ["*1 *0 ", "%1 +n ~0 "],
            ["*2 $1 k $19 0.10000000000000001 ", "*1 *2 $1 k ,0.10000000000000001 "],
        ];
        let all = every_kind();
        assert_eq!(all.len(), want.len());
        for (reply, [resp2, resp3]) in all.iter().zip(want) {
            assert_eq!(bytes(reply, Protocol::Resp2), resp2);
            assert_eq!(bytes(reply, Protocol::Resp3), resp3);
            assert_eq!(bytes(&reply.clone().into_resp2(Profile::Redis70), Protocol::Resp2), resp2);
        }
    }
}
