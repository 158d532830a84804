//! One node's view of its cluster: the reply to `CLUSTER NODES`.

use std::ops::RangeInclusive;

/// The nodes that one node knows.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    pub(super) lines: Vec<Line>,
}

/// A node, as another one sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) port: u16,
    flags: Vec<String>,
    /// The master that it replicates.
    pub(super) master: Option<String>,
    slots: Vec<RangeInclusive<u16>>,
}

/// The role of a node: it has slots, or it replicates the master with that id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Role {
    port: u16,
    master: Option<String>,
    slots: Vec<RangeInclusive<u16>>,
}

impl View {
    /// Parses the reply. Lines in another form are ignored; no server has any.
    pub(super) fn parse(text: &str) -> Self {
        Self { lines: text.lines().filter_map(Line::parse).collect() }
    }

    pub(super) fn line(&self, port: u16) -> Option<&Line> {
        self.lines.iter().find(|line| line.port == port)
    }

    /// The nodes that have slots, in the order of their first slots.
    pub(super) fn owners(&self) -> Vec<&Line> {
        let mut owners: Vec<_> = self.lines.iter().filter(|line| !line.slots.is_empty()).collect();
        owners.sort_by_key(|line| *line.slots[0].start());
        owners
    }

    /// The node that has the slot.
    pub(super) fn owner(&self, slot: u16) -> Option<&Line> {
        self.lines.iter().find(|line| line.slots.iter().any(|range| range.contains(&slot)))
    }

    /// The roles of the nodes with these ports, in the order of the ports. All nodes should agree on them.
    pub(super) fn roles(&self, ports: &[u16]) -> Vec<Role> {
        let known = self.lines.iter().filter(|line| ports.contains(&line.port));
        let roles = known.map(|line| Role {
            port: line.port,
            master: line.master.clone(),
            slots: line.slots.clone(),
        });
        let mut roles: Vec<_> = roles.collect();
        roles.sort_by_key(|role| role.port);
        roles
    }
}

impl Line {
    /// Parses `ID IP:PORT@BUS FLAGS MASTER PING PONG EPOCH LINK SLOTS...`.
    fn parse(text: &str) -> Option<Self> {
        let words: Vec<_> = text.split_ascii_whitespace().collect();
        let [id, address, flags, master, _ping, _pong, _epoch, _link, slots @ ..] = &words[..]
        else {
            return None;
        };
        let (_, port) = address.split('@').next()?.rsplit_once(':')?;
        let range = |word: &&str| {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            Some(first.parse().ok()?..=last.parse().ok()?)
        };
        Some(Self {
            id: (*id).to_owned(),
            port: port.parse().ok()?,
            flags: flags.split(',').map(str::to_owned).collect(),
            master: Some((*master).to_owned()).filter(|master| master != "-"),
            // Slots that are being moved are listed again, in brackets.
            slots: slots.iter().filter(|word| !word.starts_with('[')).filter_map(range).collect(),
        })
    }

    /// Returns the problem of a node: it has failed, may have failed, or is not known completely.
    pub(super) fn fault(&self) -> Option<&str> {
        let faults = ["fail", "fail?", "handshake", "noaddr"];
        self.flags.iter().map(String::as_str).find(|flag| faults.contains(flag))
    }
}

#[cfg(test)]
mod tests {
    use super::{Role, View};

    #[test]
    fn lines_are_parsed() {
        let view = View::parse(
            "aa 127.0.0.1:10002@20002 myself,master - 0 0 2 connected 9000-16383 7 [7->-bb]\n\
             bb 127.0.0.1:10001@20001,name master,fail? - 0 0 1 connected 0-6 8-8999 [7-<-aa]\n\
             cc 127.0.0.1:10003@20003 slave aa 0 0 2 connected\n\
             dd :0@0 handshake - 0 0 0 disconnected\n",
        );
        let ids =
            |lines: Vec<&super::Line>| lines.iter().map(|line| line.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(view.lines.iter().collect()), ["aa", "bb", "cc", "dd"]);
        assert_eq!(ids(view.owners()), ["bb", "aa"]);
        assert_eq!(view.owner(7).unwrap().port, 10_002);
        assert_eq!(view.owner(8).unwrap().port, 10_001);
        assert_eq!(view.line(10_003).unwrap().master.as_deref(), Some("aa"));
        let faults: Vec<_> = view.lines.iter().map(|line| line.fault()).collect();
        assert_eq!(faults, [None, Some("fail?"), None, Some("handshake")]);
        let role = |port, master: Option<&str>, slots| Role {
            port,
            master: master.map(str::to_owned),
            slots,
        };
        let expected =
            [role(10_001, None, vec![0..=6, 8..=8999]), role(10_003, Some("aa"), vec![])];
        assert_eq!(view.roles(&[10_003, 10_001]), expected);
    }
}
