import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeAttributesWith } from '../../../../src/platform/node/disk/attributes.ts'
import { posix } from '../../../../src/platform/node/native/posix.ts'
import { missingProgram } from '../../../support/debian.ts'
import { scratchDirectory } from '../../../support/scratch.ts'

/** By native calls and without them. */
const WAYS = [
  ['native calls', nodeAttributesWith(() => posix()?.attributes)],
  ['programs', nodeAttributesWith(() => undefined)],
] as const
const missing = missingProgram('getfattr', 'attr')
const { signal } = new AbortController()
const ONE = { set: [{ name: 'user.a', value: Buffer.from('1') }], remove: [] }

function keepsAttributes(directory: string): boolean {
  writeFileSync(join(directory, 'probe'), '')
  return spawnSync('setfattr', ['-n', 'user.probe', '-v', '1', '--', join(directory, 'probe')]).status === 0
}

for (const [way, attributes] of WAYS) {
  test(`${way}: many items are read, and each is what it is`, { skip: missing }, async (t) => {
    using scratch = scratchDirectory()
    if (!keepsAttributes(scratch.path)) return t.skip('this file system keeps no attributes')
    const deep = Array.from({ length: 12 }, () => 'x'.repeat(200)).join('/')
    mkdirSync(join(scratch.path, deep), { recursive: true })
    const names = Array.from({ length: 1_100 }, (_, i) => (i % 2 === 0 ? `f${i}` : `${deep}/f${i}`))
    for (const name of names) writeFileSync(join(scratch.path, name), '')
    for (const i of [0, 1, 511, 512, 1_099]) await attributes.write(join(scratch.path, names[i]!), ONE)
    const seen = await attributes.read(scratch.path, names, signal)
    assert.ok(seen.kind === 'read')
    assert.deepEqual([...seen.found.keys()].sort(), [0, 1, 511, 512, 1_099].map((i) => names[i]).sort())
    assert.equal(seen.failed.size, 0)
    // Of very many that fail the rest is not believed either.
    const gone = await attributes.read(
      scratch.path,
      names.map((name) => `${name}.gone`),
      signal,
    )
    assert.ok(gone.kind === 'read')
    assert.equal(gone.failed.size, names.length)
  })

  test(`${way}: a symlink is never followed`, { skip: missing }, async (t) => {
    using scratch = scratchDirectory()
    if (!keepsAttributes(scratch.path)) return t.skip('this file system keeps no attributes')
    const path = join(scratch.path, 'link')
    symlinkSync('probe', path)
    const outcome = await attributes.write(path, ONE)
    assert.equal(outcome.kind, 'failed')
    assert.equal((await attributes.write(path, { set: [], remove: ['user.probe'] })).kind, 'failed')
    const seen = await attributes.read(scratch.path, ['link', 'probe'], signal)
    assert.ok(seen.kind === 'read')
    assert.deepEqual(
      [...seen.found].map(([name, list]) => [name, list.map((each) => each.name)]),
      [['probe', ['user.probe']]],
    )
  })

  test(`${way}: of several that are set the one that fails is named`, { skip: missing }, async (t) => {
    using scratch = scratchDirectory()
    if (!keepsAttributes(scratch.path)) return t.skip('this file system keeps no attributes')
    const set = [
      ...ONE.set,
      { name: 'user.huge', value: Buffer.alloc(100_000) },
      { name: 'user.z', value: Buffer.from('1') },
    ]
    const outcome = await attributes.write(join(scratch.path, 'probe'), { set, remove: [] })
    assert.ok(outcome.kind === 'failed')
    assert.equal(outcome.attribute, 'user.huge')
    const nowhere = await attributes.write(join(scratch.path, 'probe'), {
      set: [{ name: 'nowhere', value: Buffer.from('1') }],
      remove: [],
    })
    const failure = { code: 'unsupported', text: 'Operation not supported' }
    assert.deepEqual(nowhere, { kind: 'failed', attribute: 'nowhere', failure })
  })
}

test('a machine without native calls and programs reports it', async () => {
  using scratch = scratchDirectory()
  const attributes = nodeAttributesWith(() => undefined)
  const before = process.env['PATH']
  process.env['PATH'] = scratch.path
  try {
    assert.deepEqual(await attributes.read(scratch.path, ['a'], signal), { kind: 'unsupported' })
    assert.deepEqual(await attributes.write(join(scratch.path, 'a'), ONE), { kind: 'unsupported' })
    assert.deepEqual(await attributes.write(join(scratch.path, 'a'), { set: [], remove: ['user.a'] }), {
      kind: 'unsupported',
    })
  } finally {
    process.env['PATH'] = before
  }
})
