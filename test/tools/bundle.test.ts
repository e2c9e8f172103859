/** Which files of the bundle the daemon and the commands load. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { compileFunction } from 'node:vm'
import { asScript, bundle } from '../../tools/bundle.ts'
import { CACHED_GROUPS } from '../../tools/bundle-groups.ts'
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

  const text = CACHED_GROUPS.map((name) => textOf(`${name}.js`) + textOf(`${name}-script.js`)).join('')
  assert.doesNotMatch(text, /[^\0-~]/)
  assert.doesNotMatch(text, /^import .* from "node:/m) // reads every export, and loads what some of them load
  assert.doesNotMatch(text, /^const .*getBuiltinModule\("node:(?:child_process|dgram|https|v8|zlib)"\)/m)
  const daemon = loaded('bin.js', 'start.js', 'serve.js')
  assert.ok(daemon.has('daemon.js'))
  assert.ok(!daemon.has('folders.js'), 'loaded with the first folder')
  assert.ok(textOf('folders-script.js').length > 300_000)
  assert.ok(!daemon.has('rest.js') && !daemon.has('rest-shared.js'), 'loaded with the first request')
  assert.ok(textOf('rest-script.js').length > 150_000)
  assert.ok(!loaded('folders.js').has('rest-shared.js') && !loaded('rest.js').has('folders.js'))
  assert.ok(daemon.size <= DAEMON_FILES_MAX, `${daemon.size} files`)
  const command = loaded('bin.js', 'start.js', 'dispatch.js', 'terminal.js', 'find-daemon.js', 'tree.js', 'version.js')
  assert.ok(command.has('base.js'))
  assert.ok(!command.has('shared.js'))
  assert.ok(!command.has('daemon.js'))
})

test('a module becomes a script, which gets its imports and returns its exports', () => {
  const { stub, script } = asScript(
    [
      'import { a as first, b } from "./base.js";',
      'const file = import.meta.filename;',
      'const late = () => import("./late.js");',
      'function sum() { return first + b; }',
      'export { sum as t, file, late };',
      '',
    ].join('\n'),
    'part-script.js',
  )
  assert.match(stub, /^import \{ a as first, b \} from "\.\/base\.js";$/m)
  assert.match(stub, /^export \{ sum as t, file, late \};$/m)
  assert.doesNotMatch(script, /\bimport\b/)
  const run = compileFunction(script, ['__imports', '__meta', '__load'])
  const { sum, file, late } = run({ first: 1, b: 2 }, { filename: 'x' }, (name: string) => `loaded ${name}`)
  assert.deepEqual([(sum as () => number)(), file, (late as () => string)()], [3, 'x', 'loaded ./late.js'])
})

test('a module whose exports change after it was loaded cannot become a script', () => {
  assert.throws(
    () => asScript('let late;\nconst set = () => (late = 1);\nexport { late, set };\n', 'x.js'),
    /late gets/,
  )
  assert.throws(() => asScript('import x from "package";\nexport { x };\n', 'x.js'), /not an import/)
  assert.throws(() => asScript('const x = 1;\n', 'x.js'), /exports nothing/)
})
