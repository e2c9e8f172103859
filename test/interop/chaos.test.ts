import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ChaosResult } from '../chaos/chaos.ts'
import { effort } from '../support/effort.ts'
import { killOnExit } from '../support/kill-on-exit.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { testSeed } from '../support/seed.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const CHAOS = join(import.meta.dirname, '..', '..', 'tools', 'chaos.ts')
const MINUTES = 0.25

test(
  'S-06: real processes under faults lose nothing, tear nothing and become equal',
  { skip: missingSyncthing() ?? false, timeout: effort(1) * 600_000 },
  async () => {
    using scratch = scratchDirectory()
    const out = join(scratch.path, 'result.json')
    const words = ['--minutes', String(effort(1) * MINUTES), '--seed', String(testSeed()), '--out', out]
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHAOS, ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    killOnExit(child)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    assert.equal(code, 0, output)
    const result = JSON.parse(readFileSync(out, 'utf8')) as ChaosResult
    assert.deepEqual(result.violations, [])
    assert.ok(result.rounds >= 1 && result.written > 0, output)
    console.log(output.split('\n').findLast((line) => line.startsWith('{')))
  },
)
