//! Runs the examples.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::{env, io};

use tallis::{ManualClock, Store};
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Builder, Runtime};

#[path = "../examples/crawler.rs"]
mod crawler;
#[path = "../examples/ip_cities.rs"]
mod ip_cities;
#[path = "../examples/leaderboard.rs"]
mod leaderboard;
#[path = "../examples/nearby.rs"]
mod nearby;
#[path = "../examples/parts.rs"]
#[expect(dead_code, reason = "its main function starts the program again")]
mod parts;
#[path = "../examples/rate_limit.rs"]
#[expect(dead_code, reason = "its main function never returns")]
mod rate_limit;
#[cfg(feature = "redis")]
#[path = "../examples/redis_connection.rs"]
#[expect(dead_code, reason = "its main function reads arguments")]
mod redis_connection;
#[cfg(feature = "redis")]
#[path = "../examples/visitors.rs"]
#[expect(dead_code, reason = "its main function reads arguments")]
mod visitors;
#[path = "../examples/visits.rs"]
#[expect(dead_code, reason = "its main function never returns")]
mod visits;
#[path = "../examples/votes.rs"]
mod votes;

#[test]
fn addresses_have_cities() {
    ip_cities::main().unwrap();
}

#[test]
fn votes_count_once() {
    votes::main().unwrap();
}

#[test]
fn players_have_places() {
    leaderboard::main().unwrap();
}

#[test]
fn towns_are_near() {
    nearby::main().unwrap();
}

#[test]
fn a_crawler_continues() {
    crawler::main().unwrap();
}

#[test]
fn processes_count_parts() {
    let child = |part: u32, file: &Path| {
        let mut command = Command::new(env::current_exe()?);
        command
            .args(["--exact", "a_part", "--ignored"])
            .env("TALLIS_PART", part.to_string())
            .env("TALLIS_PART_FILE", file)
            .stdout(Stdio::null());
        Ok(command)
    };
    parts::add_up(child).unwrap();
}

#[test]
#[ignore = "the process that the test of parts starts"]
fn a_part() {
    // This test is also run with all ignored tests; then it has nothing to do.
    let Ok(part) = env::var("TALLIS_PART") else { return };
    let file = env::var_os("TALLIS_PART_FILE").unwrap();
    parts::count_part(part.parse().unwrap(), Path::new(&file)).unwrap();
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Serves on its own thread; returns the address.
fn serve<F: Future<Output = io::Result<()>>>(
    service: impl FnOnce(TcpListener) -> F + Send + 'static,
) -> SocketAddr {
    let runtime = runtime();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || runtime.block_on(service(listener)));
    address
}

/// Sends a request on a connection, such as `GET /`; returns the head and the body of the response.
fn ask(mut stream: TcpStream, what: &str) -> (String, String) {
    let request = format!(
        "{what} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

#[test]
fn a_handler_counts_visitors_once() {
    let address = serve(async |listener| axum::serve(listener, visits::app()).await);
    let post = |id: &str| {
        let (head, body) = ask(TcpStream::connect(address).unwrap(), &format!("POST /visits/{id}"));
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        body
    };
    assert_eq!(["alice", "bob", "alice", "caf%C3%A9"].map(post), ["1", "2", "2", "3"]);
}

#[test]
fn a_service_limits_its_clients() {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let store = Store::builder().clock(clock.clone()).build();
    let address = serve({
        let store = store.clone();
        async |listener| rate_limit::serve(listener, store).await
    });
    // The status and the headers of the limit, in order.
    let get_from = |client: [u8; 4]| {
        let connect = async {
            let socket = TcpSocket::new_v4()?;
            socket.bind((Ipv4Addr::from(client), 0).into())?;
            socket.connect(address).await?.into_std()
        };
        let stream = runtime().block_on(connect).unwrap();
        stream.set_nonblocking(false).unwrap();
        let (head, body) = ask(stream, "GET /");
        let mut lines = head.lines();
        let status: u16 = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(body.is_empty(), status == 429, "{body}");
        let limits = lines.filter(|line| line.starts_with("x-rate") || line.starts_with("retry"));
        (status, limits.map(str::to_owned).collect::<Vec<_>>())
    };
    let headers = |remaining: u64, reset: u64| {
        vec![
            "x-ratelimit-limit: 5".to_owned(),
            format!("x-ratelimit-remaining: {remaining}"),
            format!("x-ratelimit-reset: {reset}"),
        ]
    };
    let refused = |reset| {
        let mut headers = headers(0, reset);
        headers.push("retry-after: 1".to_owned());
        (429, headers)
    };
    let localhost = [127, 0, 0, 1];
    for (remaining, reset) in [(4, 1), (3, 2), (2, 3), (1, 4), (0, 5)] {
        assert_eq!(get_from(localhost), (200, headers(remaining, reset)));
    }
    assert_eq!(get_from(localhost), refused(5));
    // Linux has all of 127.0.0.0/8 for the machine itself.
    if cfg!(target_os = "linux") {
        assert_eq!(get_from([127, 0, 0, 2]), (200, headers(4, 1)));
        assert!(store.exists("limit:127.0.0.2").unwrap());
    }
    clock.advance(999);
    assert_eq!(get_from(localhost), refused(5));
    clock.advance(1);
    assert_eq!(get_from(localhost), (200, headers(0, 5)));

    // A client that does not return leaves a key, which a sweeper removes.
    clock.advance(60_000);
    assert!(store.dbsize().unwrap() > 0);
    assert!(store.sweep(100).unwrap() > 0);
    assert_eq!(store.dbsize().unwrap(), 0);
}

#[test]
fn a_network_is_one_client() {
    let key = |address: &str| rate_limit::key(address.parse().unwrap());
    assert_eq!(key("192.0.2.7"), "limit:192.0.2.7");
    assert_eq!(key("::ffff:192.0.2.7"), "limit:192.0.2.7");
    assert_eq!(key("2001:db8:1:2:3:4:5:6"), "limit:2001:db8:1:2::/64");
    assert_ne!(key("2001:db8:1:3::"), key("2001:db8:1:2::"));
}

#[cfg(feature = "redis")]
mod servers {
    use testkit::live::{Server, cluster, server};

    use super::{redis_connection, visitors};

    fn address(server: &Server) -> String {
        format!("unix://{}", server.socket().display())
    }

    fn keys(mut connection: redis::Connection) -> u64 {
        redis::cmd("DBSIZE").query(&mut connection).unwrap()
    }

    #[test]
    fn visitors_are_counted_in_the_process() {
        visitors::run(&[]).unwrap();
    }

    #[test]
    fn visitors_are_counted_on_a_server() {
        let Some(server) = server() else { return };
        visitors::run(&[address(&server)]).unwrap();
        assert_eq!(keys(server.connect()), 0);
    }

    #[test]
    fn visitors_are_counted_on_a_cluster() {
        let Some(cluster) = cluster() else { return };
        visitors::run(&cluster.nodes()).unwrap();
        for master in cluster.masters() {
            assert_eq!(keys(cluster.connect(&master)), 0, "{master}");
        }
    }

    #[test]
    fn code_for_a_server_runs_in_the_process() {
        redis_connection::run(None).unwrap();
    }

    #[test]
    fn code_for_a_server_runs_on_one() {
        let Some(server) = server() else { return };
        redis_connection::run(Some(&address(&server))).unwrap();
        assert_eq!(keys(server.connect()), 0);
    }
}
