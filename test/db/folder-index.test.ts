import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { FLAG_IGNORED, FLAG_RECEIVE_ONLY } from '../../src/core/records/file-info.ts'
import type { ShortId } from '../../src/core/ids.ts'
import type { FolderIndex, TreeEntry } from '../../src/db/types.ts'
import { scratchDirectory } from '../support/scratch.ts'
import {
  allRecords,
  blocks,
  deletion,
  DEVICES,
  directory,
  file,
  FOLDER,
  headOf,
  openTestStore,
  sha256,
  textOf,
  version,
} from './records.ts'

const [PEER_A, PEER_B] = [DEVICES[0]!, DEVICES[1]!]

/** The contract of every index, on disk and in memory. */
function indexContract(kind: 'on disk' | 'in memory'): void {
  const check = (name: string, body: (index: FolderIndex) => Promise<void>) => {
    test(`index ${kind}: ${name}`, async () => {
      using scratch = scratchDirectory()
      await using store = await openTestStore(kind === 'on disk' ? join(scratch.path, 'index') : undefined)
      await body(await store.folder(FOLDER))
    })
  }

  check('returns both records at once', async (index) => {
    await index.records.updateLocal([file('a')])
    await index.records.updateRemote(PEER_A, [file('a', { version: version(2) })])
    const both = index.records.bothNow('a')
    assert.deepEqual(both, await index.records.both('a'))
    assert.deepEqual(both?.holders, [PEER_A])
    assert.equal(index.records.bothNow('b')?.global, undefined)
    const dropping = index.records.dropDevice(PEER_A)
    assert.equal(index.records.bothNow('a'), undefined, 'the database is busy')
    await dropping
  })

  check('returns stored records of every kind', async (index) => {
    const records = [
      file('a', { modifiedS: -5, modifiedNs: 999_999_999, permissions: 0o777, sizeBytes: 2 ** 53 - 1 }),
      directory('b', { noPermissions: true }),
      file('c', { type: 'symlink', sizeBytes: 0, blockHashes: undefined, symlinkTarget: '../ünïcode\n' }),
      deletion('d', { version: [] }),
      file('e', { blockHashes: blocks('e', 3000), blockSizeBytes: 1 << 24 }),
      file('f', { sizeBytes: 0, blockHashes: blocks('f'), localFlags: FLAG_IGNORED | FLAG_RECEIVE_ONLY }),
      file('g', {
        modifiedBy: 0xffff_ffff_ffff_ffffn as ShortId,
        version: [{ device: 1n as ShortId, value: 2n ** 64n - 1n }],
      }),
      file('h', { blockHashes: undefined, blocksHash: sha256(Buffer.from('only the hash')) }),
      file('日本/\u{1f600}'),
    ]
    assert.equal(await index.records.updateLocal(records), records.length)
    for (const [i, record] of records.entries()) {
      const expected = { ...record, sequence: i + 1 }
      assert.equal(textOf(await index.records.get('local', record.name)), textOf(expected))
      assert.equal(textOf(await index.records.global(record.name)), textOf(expected))
    }
    const heads = records.map((record, i) => textOf(headOf({ ...record, sequence: i + 1 })))
    assert.deepEqual((await allRecords(index, 'local', 4)).map(textOf), heads)
    assert.equal(await index.records.get('local', 'z'), undefined)
    assert.equal(await index.records.global('z'), undefined)
  })

  check('a record spread into another keeps all its fields', async (index) => {
    await index.records.updateLocal([file('a')])
    const [head] = await allRecords(index, 'local')
    assert.ok(head !== undefined)
    assert.equal(textOf({ ...head, deleted: true }), textOf({ ...headOf(file('a')), sequence: 1, deleted: true }))
  })

  check('a blocks hash that does not match the blocks is not used', async (index) => {
    const wrong = { ...file('a', { blockHashes: blocks('a', 3) }), blocksHash: sha256(Buffer.from('a lie')) }
    await index.records.updateRemote(PEER_A, [wrong])
    const stored = await index.records.get(PEER_A, 'a')
    assert.deepEqual(Buffer.from(stored!.blocksHash!), sha256(blocks('a', 3)))
  })

  check('pages are in byte order, at or below a directory, after a name', async (index) => {
    const names = ['a', 'a-b', 'a.b', 'a/b', 'a/b/c', 'a/z', 'a0', 'b', '\u{e000}', '\u{10000}'] // not UTF-16 order
    await index.records.updateLocal(names.toReversed().map((name) => file(name)))
    const names_ = async (within: string, limit: number) =>
      (await allRecords(index, 'local', limit, within)).map(({ name }) => name)
    for (const limit of [1, 2, 3, 100]) {
      assert.deepEqual(await names_('', limit), names)
      assert.deepEqual(await names_('a', limit), ['a', 'a/b', 'a/b/c', 'a/z'])
      assert.deepEqual(await names_('a/b', limit), ['a/b', 'a/b/c'])
      assert.deepEqual(await names_('a/b/c', limit), ['a/b/c'])
      assert.deepEqual(await names_('nothing', limit), [])
    }
    const after = await index.records.page('local', { within: 'a', afterName: 'a-b', limit: 10 })
    assert.deepEqual(
      after.map(({ name }) => name),
      ['a/b', 'a/b/c', 'a/z'],
    )
    assert.deepEqual(await index.records.page('local', { within: 'a', afterName: 'b', limit: 10 }), [])
    assert.deepEqual(await index.records.page(PEER_A, { within: '', afterName: '', limit: 10 }), [])
  })

  check('sequence numbers rise with every record, also of the same name', async (index) => {
    assert.equal(await index.exchange.sequence('local'), 0)
    assert.equal(await index.records.updateLocal([file('a'), file('b'), file('a')]), 3)
    assert.equal((await index.records.get('local', 'a'))?.sequence, 3)
    assert.equal(await index.records.updateLocal([]), 3)
    assert.equal(await index.records.updateLocal([file('a')]), 4)
    assert.equal(await index.exchange.sequence('local'), 4)
  })

  check('remote records keep their sequence numbers; the last one is stored', async (index) => {
    await index.records.updateRemote(PEER_B, [file('a', { sequence: 70 }), file('b', { sequence: 12 })])
    await index.records.updateRemote(PEER_A, [file('a', { sequence: 3 })])
    assert.equal(await index.exchange.sequence(PEER_B), 70)
    assert.deepEqual([...(await index.exchange.remoteSequences())].sort(), [
      [PEER_A, 3],
      [PEER_B, 70],
    ])
    assert.equal((await index.records.get(PEER_B, 'b'))?.sequence, 12)
    await index.records.dropDevice(PEER_B)
    assert.deepEqual([...(await index.exchange.remoteSequences())], [[PEER_A, 3]])
    assert.equal(await index.exchange.sequence(PEER_B), 0)
    assert.deepEqual(await allRecords(index, PEER_B), [])
    await index.records.dropDevice(PEER_B) // unknown to the index
  })

  check('need, global and availability follow the versions', async (index) => {
    await index.records.updateLocal([file('same'), file('old'), file('ours', { version: version(3) })])
    await index.records.updateRemote(PEER_A, [
      file('same', { sequence: 1 }),
      file('old', { version: version(2), sequence: 2 }),
      file('new', { sequence: 3 }),
      file('ours', { version: version(2), sequence: 4 }),
      deletion('never', { sequence: 5 }),
    ])
    await index.records.updateRemote(PEER_B, [file('new', { sequence: 9 })])
    assert.deepEqual(
      (await index.needs.need({ offset: 0, limit: 10 })).map(({ name }) => name),
      ['new', 'old'],
    )
    assert.deepEqual(
      (await index.needs.need({ offset: 1, limit: 1 })).map(({ name }) => name),
      ['old'],
    )
    assert.deepEqual(await index.records.availability('new'), [PEER_A, PEER_B])
    assert.deepEqual(await index.records.availability('ours'), [])
    assert.deepEqual(await index.records.availability('same'), [PEER_A])
    assert.deepEqual(await index.records.availability('unknown'), [])
    assert.equal((await index.records.global('ours'))?.version[0]?.value, 3n)
    assert.equal((await index.records.global('old'))?.version[0]?.value, 2n)
    const { need, global, local } = await index.needs.counts()
    assert.deepEqual(need, { files: 2, directories: 0, symlinks: 0, deleted: 0, bytes: 2000 })
    assert.deepEqual(global, { files: 4, directories: 0, symlinks: 0, deleted: 1, bytes: 4000 })
    assert.deepEqual(local, { files: 3, directories: 0, symlinks: 0, deleted: 0, bytes: 3000 })
  })

  check('counts include directories and symlinks, and exclude ignored items', async (index) => {
    await index.records.updateLocal([
      file('a'),
      directory('d'),
      file('l', { type: 'symlink', sizeBytes: 0, blockHashes: undefined }),
      deletion('x'),
      file('i', { localFlags: FLAG_IGNORED }),
      file('r', { localFlags: FLAG_RECEIVE_ONLY, sizeBytes: 7 }),
    ])
    const { local, global, receiveOnlyChanged } = await index.needs.counts()
    assert.deepEqual(local, { files: 2, directories: 1, symlinks: 1, deleted: 1, bytes: 1000 + 7 })
    assert.deepEqual(global, { files: 1, directories: 1, symlinks: 1, deleted: 1, bytes: 1000 })
    assert.deepEqual(receiveOnlyChanged, { files: 1, directories: 0, symlinks: 0, deleted: 0, bytes: 7 })
  })

  check('extreme sizes announced by others do not corrupt the totals', async (index) => {
    const huge = Array.from({ length: 2000 }, (_, i) =>
      file(`h${i}`, { sizeBytes: Number.MAX_SAFE_INTEGER, sequence: i + 1 }),
    )
    await index.records.updateRemote(PEER_A, [...huge, file('small', { sizeBytes: 5, sequence: 3000 })])
    await index.records.updateRemote(
      PEER_A,
      huge.map((record) => ({ ...deletion(record.name), sequence: record.sequence, version: version(2) })),
    )
    assert.equal((await index.needs.counts()).global.bytes, 5)
  })

  check('finds our live files by their blocks', async (index) => {
    const list = blocks('content', 40)
    await index.records.updateLocal([
      file('one', { blockHashes: list }),
      file('single'),
      file('empty', { sizeBytes: 0 }),
    ])
    await index.records.updateRemote(PEER_A, [file('theirs', { blockHashes: list })])
    const find = async (hashes: Uint8Array, limit = 10) =>
      (await index.records.localByBlocks(sha256(hashes), limit)).map(({ name }) => name)
    assert.deepEqual(await find(list), ['one'])
    assert.deepEqual(await find(blocks('single')), ['single'])
    assert.deepEqual(await find(blocks('empty')), [])
    await index.records.updateLocal([file('two', { blockHashes: list }), file('three', { blockHashes: list })])
    assert.deepEqual((await find(list)).sort(), ['one', 'three', 'two'])
    assert.equal((await find(list, 2)).length, 2)
    await index.records.updateLocal([deletion('one'), file('two')])
    assert.deepEqual(await find(list), ['three'])
    await index.records.updateLocal([deletion('three')])
    assert.deepEqual(await find(list), [])
    assert.deepEqual(await find(blocks('unknown')), [])
  })

  check('finds files by their blocks after thousands of changes to the same ones', async (index) => {
    for (let round = 0; round < 15; round++) {
      await index.records.updateLocal(
        Array.from({ length: 1000 }, (_, i) => file(`f${i}`, { blockHashes: blocks(`${round}/${i}`) })),
      )
      assert.deepEqual(
        (await index.records.localByBlocks(sha256(blocks(`${round}/7`)), 5)).map(({ name }) => name),
        ['f7'],
      )
    }
    assert.deepEqual(await index.records.localByBlocks(sha256(blocks('3/7')), 5), [])
  })

  check('browse returns the global tree to the requested depth', async (index) => {
    await index.records.updateLocal([
      directory('d'),
      directory('d/e'),
      file('d/e/f'),
      file('d-x'),
      file('d.y'),
      file('d/e/g/lost'),
      directory('gone'),
      file('gone/in'),
      directory('p'),
      file('p/q'),
      file('z', { localFlags: FLAG_IGNORED }),
    ])
    await index.records.updateLocal([deletion('gone', { type: 'directory' }), deletion('gone/in')])
    await index.records.updateRemote(PEER_A, [
      directory('r'),
      file('r/s', { sizeBytes: 9 }),
      deletion('p/q', { version: version(2) }),
      file('d/e/h'),
    ])
    const treeOf = (entries: readonly TreeEntry[]): unknown =>
      entries.map(({ name, children }) => (children.length === 0 ? name : [name, treeOf(children)]))
    const browse = async (prefix: string, levels: number | undefined, directoriesOnly = false) =>
      treeOf(await index.listing.browse({ prefix, levels, directoriesOnly }))
    assert.deepEqual(await browse('', 0), ['d', 'd-x', 'd.y', 'p', 'r'])
    assert.deepEqual(await browse('', 1), [['d', ['e']], 'd-x', 'd.y', 'p', ['r', ['s']]])
    assert.deepEqual(await browse('', undefined), [['d', [['e', ['f', 'h']]]], 'd-x', 'd.y', 'p', ['r', ['s']]])
    assert.deepEqual(await browse('', undefined, true), [['d', ['e']], 'p', 'r'])
    assert.deepEqual(await browse('d', 0), ['e'])
    assert.deepEqual(await browse('d/', undefined), [['e', ['f', 'h']]])
    for (const nothing of ['d-x', 'missing', '../d', '/d', 'gone', 'D'])
      assert.deepEqual(await browse(nothing, undefined), [], nothing)
    assert.equal((await index.listing.browse({ prefix: 'r', levels: 0, directoriesOnly: false }))[0]?.sizeBytes, 9)
  })

  check('a batch with an invalid record is not stored at all', async (index) => {
    await index.records.updateLocal([file('a')])
    await assert.rejects(index.records.updateLocal([file('b'), file('c', { sizeBytes: 0.5 })]), /no whole number/)
    await assert.rejects(
      index.records.updateRemote(PEER_A, [file('b'), file('c', { blockHashes: new Uint8Array(33) })]),
      /33 bytes/,
    )
    assert.equal(await index.exchange.sequence('local'), 1)
    assert.deepEqual(
      (await allRecords(index, 'local')).map(({ name }) => name),
      ['a'],
    )
    assert.equal((await index.exchange.remoteSequences()).size, 0)
    assert.equal((await index.needs.counts()).local.files, 1)
    assert.equal(await index.records.updateLocal([file('b')]), 2)
  })

  check('concurrent calls resolve in call order', async (index) => {
    await index.records.updateRemote(
      PEER_A,
      Array.from({ length: 3000 }, (_, i) => file(`f${i}`, { sequence: i + 1 })),
    )
    const [, records, counts, last] = await Promise.all([
      index.records.dropDevice(PEER_A),
      allRecords(index, PEER_A),
      index.needs.counts(),
      index.records.updateLocal([file('x')]),
    ])
    assert.deepEqual([records.length, counts.global.files, last], [0, 0, 1])
    assert.equal((await index.needs.counts()).global.files, 1)
  })
}

indexContract('on disk')
indexContract('in memory')
