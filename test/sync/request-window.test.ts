import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestWindow } from '../../src/sync/request-window.ts'

const MIB = 1_024 * 1_024
const NEVER = new AbortController().signal

/** The number of blocks acquired before one has to wait. */
async function roomFor(window: RequestWindow, blockBytes: number): Promise<number> {
  const held: Disposable[] = []
  const leaving = new AbortController()
  for (;;) {
    let isIn = false
    const entry = window.acquire(blockBytes, leaving.signal).then(
      (room) => {
        isIn = true
        held.push(room)
      },
      () => {},
    )
    await new Promise((resolve) => setImmediate(resolve))
    if (isIn) continue
    leaving.abort()
    await entry
    for (const room of held) room[Symbol.dispose]()
    return held.length
  }
}

/** A window whose network throughput is not measured unless the clock is advanced. */
function windowOf(bytesMax: number): { readonly window: RequestWindow; readonly pass: (timeMs: number) => void } {
  let nowMs = 0
  const window = new RequestWindow(bytesMax, { monotonicMs: () => nowMs })
  return { window, pass: (timeMs) => void (nowMs += timeMs) }
}

test('the window grows up to its limit while the disk keeps up', async () => {
  const { window } = windowOf(32 * MIB)
  assert.equal(await roomFor(window, MIB), 2)
  for (let i = 0; i < 10; i++) window.arrived(MIB)()
  assert.equal(await roomFor(window, MIB), 12)
  for (let i = 0; i < 100; i++) window.arrived(MIB)()
  assert.equal(await roomFor(window, MIB), 32)
})

test('the window shrinks to its lower bound when the disk falls behind', async () => {
  const { window } = windowOf(32 * MIB)
  for (let i = 0; i < 100; i++) window.arrived(MIB)()
  const written = Array.from({ length: 10 }, () => window.arrived(MIB))
  assert.equal(await roomFor(window, MIB), 30, 'eight blocks may be unwritten')
  written.push(...Array.from({ length: 40 }, () => window.arrived(MIB)))
  assert.equal(await roomFor(window, MIB), 16)
  for (const settle of written) settle()
  assert.equal(window.limitBytes, 17 * MIB, 'it grows only when all received data is written')
})

test('on a slow network the window is limited to the throughput of one second', async () => {
  const { window, pass } = windowOf(32 * MIB)
  for (let i = 0; i < 100; i++) window.arrived(MIB)()
  assert.equal(window.limitBytes, 32 * MIB)
  pass(25_000)
  window.arrived(MIB)()
  assert.equal(await roomFor(window, MIB / 8), 32, 'four megabytes a second')
  pass(10_000)
  window.arrived(MIB)()
  assert.equal(window.limitBytes, 2 * MIB, 'the lower bound')
  for (let i = 0; i < 10; i++) {
    pass(100)
    for (let j = 0; j < 10; j++) window.arrived(MIB)()
  }
  assert.equal(window.limitBytes, 32 * MIB, 'a fast network gets the maximum')
})

test('waiting requests are admitted when the window grows', async () => {
  const { window } = windowOf(32 * MIB)
  using _first = await window.acquire(2 * MIB, NEVER)
  const second = window.acquire(2 * MIB, NEVER) // hangs below if it is not admitted
  window.arrived(MIB)()
  window.arrived(MIB)()
  using _second = await second
})

test('a block larger than the window is admitted alone and releases its room', async () => {
  const { window } = windowOf(32 * MIB)
  assert.equal(await roomFor(window, 16 * MIB), 1)
  for (let i = 0; i < 2; i++) window.arrived(16 * MIB)()
  assert.equal(await roomFor(window, 16 * MIB), 2)
  assert.equal(windowOf(1 * MIB).window.limitBytes, 1 * MIB)
})
