//! Whether the nodes of a cluster agree that it is complete.

use std::io;

use super::node::{Node, url};
use super::view::Role;

/// The number of slots in a cluster.
pub(super) const SLOTS: usize = 16_384;

/// The state on which the running nodes agree so far.
#[derive(Debug)]
pub(super) struct Agreement {
    /// The ports of the running nodes.
    ports: Vec<u16>,
    roles: Option<Vec<Role>>,
}

impl Agreement {
    /// Begins with nodes on these ports, none of which has been queried yet.
    pub(super) fn new(ports: Vec<u16>) -> Self {
        Self { ports, roles: None }
    }

    /// Queries one of them. An error says what is missing.
    pub(super) fn ask(&mut self, node: &Node) -> io::Result<()> {
        let name = node.url();
        let state = node.field(&["CLUSTER", "INFO"], "cluster_state")?;
        fail_if(state != "ok", || format!("{name} reports cluster_state:{state}"))?;
        let assigned = node.field(&["CLUSTER", "INFO"], "cluster_slots_assigned")?;
        fail_if(assigned != SLOTS.to_string(), || {
            format!("{name} reports cluster_slots_assigned:{assigned}")
        })?;
        let view = node.view()?;
        for port in &self.ports {
            let fault = view.line(*port).map_or(Some("unknown"), |line| line.fault());
            fail_if(fault.is_some(), || {
                format!("{name} reports that {} is {}", url(*port), fault.unwrap_or_default())
            })?;
        }
        for owner in view.owners() {
            fail_if(!self.ports.contains(&owner.port), || {
                format!("{name} reports that {} has slots, but it is not running", url(owner.port))
            })?;
        }
        let roles = view.roles(&self.ports);
        let agreed = self.roles.get_or_insert_with(|| roles.clone());
        fail_if(*agreed != roles, || format!("{name} reports {roles:?}, another node {agreed:?}"))?;
        if view.line(node.port()).is_some_and(|own| own.master.is_some()) {
            let link = node.field(&["INFO", "replication"], "master_link_status")?;
            fail_if(link != "up", || format!("{name} reports master_link_status:{link}"))?;
        }
        Ok(())
    }
}

pub(super) fn fail_if(wrong: bool, why: impl FnOnce() -> String) -> io::Result<()> {
    if wrong { Err(io::Error::other(why())) } else { Ok(()) }
}
