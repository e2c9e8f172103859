/** The machine is kept awake while bytes move, and no longer; where it cannot be, that is said. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { EXTENSIONS, patchExtensions, type Extensions } from '../../src/core/config/extensions.ts'
import type { ExtensionListener } from '../../src/config/types.ts'
import { EventBus } from '../../src/events/bus.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimPrograms } from '../../src/platform/sim/programs.ts'
import type { ProgramEnd } from '../../src/platform/programs.ts'
import { SleepInhibitor } from '../../src/schedule/sleep-inhibitor.ts'
import { quietLogger } from '../support/logger.ts'

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

function stage() {
  const clock = new SimClock()
  const programs = new SimPrograms()
  const events = new EventBus({ clock, log: quietLogger('events') })
  const listeners: ExtensionListener[] = []
  const lines: string[] = []
  let current: Extensions = EXTENSIONS
  let transferred = 0
  const inhibitor = new SleepInhibitor({
    clock,
    programs,
    system: { platform: 'linux', processId: 4711 },
    extensions: {
      get current() {
        return current
      },
      change: async (patch) => {
        const from = current
        current = patchExtensions(current, patch)
        for (const listener of listeners) await listener(from, current)
        return current
      },
      subscribe: (listener) => void listeners.push(listener),
    },
    events,
    transferredBytes: () => transferred,
    report: (line) => void lines.push(line),
  })
  const stop = new AbortController()
  const done = inhibitor.run(stop.signal).catch(() => {})
  return {
    inhibitor,
    programs,
    lines,
    set: async (inhibitSleep: boolean) => {
      const from = current
      current = patchExtensions(current, { inhibitSleep })
      for (const listener of listeners) await listener(from, current)
      await settle()
    },
    sync: async () => {
      events.emit('StateChanged', { folder: 'docs', from: 'idle', to: 'syncing' })
      await settle()
    },
    pass: async (ms: number, bytes: number) => {
      transferred += bytes
      await clock.advance(ms, settle)
    },
    end: async () => {
      stop.abort()
      await done
    },
  }
}

const untilAborted = (_: unknown, signal: AbortSignal): Promise<ProgramEnd> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'killed', reason: 'aborted', output: '' }))
  })

test('off by default: nothing is started for a transfer', async () => {
  const { inhibitor, programs, sync, pass, end } = stage()
  await sync()
  await pass(60_000, 1_000_000)
  assert.deepEqual([inhibitor.state, programs.runs], [{ kind: 'off' }, []])
  await end()
})

test('held while bytes move, released when they do not, and held again by the next transfer', async () => {
  const { inhibitor, programs, set, sync, pass, end } = stage()
  programs.act = untilAborted
  await set(true)
  assert.deepEqual([inhibitor.state.kind, programs.runs], ['idle', []])
  await sync()
  assert.equal(inhibitor.state.kind, 'held')
  const [run] = programs.runs.slice(-1)
  assert.equal(run?.program, 'systemd-inhibit')
  assert.deepEqual(run?.args.slice(-4), ['tail', '--pid=4711', '-f', '/dev/null'])
  for (let step = 0; step < 5; step++) await pass(30_000, 10_000_000)
  assert.equal(inhibitor.state.kind, 'held')
  await pass(30_000, 1_000)
  assert.equal(inhibitor.state.kind, 'idle')
  const count = programs.runs.length
  await sync()
  assert.deepEqual([inhibitor.state.kind, programs.runs.length], ['held', count + 1])
  await set(false)
  await pass(31_000, 10_000_000)
  assert.equal(inhibitor.state.kind, 'off')
  await end()
})

test('where it cannot be kept awake, the state and one line say why', async () => {
  const { inhibitor, lines, set, sync, pass, end } = stage()
  await set(true)
  await sync()
  await pass(1_000, 0)
  const reason = 'systemd-inhibit cannot be started (spawn systemd-inhibit ENOENT)'
  assert.deepEqual(inhibitor.state, { kind: 'failed', reason })
  await sync()
  await pass(60_000, 10_000_000)
  assert.deepEqual(lines, [`the machine may sleep during transfers: ${reason}`])
  await set(false)
  assert.equal(inhibitor.state.kind, 'off')
  await end()
})
