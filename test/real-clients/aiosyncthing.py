"""Calls everything that aiosyncthing offers; prints what each call returns, as one JSON object."""
import asyncio
import json
import os

from aiosyncthing import Syncthing

FOLDER = os.environ["FOLDER"]
DEVICE = os.environ["DEVICE"]


def shape(value):
    if isinstance(value, dict):
        return {"kind": "dict", "keys": sorted(value)}
    return {"kind": type(value).__name__}


async def outcome(call):
    try:
        return shape(await call)
    except Exception as error:
        return {"kind": "error", "text": type(error).__name__}


async def first_event(events):
    async for event in events.listen():
        return event


async def main():
    async with Syncthing(os.environ["KEY"], url=os.environ["URL"], timeout=30) as client:
        calls = {
            "system.ping": client.system.ping(),
            "system.config": client.system.config(),
            "system.status": client.system.status(),
            "system.error": client.system.error(),
            "system.version": client.system.version(),
            "system.connections": client.system.connections(),
            "config.config": client.config.config(),
            "config.folders": client.config.folders(),
            "config.folders(id)": client.config.folders(FOLDER),
            "config.folders(none)": client.config.folders("none"),
            "config.devices": client.config.devices(),
            "config.devices(id)": client.config.devices(DEVICE),
            "database.status": client.database.status(FOLDER),
            "database.status(none)": client.database.status("none"),
            "events.listen": first_event(client.events),
            "system.pause": client.system.pause(DEVICE),
            "system.resume": client.system.resume(DEVICE),
            "system.pause(none)": client.system.pause("none"),
        }
        print(json.dumps({name: await outcome(call) for name, call in calls.items()}))


asyncio.run(main())
