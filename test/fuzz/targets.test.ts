import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { casesOf, effort } from '../support/effort.ts'
import { testSeed } from '../support/seed.ts'

const root = join(import.meta.dirname, '..', '..')
const SECONDS_OF_A_TARGET = 1
/** Those of a commit end with so many inputs; long runs by the time only. */
const RUNS_OF_A_TARGET = casesOf(2_000, Infinity)
const TARGETS_MIN = 20
const REACHED_MIN = 8

it('finds no input of any target that is not handled within its budget', async () => {
  const bounds = { seconds: effort(SECONDS_OF_A_TARGET), runs: RUNS_OF_A_TARGET, seed: testSeed() }
  const words = ['tools/fuzz.ts', ...Object.entries(bounds).flatMap(([name, value]) => [`--${name}`, `${value}`])]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], { cwd: root })
  // It uses the time that the tests beside it leave.
  setPriority(child.pid!, constants.priority.PRIORITY_LOW)
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  assert.equal(status, 0, `${stdout}${stderr}`)
  const results = stdout.split('\n').filter((line) => line.startsWith('{'))
  assert.ok(results.length >= TARGETS_MIN, stdout)
  for (const line of results) assert.ok(JSON.parse(line).reached >= REACHED_MIN, `${line} reaches nothing`)
})
