import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXTENSIONS } from '../../src/core/config/extensions.ts'
import { SHARED_SIZE_BYTES_MAX } from '../../src/core/ignore/shared-ignores.ts'
import { DOCS, NEVER, SimHub } from '../support/model.ts'
import { ROOT, SimPull } from './puller/sim-pull.ts'

const NAME = '.stglobalignore'

/** A folder with `a.tmp` and `b`, known here, and shared patterns in force. */
async function sharing(sharedIgnores = true): Promise<SimPull> {
  const pull = await SimPull.start()
  pull.hub.extensions = { ...pull.hub.extensions, sharedIgnores }
  for (const name of ['a.tmp', 'b']) await pull.write(name, name)
  await pull.scan()
  return pull
}

async function flagsOf(pull: SimPull, name: string): Promise<number | undefined> {
  return (await pull.index.records.get('local', name))?.localFlags
}

test('a shared file that arrives is in force after a scan that follows by itself', async () => {
  await using pull = await sharing()
  pull.peer.put(NAME, '*.tmp\n')
  await pull.sync()
  assert.deepEqual([await flagsOf(pull, 'a.tmp'), await flagsOf(pull, 'b')], [2, 0])
  assert.equal(await pull.read('a.tmp'), 'a.tmp')
  const { disk } = await (await pull.hub.model.explorer()).file(DOCS, 'a.tmp')
  assert.deepEqual(disk, { kind: 'ignored', line: '*.tmp', isShared: true })
  pull.peer.put(NAME, '// nothing\n')
  await pull.sync()
  assert.equal(await flagsOf(pull, 'a.tmp'), 0)
  await pull.assertSettled()
})

test('a change of the shared file here is in force everywhere, also after a scan of that file alone', async () => {
  await using pull = await sharing()
  await pull.write(NAME, '*.tmp\n')
  await pull.scan(NAME)
  assert.deepEqual([await flagsOf(pull, 'a.tmp'), await flagsOf(pull, NAME)], [2, 0])
})

test('lines of .stignore here win', async () => {
  await using pull = await sharing()
  await pull.write('.stignore', '!/a.tmp\n')
  pull.peer.put(NAME, '*\n')
  await pull.sync()
  assert.deepEqual([await flagsOf(pull, 'a.tmp'), await flagsOf(pull, 'b'), await flagsOf(pull, NAME)], [0, 2, 0])
})

test('a broken or hostile file changes nothing and says why, also after a restart', async () => {
  await using pull = await sharing()
  pull.peer.put(NAME, '*.tmp\n')
  await pull.sync()
  for (const [text, reason] of [
    ['[\n', /invalid pattern/],
    ['#include .stignore\n', /not allowed/],
    [Buffer.from([0xff, 0xfe]), /UTF-8/],
    [Buffer.alloc(SHARED_SIZE_BYTES_MAX + 1, 'a'), /larger than/],
  ] as const) {
    pull.peer.put(NAME, text)
    await pull.sync()
    assert.deepEqual([await flagsOf(pull, 'a.tmp'), await flagsOf(pull, 'b')], [2, 0])
    const [error, ...others] = await pull.errors()
    assert.match(error ?? '', reason)
    assert.match(error ?? '', /last valid content stays in force/)
    assert.deepEqual(others, [])
  }
  const { platform, store, config } = pull.hub
  await pull.hub.stop()
  await using again = await SimHub.open(config, { platform, sources: pull.peer, wrap: () => store })
  again.extensions = { ...again.extensions, sharedIgnores: true }
  again.run()
  await again.while(again.model.scan(DOCS))
  assert.deepEqual([await flagsOf(pull, 'a.tmp'), await flagsOf(pull, 'b')], [2, 0])
})

test('a symlink in its place is not followed', async () => {
  await using pull = await sharing()
  await pull.write('patterns', '*\n')
  await pull.disk.makeSymlink('patterns', `${ROOT}/${NAME}`)
  await pull.scan()
  assert.match((await pull.errors())[0] ?? '', /it is a symlink/)
  assert.equal(await flagsOf(pull, 'b'), 0)
})

test('off until it is enabled; the preview says what changes, both ways', async () => {
  await using pull = await sharing(false)
  pull.peer.put(NAME, '*.tmp\n')
  await pull.sync()
  assert.equal(await flagsOf(pull, 'a.tmp'), 0)
  const explorer = await pull.hub.model.explorer()
  const before = await explorer.sharedIgnores(DOCS, NEVER)
  assert.deepEqual([before.enabled, before.lines, before.problem], [false, ['*.tmp'], null])
  assert.deepEqual([before.change.ignored, before.change.announcedTotal], [['a.tmp'], 0])
  const off = EXTENSIONS
  pull.hub.extensions = { ...pull.hub.extensions, sharedIgnores: true }
  pull.hub.model.applyExtensions(off, { ...off, folders: { docs: pull.hub.extensions } })
  await pull.rest()
  assert.equal(await flagsOf(pull, 'a.tmp'), 2)
  const after = await explorer.sharedIgnores(DOCS, NEVER)
  assert.deepEqual([after.enabled, after.change.ignoredTotal, after.change.announced], [true, 0, ['a.tmp']])
})
