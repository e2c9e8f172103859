import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { DialLoop } from '../../src/connections/dial-loop.ts'
import { OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { Dialer } from '../../src/dialer/dialer.ts'
import { RelayDialer } from '../../src/relay/relay-dialer.ts'
import { Semaphore } from '../../src/sync/semaphore.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { NetError } from '../../src/platform/net-error.ts'
import type { Net } from '../../src/platform/net.ts'
import { quietLogger } from '../support/logger.ts'
import { deviceConfig, idOf, simIdentity } from './machines.ts'

const DIAL_MS_MAX = 10_000

/** Time advances with every reading, and timers fire slightly early, as in Node. */
class HastyClock implements Clock {
  #nowMs = 0
  #sleeps = 0

  nowMs(): number {
    return this.#nowMs
  }

  monotonicMs(): number {
    this.#nowMs += 0.3
    return this.#nowMs
  }

  async sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (delayMs === DIAL_MS_MAX) {
      await once(signal, 'abort') // no dial takes that long here
      signal.throwIfAborted()
    }
    await setImmediate()
    signal.throwIfAborted()
    this.#nowMs += Math.max(0, delayMs - 0.1 * (this.#sleeps++ % 10))
  }
}

test('an address that becomes due just after the clock was read does not wait for a minute', async () => {
  const clock = new HastyClock()
  const stop = new AbortController()
  const dialledMs: number[] = []
  const net: Net = {
    listenTls: () => Promise.reject(new Error('not supported')),
    dialTcp: () => Promise.reject(new Error('not supported')),
    dialTls: async () => {
      dialledMs.push(clock.nowMs())
      if (dialledMs.length === 30) stop.abort()
      throw new NetError('ECONNREFUSED', 'refused')
    },
  }
  const identity = simIdentity('far')
  const log = quietLogger('connections')
  const dialer = new Dialer({ clock, net, log, environment: () => undefined }, { identity })
  const loop = new DialLoop(
    {
      clock,
      log,
      random: { int: () => 0, bytes: (count) => new Uint8Array(count) },
      dialer,
      relayDialer: new RelayDialer({ clock, dialer, identity }),
      slots: new Semaphore(1),
      device: () => deviceConfig(idOf(identity), { addresses: ['tcp://192.0.2.1:22000'] }),
      options: () => ({ ...defaultsOf(OPTIONS), reconnectionIntervalS: 5 }),
      present: () => ({ priorities: [], wanted: 1, wantedMax: 1, totalCount: 0 }),
      isLan: () => () => false,
      lookup: () => [],
      accept: async () => {},
      onDialed: () => {},
    },
    { device: idOf(identity) },
  )
  await loop.run(stop.signal)
  const restsMs = dialledMs.slice(1).map((atMs, at) => atMs - dialledMs[at]!)
  assert.ok(Math.max(...restsMs) < 6_000, `waited ${Math.max(...restsMs)} ms instead of 5,000`)
})
