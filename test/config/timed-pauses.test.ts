/** Pauses for a time: they end when they are due, also after a restart, and earlier by a resume. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { TimedPauses } from '../../src/config/timed-pauses.ts'
import { patchFolder } from '../../src/core/config/config-edit.ts'
import type { FolderId } from '../../src/core/ids.ts'
import { quietLogger } from '../support/logger.ts'
import { addFolder, setup } from './store-setup.ts'

const HOUR_MS = 3_600_000
const PHOTOS = { kind: 'folder', id: 'photos' } as const

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

async function stage() {
  const { clock, open } = setup()
  const config = await open()
  await config.change(addFolder('photos'))
  const kept = new Map<string, Uint8Array>()
  const keyValue = {
    get: async (key: string) => kept.get(key),
    set: async (key: string, value: Uint8Array) => void kept.set(key, value),
  }
  const log = quietLogger('config')
  const start = () => {
    const pauses = new TimedPauses({ clock, config, log, keyValue })
    const stop = new AbortController()
    const ended = pauses.run(stop.signal)
    return {
      pauses,
      stop: async () => {
        stop.abort()
        await ended
      },
    }
  }
  const isPaused = () => config.current.folders.some(({ id, paused }) => id === 'photos' && paused)
  const pass = (ms: number) => clock.advance(ms, settle)
  return { clock, config, kept, start, isPaused, pass }
}

test('a pause ends when its time is over, and not before', async () => {
  const { start, isPaused, pass, clock } = await stage()
  const { pauses, stop } = start()
  await pauses.pause(PHOTOS, HOUR_MS)
  assert.equal(isPaused(), true)
  assert.deepEqual(pauses.all(), [{ target: PHOTOS, untilMs: clock.nowMs() + HOUR_MS }])
  await pass(HOUR_MS - 1)
  assert.equal(isPaused(), true)
  await pass(1)
  assert.equal(isPaused(), false)
  assert.deepEqual(pauses.all(), [])
  await stop()
})

test('a pause survives a restart, and ends at once if its time is over by then', async () => {
  const { start, isPaused, pass } = await stage()
  const first = start()
  await first.pauses.pause(PHOTOS, 2 * HOUR_MS)
  await first.stop()
  await pass(HOUR_MS)
  const second = start()
  await settle()
  assert.equal(second.pauses.all().length, 1)
  assert.equal(isPaused(), true)
  await second.stop()
  await pass(2 * HOUR_MS)
  const third = start()
  await settle()
  assert.equal(isPaused(), false)
  await third.stop()
})

test('a resume ends the pause: a later pause without a time is not ended by it', async () => {
  const { start, isPaused, pass, config } = await stage()
  const { pauses, stop } = start()
  const setPaused = (paused: boolean) =>
    config.change((current) => patchFolder(current, 'photos' as FolderId, { paused }))
  await pauses.pause(PHOTOS, HOUR_MS)
  await setPaused(false)
  assert.deepEqual(pauses.all(), [])
  await setPaused(true)
  await pass(2 * HOUR_MS)
  assert.equal(isPaused(), true)
  await stop()
})

test('another time replaces the first', async () => {
  const { start, isPaused, pass } = await stage()
  const { pauses, stop } = start()
  await pauses.pause(PHOTOS, HOUR_MS)
  await pauses.pause(PHOTOS, 3 * HOUR_MS)
  assert.equal(pauses.all().length, 1)
  await pass(2 * HOUR_MS)
  assert.equal(isPaused(), true)
  await pass(HOUR_MS)
  assert.equal(isPaused(), false)
  await stop()
})

test('a wall clock that jumps ahead ends a pause within a minute', async () => {
  const { start, isPaused, pass, clock } = await stage()
  const { pauses, stop } = start()
  await pauses.pause(PHOTOS, 10 * HOUR_MS)
  await settle()
  clock.jumpWall(11 * HOUR_MS)
  await pass(60_000)
  assert.equal(isPaused(), false)
  await stop()
})

test('what does not exist is refused, and damaged data is no pause', async () => {
  const { start, isPaused, kept } = await stage()
  const first = start()
  await assert.rejects(first.pauses.pause({ kind: 'folder', id: 'none' }, 1), { code: 'folder-missing' })
  await assert.rejects(first.pauses.pause({ kind: 'device', id: 'none' }, 1), { code: 'device-missing' })
  assert.deepEqual(first.pauses.all(), [])
  await first.pauses.pause(PHOTOS, HOUR_MS)
  await first.stop()
  for (const text of ['{', '{}', '[1,null,{"target":{"kind":"x","id":"photos"},"untilMs":1}]', '[{"target":{}}]']) {
    for (const key of kept.keys()) kept.set(key, new TextEncoder().encode(text))
    const next = start()
    await settle()
    assert.deepEqual(next.pauses.all(), [], text)
    assert.equal(isPaused(), true)
    await next.stop()
  }
})
