import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'

const main = join(import.meta.dirname, '..', '..', 'src', 'main')

/** Every module that is loaded with the given ones; those imported when they are needed are not followed. */
function loadedWith(files: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const queue = [...files]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue
    found.add(file)
    if (!file.endsWith('.ts')) continue
    for (const [, target] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s+(?!type\b)[^'"]*?from '([^']+)'/gm,
    )) {
      queue.push(target!.startsWith('.') ? resolve(dirname(file), target!) : target!)
    }
  }
  return found
}

test('the daemon does not load commander, nor the declarations of the other commands', () => {
  const loaded = loadedWith([join(main, 'start.ts'), join(main, 'commands', 'serve.ts')])
  assert.ok(loaded.has(join(main, 'daemon.ts')), 'the walk follows imports')
  assert.ok(loadedWith([join(main, 'commands', 'dispatch.ts')]).has('commander'), 'the walk would find it')
  assert.ok(!loaded.has('commander'))
  const ofCli = [...loaded].map((file) => relative(join(main, '..'), file)).filter((file) => file.startsWith('cli/'))
  assert.deepEqual(ofCli.toSorted(), ['cli/args/canonical.ts', 'cli/args/parsed-flags.ts', 'cli/args/shared-flags.ts'])
})

test('the daemon does not load the readers of an index of Syncthing: few starts import one', () => {
  const source = join(main, '..', 'db', 'syncthing', 'source.ts')
  const loaded = loadedWith([join(main, 'commands', 'serve.ts')])
  assert.ok(loaded.has(source), 'the walk gets there')
  assert.deepEqual(
    [...loaded].map((file) => relative(join(main, '..'), file)).filter((file) => /leveldb|index-v\d/.test(file)),
    [],
  )
})
