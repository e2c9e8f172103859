/** The short form of `npm run frames`, so that a new difference is noticed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { reportRow } from '../support/effort.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const COUNT = 128
const RUN_MS_MAX = 240_000

test(
  'B-22: random frames lead to the reaction of a real Syncthing, but for the explained differences',
  {
    skip: missingSyncthing() ?? false,
  },
  () => {
    const words = ['--disable-warning=ExperimentalWarning', 'tools/frames.ts', '--count', String(COUNT), '--seed', '7']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: RUN_MS_MAX,
    })
    assert.equal(status, 0, `${stdout}${stderr}`)
    const row = stdout.split('\n').find((line) => line.startsWith('{"id":"B-22"')) ?? ''
    assert.match(row, new RegExp(`"tried":${COUNT},.*"failures":0`))
    reportRow({ ...(JSON.parse(row) as { tried: number }), id: 'B-22' })
  },
)
