import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Daemon, startDaemon } from '../support/daemon.ts'
import { scratchDirectory } from '../support/scratch.ts'
import {
  generateSyncthingHome,
  missingSyncthing,
  quietConfig,
  startSyncthing,
  Syncthing,
} from '../support/syncthing.ts'

const skip = missingSyncthing() ?? false

/** The exit code, or a failure with what it printed when it goes on running. */
async function endedWithin(daemon: Daemon, limitMs: number): Promise<number | null> {
  const signal = AbortSignal.timeout(limitMs)
  const late = once(signal, 'abort').then(() => assert.fail(`it goes on running:\n${daemon.output}`))
  return Promise.race([daemon.ended(), late])
}

/** A home that Syncthing has run on, so its database is there: releases before `syncthing.lock` lock that alone. */
async function usedHome(scratch: string): Promise<string> {
  const home = join(scratch, 'home')
  mkdirSync(home, { mode: 0o700 })
  generateSyncthingHome(home)
  quietConfig(home)
  await using _first = await startSyncthing({ home })
  return home
}

test('Twinfold refuses a home on which Syncthing runs, and Syncthing goes on', { skip }, async () => {
  using scratch = scratchDirectory()
  const home = await usedHome(scratch.path)
  await using syncthing = await startSyncthing({ home })
  await using second = new Daemon({ home })
  assert.equal(await endedWithin(second, 60_000), 1)
  const lines = second.output.trim().split('\n')
  assert.equal(lines.length, 1, `one sentence, not:\n${second.output}`)
  assert.match(second.output, /another Twinfold or Syncthing is already running on this home/)
  await syncthing.get('/rest/system/ping')
})

test('Syncthing refuses a home on which Twinfold runs, and Twinfold goes on', { skip }, async () => {
  using scratch = scratchDirectory()
  const home = await usedHome(scratch.path)
  await using daemon = await startDaemon({ home })
  await using second = new Syncthing({ home, args: ['--allow-newer-config'] })
  assert.notEqual(await second.ended(), 0)
  assert.match(second.output, /already running|resource temporarily unavailable/)
  await daemon.get('/rest/system/ping')
})

test('after Twinfold has stopped, Syncthing may have the home, and the other way round', { skip }, async () => {
  using scratch = scratchDirectory()
  const home = await usedHome(scratch.path)
  for (let round = 0; round < 2; round++) {
    {
      await using daemon = await startDaemon({ home })
      assert.equal(await daemon.signal('SIGTERM'), 0)
    }
    await using syncthing = await startSyncthing({ home, args: ['--allow-newer-config'] })
    assert.equal(await syncthing.stop(), 0)
  }
})
