/** The order of a directory, and what only the disk has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bumpVersion } from '../../../src/core/records/version-vector.ts'
import type { TreeOrder } from '../../../src/model/queries/explorer-types.ts'
import { SELF } from '../../db/records.ts'
import { DOCS } from '../../support/model.ts'
import { FIRST_PAGE, ANNA, explored, NEVER, ROOT } from './explored.ts'

test('a tree is sorted by name, size or time, directories first in any case', async () => {
  await using it = await explored({ 'b.txt': 'bb', 'a.txt': 'a', 'c.txt': 'ccc', 'zoo/x': '' })
  const { hub, explorer } = it
  const times = { 'a.txt': 30, 'b.txt': 10, 'c.txt': 20 }
  const index = await hub.store.folder(DOCS)
  for (const [at, [name, modifiedS]] of Object.entries(times).entries()) {
    const [records] = await index.listing.recordsOf([name])
    const next = { ...records!.global, blockHashes: undefined, modifiedS, sequence: at + 1 }
    await index.records.updateRemote(ANNA, [
      { ...next, version: bumpVersion(records!.global.version, SELF, 1_800_000_000) },
    ])
  }
  const listed = async (by: TreeOrder['by'], descending = false) => {
    const page = await explorer.tree(DOCS, '', FIRST_PAGE, NEVER, { order: { by, descending } })
    return page.items.map(({ records }) => records.name).join(' ')
  }
  assert.equal(await listed('name', true), 'zoo c.txt b.txt a.txt')
  assert.equal(await listed('size'), 'zoo a.txt b.txt c.txt')
  assert.equal(await listed('size', true), 'zoo c.txt b.txt a.txt')
  assert.equal(await listed('modified'), 'zoo b.txt c.txt a.txt')
})

test('a preview of patterns covers what only the disk has, and counts a directory that is left out once', async () => {
  await using it = await explored({ '.stignore': 'old\n', 'a.txt': '', 'old/x.log': '', 'old/deep/y.txt': '' })
  const { hub, explorer } = it
  hub.platform.disk.put(`${ROOT}/new.log`, '')
  const preview = (...lines: string[]) => hub.while(explorer.previewIgnores(DOCS, lines, NEVER))
  const [log, old] = (await preview('*.log', 'old')).lines
  assert.deepEqual(log, { kind: 'ignore', matches: 1, examples: ['new.log'] })
  assert.deepEqual(old, { kind: 'ignore', matches: 1, examples: ['old'] })
  const without = await preview('*.log')
  assert.deepEqual(without.lines[0], { kind: 'ignore', matches: 2, examples: ['new.log', 'old/x.log'] })
  assert.equal(without.checkedTotal, 6)
})

test('a tree shows ignored items of the disk on request, after all others, also in ignored directories', async () => {
  await using it = await explored({ '.stignore': 'old\n*.log\n', 'z.txt': '', 'a.log': 'xy', 'old/in.txt': '' })
  const { hub, explorer } = it
  const listed = async (name: string, paging = FIRST_PAGE) => {
    const { total, items, ignored } = await explorer.tree(DOCS, name, paging, NEVER, { withIgnored: true })
    const known = items.map(({ records }) => records.name)
    return [total, ...known, ...ignored.map((each) => `${each.name} ${each.type} ${each.sizeBytes}`)]
  }
  assert.deepEqual(await listed(''), [3, 'z.txt', 'a.log file 2', 'old directory 0'])
  assert.deepEqual(await listed('', { page: 2, perPage: 2 }), [3, 'old directory 0'])
  assert.deepEqual(await listed('old'), [1, 'old/in.txt file 0'])
  assert.deepEqual((await explorer.tree(DOCS, '', FIRST_PAGE, NEVER)).ignored, [])
  await hub.platform.disk.makeDirectories('/secret/old', 0o700)
  hub.platform.disk.put('/secret/old/key.log', '')
  await hub.platform.disk.makeSymlink('/secret/old', `${ROOT}/way`)
  assert.deepEqual(await listed('way'), [0], 'not through a symlink')
})
