"""Calls what the package syncthing offers; prints what each call returns, as one JSON object."""
import json
import os
from urllib.parse import urlsplit

from syncthing import Syncthing

FOLDER = os.environ["FOLDER"]
DEVICE = os.environ["DEVICE"]
place = urlsplit(os.environ["URL"])
client = Syncthing(os.environ["KEY"], host=place.hostname, port=place.port, timeout=30)


def shape(value):
    if isinstance(value, dict):
        return {"kind": "dict", "keys": sorted(value)}
    return {"kind": type(value).__name__}


def outcome(call):
    try:
        return shape(call())
    except Exception as error:
        return {"kind": "error", "text": type(error).__name__}


def succeeded(reply):
    """These two return a failure instead of raising it."""
    if not reply["success"]:
        raise RuntimeError(reply["error"])


CALLS = {
    "system.browse": lambda: client.system.browse("/"),
    "system.config": client.system.config,
    "system.config_insync": client.system.config_insync,
    "system.connections": client.system.connections,
    "system.debug": client.system.debug,
    "system.discovery": client.system.discovery,
    "system.errors": client.system.errors,
    "system.log": client.system.log,
    "system.ping": client.system.ping,
    "system.ping(POST)": lambda: client.system.ping(with_method="POST"),
    "system.status": client.system.status,
    "system.version": client.system.version,
    "database.browse": lambda: client.database.browse(FOLDER),
    "database.completion": lambda: client.database.completion(DEVICE, FOLDER),
    "database.file": lambda: client.database.file(FOLDER, "a.txt"),
    "database.ignores": lambda: client.database.ignores(FOLDER),
    "database.need": lambda: client.database.need(FOLDER),
    "database.status": lambda: client.database.status(FOLDER),
    "stats.device": client.stats.device,
    "stats.folder": client.stats.folder,
    "misc.device_id": lambda: client.misc.device_id(DEVICE),
    "misc.language": client.misc.language,
    "misc.random_string": lambda: client.misc.random_string(10),
    "misc.report": client.misc.report,
    "events": lambda: next(iter(client.events(limit=1))),
    "system.show_error": lambda: client.system.show_error("a notice"),
    "system.clear": client.system.clear,
    "system.enable_debug": lambda: client.system.enable_debug("model"),
    "system.disable_debug": lambda: client.system.disable_debug("model"),
    "system.pause": lambda: succeeded(client.system.pause(DEVICE)),
    "system.resume": lambda: succeeded(client.system.resume(DEVICE)),
    "database.set_ignores": lambda: client.database.set_ignores(FOLDER, "*.tmp"),
    "database.prio": lambda: client.database.prio(FOLDER, "a.txt"),
    "database.scan": lambda: client.database.scan(FOLDER),
    "database.override": lambda: client.database.override(FOLDER),
}

print(json.dumps({name: outcome(call) for name, call in CALLS.items()}))
