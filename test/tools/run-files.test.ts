import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchDirectory } from '../support/scratch.ts'

const RUN_FILES = join(import.meta.dirname, '..', '..', 'tools', 'run-files.ts')

/** Runs one file of tests as the stage of unit tests does. */
function runFile(path: string, hungAfterMs: number) {
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const args = ['--timeout=1200000', `--hung-after=${hungAfterMs}`, path]
  return spawnSync(process.execPath, [RUN_FILES, ...args], { encoding: 'utf8', env, timeout: 60_000 })
}

test('a test that waits without end is named and ends the run; one that computes does not', () => {
  using directory = scratchDirectory()
  const file = join(directory.path, 'waits.test.mjs')
  writeFileSync(
    file,
    `import { test } from 'node:test'
     test('computes', async () => {
       const endMs = Date.now() + 900
       while (Date.now() < endMs) await new Promise((resolve) => setImmediate(resolve))
     })
     test('waits', () => new Promise(() => setInterval(() => {}, 1_000)))`,
  )
  const { status, stderr } = runFile(file, 400)
  assert.equal(status, 1)
  assert.match(stderr, /^HUNG for .* of processor time: waits, .*waits\.test\.mjs$/m)
})
