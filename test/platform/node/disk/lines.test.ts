import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeLines } from '../../../../src/platform/node/disk/lines.ts'
import { scratchDirectory } from '../../../support/scratch.ts'

test('lines: a file beyond its size is put aside, and only so many old ones stay', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'twinfold.log')
  {
    using sink = nodeLines.open(path, { sizeBytesMax: 20, oldFilesMax: 2 })
    for (let line = 1; line <= 8; line++) sink.write(`line number ${line}`)
  }
  assert.deepEqual(readdirSync(scratch.path).sort(), ['twinfold.0.log', 'twinfold.1.log', 'twinfold.log'])
  assert.equal(readFileSync(path, 'utf8'), 'line number 8\n')
  assert.equal(readFileSync(join(scratch.path, 'twinfold.0.log'), 'utf8'), 'line number 7\n')
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('lines: a log is continued, not begun anew', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'audit')
  for (const line of ['first', 'second']) {
    using sink = nodeLines.open(path, { sizeBytesMax: 0, oldFilesMax: 0 })
    sink.write(line)
  }
  assert.equal(readFileSync(path, 'utf8'), 'first\nsecond\n')
})

test('lines: a symlink in the place of the log is not followed', () => {
  using scratch = scratchDirectory()
  const target = join(scratch.path, 'target')
  const path = join(scratch.path, 'link.log')
  writeFileSync(target, 'mine')
  symlinkSync(target, path)
  assert.throws(() => nodeLines.open(path, { sizeBytesMax: 0, oldFilesMax: 0 }), { code: 'ELOOP' })
  assert.equal(readFileSync(target, 'utf8'), 'mine')
})
