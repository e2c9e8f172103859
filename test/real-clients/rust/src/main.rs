//! Calls everything that the crate syncthing offers, which refuses any value of another type, and prints each outcome.
use serde_json::{json, Map, Value};
use std::env::var;
use syncthing::events::{Event, EventType};
use syncthing::{Client, Fallible};

fn outcome<T>(result: Fallible<T>) -> Value {
    match result {
        Ok(_) => json!({ "kind": "ok" }),
        Err(error) => json!({ "kind": "error", "text": error.to_string() }),
    }
}

/// Types of which a scan makes some. The type of ConfigSaved in the crate has a field that no Syncthing sends.
const TYPES: [EventType; 6] = [
    EventType::StateChanged,
    EventType::FolderSummary,
    EventType::FolderCompletion,
    EventType::LocalIndexUpdated,
    EventType::DeviceConnected,
    EventType::ListenAddressesChanged,
];

fn poll(client: &Client) -> Fallible<Vec<Event>> {
    let first = client.get_events(None, None, TYPES)?;
    client.get_events(first.last().map(|event| event.id), None, TYPES)
}

fn main() {
    let authority = var("URL").expect("URL").replace("http://", "");
    let key = var("KEY").expect("KEY");
    let client = Client::with_authority(key, authority.parse().expect("an authority")).expect("a client");
    let mut found = Map::new();
    let mut note = |name: &str, value: Value| found.insert(name.to_string(), value);
    note("ping", outcome(client.ping()));
    note("status", outcome(client.status()));
    note("get_version_info", outcome(client.get_version_info()));
    note("get_connections", outcome(client.get_connections()));
    note("get_discovery_cache", outcome(client.get_discovery_cache()));
    note("get_errors", outcome(client.get_errors()));
    note("get_log", outcome(client.get_log(None)));
    note("get_loglevels_info", outcome(client.get_loglevels_info()));
    note("get_paths", outcome(client.get_paths()));
    note("browse", outcome(client.browse(None)));
    note("get_cluster_pending_devices", outcome(client.get_cluster_pending_devices()));
    note("get_all_events", outcome(client.get_all_events(None, None)));
    note("get_events", outcome(poll(&client)));
    note("clear_errors", outcome(client.clear_errors()));
    println!("{}", Value::Object(found));
}
