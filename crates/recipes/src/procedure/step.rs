//! How the recipes here tell a procedure: by keys and closures.

use store::{Error, FromReply, Member, Reply, ToKeys, Tx};

use super::{Procedure, on_a_store_only, unexpected};
use crate::request::Request;

/// The procedure that does `run` on those keys.
///
/// The recipes here tell theirs so: there is nothing to say of one but its keys and what is done, on a store and [on a
/// server](Step::on_server).
#[inline]
pub(crate) const fn step<K, R, F>(keys: K, run: F) -> Step<'static, K, F, StoreOnly>
where
    K: ToKeys + Copy,
    F: Fn(&Tx<'_>) -> Result<R, Error>,
{
    Step { keys, member: None, run, server: StoreOnly("this step") }
}

/// As [`step`], which looks for this member in the set at the last key.
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

/// Keys, a member to look for, what is done on a store, and what on a server.
pub(crate) struct Step<'m, K, F, S> {
    keys: K,
    member: Option<Member<'m>>,
    run: F,
    server: S,
}

impl<'m, K, F> Step<'m, K, F, StoreOnly> {
    /// The same, which a server refuses: it is told what it is that a store alone has.
    #[inline]
    pub(crate) fn on_a_store_only(self, what: &'static str) -> Self {
        Self { server: StoreOnly(what), ..self }
    }

    /// The same, for which a server is sent that request, unless there is none; its reply is the output.
    #[inline]
    pub(crate) fn on_server<Q: Fn() -> I, I: IntoRequest, R: FromReply>(
        self,
        request: Q,
    ) -> Step<'m, K, F, OnServer<Q, Convert<R>>> {
        self.on_server_with(request, Reply::convert)
    }

    /// The same, for which a server is sent that request; `output` is what its reply says.
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

/// What a reply says by its type.
pub(crate) type Convert<R> = fn(Reply) -> Result<R, Error>;

/// How a server does a step whose output is `R`.
pub(crate) trait Served<R> {
    fn request(&self) -> Result<Request, Error>;
    fn output(&self, reply: Reply) -> Result<R, Error>;
}

/// Not at all: what it would be.
pub(crate) struct StoreOnly(&'static str);

impl<R> Served<R> for StoreOnly {
    fn request(&self) -> Result<Request, Error> {
        Err(on_a_store_only(self.0))
    }

    fn output(&self, reply: Reply) -> Result<R, Error> {
        Err(unexpected(&reply))
    }
}

/// What is sent to a server, or why there is nothing that does the same.
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
