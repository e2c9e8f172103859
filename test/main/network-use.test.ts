import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfigStore } from '../../src/config/types.ts'
import type { OptionsConfig } from '../../src/core/config/config.ts'
import { NOTE_NETWORK } from '../../src/core/config/notes.ts'
import { logNetworkUse } from '../../src/main/network-use.ts'
import { configOf, idOf, simIdentity } from '../connections/machines.ts'
import { quietLogger } from '../support/logger.ts'

const OFF = {
  localAnnounceEnabled: false,
  globalAnnounceEnabled: false,
  relaysEnabled: false,
  natEnabled: false,
  autoUpgradeIntervalH: 0,
}
const ALLOWED = { upgradesAllowed: true }

/** A store whose configuration a test replaces. */
function fakeStore(options: Partial<OptionsConfig>) {
  const own = idOf(simIdentity('own'))
  const listeners: (() => unknown)[] = []
  const store = {
    current: configOf(own, [], options),
    subscribe: (listener: () => unknown) => void listeners.push(listener),
  }
  const change = (to: Partial<OptionsConfig>) => {
    store.current = configOf(own, [], to)
    for (const listener of listeners) listener()
  }
  return { store: store as unknown as ConfigStore, change }
}

test('a home with functions that contact other hosts says so at the start and after a change', () => {
  const log = quietLogger('main')
  const { store, change } = fakeStore({})
  logNetworkUse(store, log, ALLOWED)
  change({ maxSendKbps: 5 })
  assert.deepEqual(log.lines, [
    'INFO switched on: local discovery, discovery servers, relays, port mapping, upgrade checks; ' +
      '"twinfold network" shows who learns what',
  ])
  change({ ...OFF, natEnabled: true })
  change(OFF)
  assert.deepEqual(log.lines.slice(1), [
    'INFO switched on: port mapping; "twinfold network" shows who learns what',
    'INFO discovery, relays, port mapping and upgrade checks are switched off',
  ])
})

test('upgrade checks are named, unless they are forbidden', () => {
  for (const [upgradesAllowed, lines] of [
    [true, ['INFO switched on: upgrade checks; "twinfold network" shows who learns what']],
    [false, []],
  ] as const) {
    const log = quietLogger('main')
    logNetworkUse(fakeStore({ ...OFF, autoUpgradeIntervalH: 12 }).store, log, { upgradesAllowed })
    assert.deepEqual(log.lines, lines)
  }
})

test('a private home logs nothing about it; a new one, whose owner has not decided, how devices are found', () => {
  const log = quietLogger('main')
  logNetworkUse(fakeStore(OFF).store, log, ALLOWED)
  assert.deepEqual(log.lines, [])
  logNetworkUse(fakeStore({ ...OFF, unackedNotificationIDs: [NOTE_NETWORK] }).store, log, ALLOWED)
  assert.match(
    log.lines.join(),
    /^INFO discovery is off: .*"twinfold network on local" finds those of the local network$/,
  )
})
