//! A connection for one version of the `redis` crate.

/// Defines the connection for the version `$redis`, and the method of a store that opens it.
macro_rules! connection {
    ($version:literal, $redis:ident, $Connection:ident, $open:ident) => {
        use std::fmt;
        use std::sync::Arc;

        use parking_lot::Mutex;
        use resp::Protocol;
        use smallvec::SmallVec;
        use $redis::{Arg, Cmd, ConnectionLike, ErrorKind, RedisError, RedisResult, Value, VerbatimFormat};

        use crate::profile::Profile;
        use crate::redis_crate::packed;
        use crate::reply::Reply;
        use crate::session::Session;
        use crate::store::Store;

        #[doc = concat!("A connection of the `redis` crate, ", $version, ", to a store in the same process.")]
        ///
        /// It has a [session](Store::session) of its own, with the selected database, MULTI, WATCH, and the protocol
        /// that HELLO selects. So everything that the crate builds on its `ConnectionLike` works: `cmd`, `Commands`,
        /// `TypedCommands`, pipelines, transactions, iterators; and, with the feature `async`, the same for
        /// `aio::ConnectionLike` and `AsyncCommands`. Replies have the types, and errors the kinds, that a server's
        /// would have.
        ///
        /// A call runs the command before it returns; a future runs it when it is first polled, and is ready then.
        /// There is no network, but a command may wait for the locks of another thread, and KEYS or SAVE may take long:
        /// run long commands where blocking is allowed, for example with Tokio's `spawn_blocking`.
        ///
        /// Clones share the session, as those of the crate's `MultiplexedConnection` share a socket: their commands run
        /// one after the other, and a pipeline runs as a whole. Connections that the store opens have a session each,
        /// and run concurrently.
        ///
        /// # Differences
        ///
        /// An atomic pipeline in which a command cannot be queued fails with the error of EXEC, whose kind is
        /// `ExecAbort`; with a server, the error also contains those of the commands (`into_server_errors`).
        ///
        /// # Examples
        ///
        /// ```
        /// # use store as tallis;
        #[doc = concat!("# use ", stringify!($redis), " as redis;")]
        /// use redis::Commands;
        /// use tallis::Store;
        ///
        /// let store = Store::new();
        #[doc = concat!("let mut con = store.", stringify!($open), "();")]
        /// let _: () = con.set("visits", 41)?;
        /// let (visits, name): (i64, Option<String>) =
        ///     redis::pipe().incr("visits", 1).get("name").query(&mut con)?;
        /// assert_eq!((visits, name), (42, None));
        /// assert_eq!(store.get_as::<i64>("visits")?, 42);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone)]
        pub struct $Connection {
            session: Arc<Mutex<Session>>,
        }

        impl Store {
            #[doc = concat!("A connection of the `redis` crate, ", $version, ", to this store: see [`", stringify!($Connection), "`].")]
            ///
            /// It starts on this handle's database, with RESP2 replies.
            #[must_use]
            pub fn $open(&self) -> $Connection {
                $Connection { session: Arc::new(Mutex::new(self.session())) }
            }
        }

        impl $Connection {
            /// Selects the protocol of the replies, as HELLO does.
            ///
            /// # Examples
            ///
            /// ```
            /// # use store as tallis;
            #[doc = concat!("# use ", stringify!($redis), " as redis;")]
            /// use redis::{Value, cmd};
            /// use tallis::{Protocol, Store};
            ///
            #[doc = concat!("let con = Store::new().", stringify!($open), "();")]
            /// let mut con = con.with_protocol(Protocol::Resp3);
            /// assert_eq!(cmd("SMEMBERS").arg("none").query(&mut con), Ok(Value::Set(Vec::new())));
            /// ```
            #[must_use]
            pub fn with_protocol(self, protocol: Protocol) -> Self {
                self.session.lock().set_protocol(protocol);
                self
            }

            /// The number of the selected database.
            fn db(&self) -> i64 {
                self.session.lock().db_number().into()
            }
        }

        impl fmt::Debug for $Connection {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let session = self.session.try_lock();
                f.debug_struct(stringify!($Connection)).field("session", &session).finish()
            }
        }

        impl ConnectionLike for $Connection {
            fn req_packed_command(&mut self, cmd: &[u8]) -> RedisResult<Value> {
                run_packed(&mut self.session.lock(), cmd)
            }

            fn req_packed_commands(
                &mut self,
                cmd: &[u8],
                offset: usize,
                count: usize,
            ) -> RedisResult<Vec<Value>> {
                let values = run_all_packed(&mut self.session.lock(), cmd)?;
                returned(values, offset, count)
            }

            fn req_command(&mut self, cmd: &Cmd) -> RedisResult<Value> {
                run(&mut self.session.lock(), cmd)
            }

            fn get_db(&self) -> i64 {
                self.db()
            }

            fn check_connection(&mut self) -> bool {
                true
            }

            fn is_open(&self) -> bool {
                true
            }
        }

        #[cfg(feature = "async")]
        impl $redis::aio::ConnectionLike for $Connection {
            fn req_packed_command<'a>(
                &'a mut self,
                cmd: &'a Cmd,
            ) -> $redis::RedisFuture<'a, Value> {
                Box::pin(async { run(&mut self.session.lock(), cmd) })
            }

            fn req_packed_commands<'a>(
                &'a mut self,
                pipeline: &'a $redis::Pipeline,
                offset: usize,
                count: usize,
            ) -> $redis::RedisFuture<'a, Vec<Value>> {
                Box::pin(async move {
                    let values = run_all(&mut self.session.lock(), pipeline)?;
                    returned(values, offset, count)
                })
            }

            fn get_db(&self) -> i64 {
                self.db()
            }
        }

        /// Runs a command.
        fn run(session: &mut Session, cmd: &Cmd) -> RedisResult<Value> {
            if cmd.args_iter().len() == 0 {
                return Err(empty());
            }
            let value = match words(cmd.args_iter()) {
                Some(words) => execute(session, &words),
                None => run_packed(session, &cmd.get_packed_command())?,
            };
            Ok(if cmd.is_no_response() { Value::Nil } else { value })
        }

        fn execute(session: &mut Session, words: &[&[u8]]) -> Value {
            let reply = session.execute(words);
            value(reply, session.profile())
        }

        /// Runs the commands of a pipeline, between MULTI and EXEC if it is atomic.
        #[cfg(feature = "async")]
        fn run_all(
            session: &mut Session,
            pipeline: &$redis::Pipeline,
        ) -> RedisResult<Vec<Value>> {
            if pipeline.is_empty() {
                return Err(empty());
            }
            let commands = pipeline.cmd_iter().map(|cmd| words(cmd.args_iter()));
            let Some(commands) = commands.collect::<Option<Vec<_>>>() else {
                return run_all_packed(session, &pipeline.get_packed_pipeline());
            };
            let atomic = pipeline.is_transaction();
            let mut values = Vec::with_capacity(commands.len() + 2);
            if atomic {
                values.push(execute(session, &[b"MULTI"]));
            }
            values.extend(commands.iter().map(|words| execute(session, words)));
            if atomic {
                values.push(execute(session, &[b"EXEC"]));
            }
            Ok(values)
        }

        /// Runs the command that the bytes encode.
        fn run_packed(session: &mut Session, bytes: &[u8]) -> RedisResult<Value> {
            let mut values = run_all_packed(session, bytes)?;
            match (values.pop(), values.is_empty()) {
                (Some(value), true) => Ok(value),
                _ => Err((ErrorKind::Client, "the bytes are not exactly one command").into()),
            }
        }

        /// Runs the commands that the bytes encode.
        fn run_all_packed(session: &mut Session, bytes: &[u8]) -> RedisResult<Vec<Value>> {
            if bytes.is_empty() {
                return Err(empty());
            }
            let (replies, wrong) = packed::run(session, bytes);
            if let Some(wrong) = wrong {
                return Err((ErrorKind::Client, "the bytes are not valid commands", wrong).into());
            }
            let profile = session.profile();
            Ok(replies.into_iter().map(|reply| value(reply, profile)).collect())
        }

        /// The crate's error for an empty command.
        #[cold]
        fn empty() -> RedisError {
            (ErrorKind::Client, "empty command").into()
        }

        /// The words of a command; `None` if one of them is a cursor, which the crate only inserts when it encodes the
        /// command.
        fn words<'a>(
            args: impl Iterator<Item = Arg<&'a [u8]>>,
        ) -> Option<SmallVec<[&'a [u8]; 8]>> {
            let word = |arg| if let Arg::Simple(word) = arg { Some(word) } else { None };
            args.map(word).collect()
        }

        /// The results of a pipeline: `count` values after the first ones, which are those of MULTI and of the queued
        /// commands. If one of these is an error, so is the value of EXEC.
        fn returned(
            mut values: Vec<Value>,
            offset: usize,
            count: usize,
        ) -> RedisResult<Vec<Value>> {
            if values.len() < offset.saturating_add(count) {
                let why = "the pipeline has fewer commands than requested replies";
                return Err((ErrorKind::Client, why).into());
            }
            values.truncate(offset + count);
            let returned = values.split_off(offset);
            if let Some(error) =
                values.into_iter().find(|value| matches!(value, Value::ServerError(_)))
            {
                let aborted = returned.into_iter().find(|v| matches!(v, Value::ServerError(_)));
                return aborted.unwrap_or(error).extract_error().map(|value| vec![value]);
            }
            Ok(returned)
        }

        /// The value that the crate would parse from the bytes of a reply.
        fn value(reply: Reply, profile: Profile) -> Value {
            let each = |reply| value(reply, profile);
            let pair = |(key, of_key)| (each(key), each(of_key));
            match reply {
                Reply::Status(text) if text == "OK" => Value::Okay,
                Reply::Status(text) => Value::SimpleString(text.into_owned()),
                Reply::Int(number) => Value::Int(number),
                Reply::Bulk(bytes) => Value::BulkString(bytes.into()),
                Reply::Nil | Reply::NullArray => Value::Nil,
                Reply::Array(all) => Value::Array(all.into_iter().map(each).collect()),
                Reply::Set(all) => Value::Set(all.into_iter().map(each).collect()),
                Reply::Map(pairs) => Value::Map(pairs.into_iter().map(pair).collect()),
                Reply::Named(name, of_name) => {
                    Value::Map(vec![(Value::SimpleString(name.to_owned()), each(*of_name))])
                }
                Reply::Pairs(pairs) => {
                    let pairs = pairs.into_iter().map(pair);
                    Value::Array(pairs.map(|(a, b)| Value::Array(vec![a, b])).collect())
                }
                Reply::Boolean(yes) => Value::Boolean(yes),
                Reply::Verbatim(text) => {
                    Value::VerbatimString { format: VerbatimFormat::Text, text }
                }
                // Only the crate can create errors, from bytes, and the digits of a number are those that a server
                // sends.
                reply @ (Reply::Error(_) | Reply::Double(_) | Reply::Coordinate(_)) => {
                    let mut bytes = Vec::new();
                    reply.write(Protocol::Resp3, profile, &mut bytes);
                    $redis::parse_redis_value(&bytes).unwrap_or_default()
                }
            }
        }
    };
}
