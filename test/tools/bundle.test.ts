/** Which files of the bundle the daemon and the commands load. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundle } from '../../tools/bundle.ts'
import { scratchDirectory } from '../support/scratch.ts'

const IMPORT = /^(?:import|export) .*?from "\.\/([^"]+)"/gm
const DAEMON_FILES_MAX = 10

test('the daemon is one file that no command loads', async () => {
  using scratch = scratchDirectory()
  await bundle(scratch.path)
  const textOf = (file: string) => readFileSync(join(scratch.path, 'main', file), 'utf8')
  const loaded = (...from: string[]): ReadonlySet<string> => {
    const found = new Set(from)
    for (const file of found) for (const [, imported = ''] of textOf(file).matchAll(IMPORT)) found.add(imported)
    return found
  }

  const text = ['base.js', 'shared.js', 'daemon.js'].map(textOf).join('')
  assert.doesNotMatch(text, /[^\0-~]/)
  assert.doesNotMatch(text, /^import .* from "node:/m) // reads every export, and loads what some of them load
  const daemon = loaded('bin.js', 'start.js', 'serve.js')
  assert.ok(daemon.has('daemon.js'))
  assert.ok(daemon.size <= DAEMON_FILES_MAX, `${daemon.size} files`)
  const command = loaded('bin.js', 'start.js', 'dispatch.js', 'terminal.js', 'find-daemon.js', 'tree.js', 'version.js')
  assert.ok(command.has('base.js'))
  assert.ok(!command.has('shared.js'))
  assert.ok(!command.has('daemon.js'))
})
