import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchDirectory } from '../../support/scratch.ts'

const MODULE = new URL('../../../src/platform/node/run-script.ts', import.meta.url)
const STATEMENTS = Array.from({ length: 200 }, (_, i) => `if (value === ${i + 1_000}) return '${i}'`).join('\n')
const FUNCTION = `const called = (value) => { ${STATEMENTS}; return value + 1 };`
const PART = `"use strict"; ${FUNCTION}
return { called, given: __imports.given, loaded: () => __load('node:path') }`

/** The last line is the size of V8's heap for C++: with a byte in it V8 collects all garbage of an idle process. */
const OUTPUT = '11 function\n0\n'

/** A program that runs the part below the directory, and calls its function or not. */
function run(directory: string, command: 'serve' | 'other', call: boolean, connect = false): string {
  const program = `
    import { keepCompiled, runScript } from ${JSON.stringify(MODULE.href)}
    const meta = { dirname: ${JSON.stringify(directory)} }
    const { called, given, loaded } = runScript('part-script.js', { given: 7 }, meta, (name) => import(name))
    console.log(${call ? 'called(3)' : '4'} + given, typeof (await loaded()).join)
    console.log(process.getBuiltinModule('node:v8').getCppHeapStatistics('brief').used_size_bytes)
    ${connect ? 'keepCompiled(0); await new Promise((resolve) => setTimeout(resolve, 50))' : ''}`
  const file = join(directory, `${command}-${call}-${connect}.mjs`)
  writeFileSync(file, program)
  const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'cache') }
  const result = spawnSync(process.execPath, [file, command], { encoding: 'utf8', timeout: 60_000, env })
  assert.equal(result.status, 0, result.stderr)
  return result.stdout
}

const cached = (directory: string, kind: string) => {
  const files = globSync(`cache/*/${kind}/*`, { cwd: directory }).map((file) => join(directory, file))
  assert.equal(files.length, 1, files.join())
  return files[0]!
}

test('a part of the program is compiled once, with the functions that ran', () => {
  using scratch = scratchDirectory()
  const { path } = scratch
  writeFileSync(join(path, 'part-script.js'), PART)
  assert.equal(run(path, 'other', false), OUTPUT)
  assert.equal(run(path, 'serve', true), OUTPUT)
  const [without, complete] = [cached(path, 'commands'), cached(path, 'serve')].map((file) => statSync(file).size)
  assert.ok(complete! > without! + 2_000, `${complete} bytes with the function, ${without} without`)

  const file = cached(path, 'serve')
  utimesSync(file, 1_000, 1_000)
  assert.equal(run(path, 'serve', true), OUTPUT)
  assert.equal(statSync(file).mtimeMs, 1_000_000, 'used, and not written again')

  const damaged = readFileSync(file)
  damaged[damaged.length >> 1]! ^= 0xff
  writeFileSync(file, damaged)
  assert.equal(run(path, 'serve', true), OUTPUT)
  assert.notDeepEqual(readFileSync(file), damaged, 'replaced')

  // Of the same length, which is all that V8 compares.
  writeFileSync(join(path, 'part-script.js'), PART.replace('return value + 1 }', 'return 9999999999}'))
  assert.equal(run(path, 'serve', true), '10000000006 function\n0\n')
  assert.notEqual(cached(path, 'serve'), file, 'the one of the old version is removed')
})

test('what the first connection compiles is stored once', () => {
  using scratch = scratchDirectory()
  const { path } = scratch
  writeFileSync(join(path, 'part-script.js'), PART)
  run(path, 'serve', false)
  const file = cached(path, 'serve')
  const before = statSync(file).size
  run(path, 'serve', true)
  assert.equal(statSync(file).size, before, 'a start without a connection keeps the cache')
  run(path, 'serve', true, true)
  assert.ok(statSync(file).size > before + 2_000, `${statSync(file).size} bytes after a connection, ${before} before`)
  utimesSync(file, 1_000, 1_000)
  run(path, 'serve', true, true)
  assert.equal(statSync(file).mtimeMs, 1_000_000)
})
