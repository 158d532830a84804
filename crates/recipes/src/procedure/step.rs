//! Procedures that are built from keys and closures.

use store::{Error, FromReply, Member, Reply, ToKeys, Tx};

use super::{Procedure, on_a_store_only, unexpected};
use crate::request::Request;

/// Builds a procedure that calls `run` on these keys.
///
/// The recipes of this crate build theirs so: from the keys, a closure for a store, and a [request for a
/// server](Step::on_server).
#[inline]
pub(crate) const fn step<K, R, F>(keys: K, run: F) -> Step<'static, K, F, StoreOnly>
where
    K: ToKeys + Copy,
    F: Fn(&Tx<'_>) -> Result<R, Error>,
{
    Step { keys, member: None, run, server: StoreOnly("this step") }
}

/// As [`step`], with a lookup of this member in the set at the last key.
#[inline]
pub(crate) const fn step_on<K, R, F>(
    keys: K,
    member: Member<'_>,
    run: F,
) -> Step<'_, K, F, StoreOnly>
where
    K: ToKeys + Copy,
    F: Fn(&Tx<'_>) -> Result<R, Error>,
{
    Step { keys, member: Some(member), run, server: StoreOnly("this step") }
}

/// The keys, a member to look up, the closure for a store, and the request for a server.
pub(crate) struct Step<'m, K, F, S> {
    keys: K,
    member: Option<Member<'m>>,
    run: F,
    server: S,
}

impl<'m, K, F> Step<'m, K, F, StoreOnly> {
    /// Sets the reason for which a server refuses it, which names what needs a store.
    #[inline]
    pub(crate) fn on_a_store_only(self, what: &'static str) -> Self {
        Self { server: StoreOnly(what), ..self }
    }

    /// Sets the request for a server, unless there is none; its reply is the output.
    #[inline]
    pub(crate) fn on_server<Q: Fn() -> I, I: IntoRequest, R: FromReply>(
        self,
        request: Q,
    ) -> Step<'m, K, F, OnServer<Q, Convert<R>>> {
        self.on_server_with(request, Reply::convert)
    }

    /// Sets the request for a server; `output` converts its reply.
    #[inline]
    pub(crate) fn on_server_with<Q, I, R, A>(
        self,
        request: Q,
        output: A,
    ) -> Step<'m, K, F, OnServer<Q, A>>
    where
        Q: Fn() -> I,
        I: IntoRequest,
        A: Fn(Reply) -> Result<R, Error>,
    {
        let Self { keys, member, run, .. } = self;
        Step { keys, member, run, server: OnServer { request, output } }
    }
}

/// Converts a reply by its type.
pub(crate) type Convert<R> = fn(Reply) -> Result<R, Error>;

/// How a server runs a step with the output `R`.
pub(crate) trait Served<R> {
    fn request(&self) -> Result<Request, Error>;
    fn output(&self, reply: Reply) -> Result<R, Error>;
}

/// Not at all, with the name of what it would be.
pub(crate) struct StoreOnly(&'static str);

impl<R> Served<R> for StoreOnly {
    fn request(&self) -> Result<Request, Error> {
        Err(on_a_store_only(self.0))
    }

    fn output(&self, reply: Reply) -> Result<R, Error> {
        Err(unexpected(&reply))
    }
}

/// A request, or the reason why there is none.
pub(crate) trait IntoRequest {
    fn into_request(self) -> Result<Request, Error>;
}

impl IntoRequest for Request {
    fn into_request(self) -> Result<Request, Error> {
        Ok(self)
    }
}

impl IntoRequest for Result<Request, Error> {
    fn into_request(self) -> Result<Request, Error> {
        self
    }
}

/// By a request.
pub(crate) struct OnServer<Q, A> {
    request: Q,
    output: A,
}

impl<R, Q, I, A> Served<R> for OnServer<Q, A>
where
    Q: Fn() -> I,
    I: IntoRequest,
    A: Fn(Reply) -> Result<R, Error>,
{
    fn request(&self) -> Result<Request, Error> {
        (self.request)().into_request()
    }

    fn output(&self, reply: Reply) -> Result<R, Error> {
        (self.output)(reply)
    }
}

impl<K, R, F, S> Procedure for Step<'_, K, F, S>
where
    K: ToKeys + Copy,
    F: Fn(&Tx<'_>) -> Result<R, Error>,
    S: Served<R>,
{
    type Output = R;
    type Keys<'p>
        = K
    where
        Self: 'p;

    #[inline]
    fn keys(&self) -> K {
        self.keys
    }

    #[inline]
    fn member(&self) -> Option<Member<'_>> {
        self.member
    }

    #[inline]
    fn run(&self, tx: &Tx<'_>) -> Result<R, Error> {
        (self.run)(tx)
    }

    fn request(&self) -> Result<Request, Error> {
        self.server.request()
    }

    fn output(&self, reply: Reply) -> Result<R, Error> {
        self.server.output(reply)
    }
}
