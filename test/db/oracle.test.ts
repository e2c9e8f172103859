import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  isInvalid,
  type FileInfo,
} from '../../src/core/records/file-info.ts'
import { isContested } from '../../src/core/records/contested-deletion.ts'
import type { DeviceId, ShortId } from '../../src/core/ids.ts'
import {
  countsAsLocal,
  countsAsReceiveOnlyChanged,
  findWinner,
  hasWinner,
  isHeldElsewhere,
  isNeeded,
  isNeededByRemote,
} from '../../src/core/records/need.ts'
import { compareNames } from '../../src/core/paths.ts'
import { Tally } from '../../src/db/folder/counts.ts'
import type { FolderIndex, IndexOwner, TreeEntry } from '../../src/db/types.ts'
import { effort } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { allRecords, blocks, DEVICES, file, FOLDER, headOf, openTestStore, textOf, version } from './records.ts'

/** The simplest index: a map per owner, with everything else recomputed on each call. */
class PlainIndex {
  readonly records = new Map<IndexOwner, Map<string, FileInfo>>([['local', new Map()]])
  sequence = 0

  updateLocal(batch: readonly FileInfo[]): void {
    for (const info of batch) this.records.get('local')!.set(info.name, { ...info, sequence: ++this.sequence })
  }

  updateRemote(device: DeviceId, batch: readonly FileInfo[]): void {
    const own = this.records.get(device) ?? new Map<string, FileInfo>()
    this.records.set(device, own)
    for (const info of batch) own.set(info.name, info)
  }

  /** Ours first, then by device id. */
  claims(name: string): { readonly owner: IndexOwner; readonly info: FileInfo }[] {
    const owners: IndexOwner[] = ['local', ...DEVICES]
    return owners.flatMap((owner) => {
      const info = this.records.get(owner)?.get(name)
      return info === undefined ? [] : [{ owner, info }]
    })
  }

  get names(): string[] {
    return [...new Set([...this.records.values()].flatMap((own) => [...own.keys()]))].sort(compareNames)
  }

  winner(name: string): { readonly owner: IndexOwner; readonly info: FileInfo } | undefined {
    const claims = this.claims(name)
    return claims[findWinner(claims.map(({ info }) => info))]
  }

  needed(name: string): boolean {
    const winner = this.winner(name)
    if (winner === undefined || winner.owner === 'local') return false
    const others = this.claims(name).filter(({ owner }) => owner !== 'local')
    const heldElsewhere = isHeldElsewhere(
      others.map(({ info }) => info),
      winner.info,
    )
    return isNeeded(this.records.get('local')!.get(name), winner.info, heldElsewhere)
  }

  contested(name: string): boolean {
    const winner = this.winner(name)
    return winner?.owner === 'local' && this.claims(name).some(({ info }) => isContested(winner.info, info))
  }

  tally(choose: (name: string) => FileInfo | undefined): ReturnType<Tally['counts']> {
    const tally = new Tally()
    for (const name of this.names) {
      const info = choose(name)
      if (info !== undefined) tally.add(info, 1)
    }
    return tally.counts()
  }
}

/** A device without records. */
const UNKNOWN_DEVICE = 'S-test-device' as DeviceId
const NAMES = ['a', 'a/b', 'a/b/c', 'a-b', 'd', 'd/e', 'é']
const info: fc.Arbitrary<FileInfo> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    type: fc.constantFrom('file', 'file', 'directory', 'symlink'),
    deleted: fc.boolean(),
    counters: fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
    modifiedS: fc.integer({ min: 0, max: 2 }),
    localFlags: fc.constantFrom(0, 0, 0, FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID),
    sizeBytes: fc.integer({ min: 0, max: 300_000 }),
    content: fc.integer({ min: 1, max: 3 }),
    sequence: fc.integer({ min: 1, max: 1000 }),
    extra: fc.constantFrom(
      {},
      {},
      { platform: Buffer.alloc(0) },
      { platform: Buffer.from('p'), previousBlocksHash: blocks('before') },
      { encrypted: Buffer.from('e') },
      { contestedBy: 0xfedcba9876543210n as ShortId },
      { previousBlocksHash: blocks('before'), contestedBy: 1n as ShortId },
      { diskTime: { modifiedS: -2, modifiedNs: 0 } },
      { platform: Buffer.from('p'), diskTime: { modifiedS: 2 ** 40, modifiedNs: 999_999_999 } },
    ),
  })
  .map(({ counters, content, type, extra, ...rest }) => {
    const isFile = type === 'file' && !rest.deleted
    const blockHashes = isFile ? blocks(`content ${content}`, content) : undefined
    return file(rest.name, {
      ...rest,
      type,
      sizeBytes: isFile ? rest.sizeBytes : 0,
      version: version(...counters),
      blockHashes,
      ...extra,
    })
  })

type Step =
  | { readonly do: 'local'; readonly batch: readonly FileInfo[] }
  | { readonly do: 'remote'; readonly device: DeviceId; readonly batch: readonly FileInfo[] }
  | { readonly do: 'drop device'; readonly device: DeviceId }
  | { readonly do: 'reopen' }

const batch = fc.array(info, { maxLength: 5 })
const device = fc.constantFrom(...DEVICES)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('local' as const), batch }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('remote' as const), device, batch }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop device' as const), device }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
)

async function apply(step: Exclude<Step, { do: 'reopen' }>, index: FolderIndex, plain: PlainIndex): Promise<void> {
  switch (step.do) {
    case 'local':
      await index.records.updateLocal(step.batch)
      return plain.updateLocal(step.batch)
    case 'remote':
      await index.records.updateRemote(step.device, step.batch)
      return plain.updateRemote(step.device, step.batch)
    case 'drop device':
      await index.records.dropDevice(step.device)
      return void plain.records.delete(step.device)
  }
}

async function assertSame(index: FolderIndex, plain: PlainIndex): Promise<void> {
  for (const owner of ['local' as const, ...DEVICES]) {
    const own = [...(plain.records.get(owner)?.values() ?? [])].sort((a, b) => compareNames(a.name, b.name))
    assert.deepEqual(
      (await allRecords(index, owner, 3)).map(textOf),
      own.map((record) => textOf(headOf(record))),
    )
    for (const record of own) {
      assert.equal(textOf(await index.records.get(owner, record.name)), textOf(record))
      assert.equal(textOf(await index.records.head(owner, record.name)), textOf(headOf(record)))
    }
    assert.equal(await index.records.head(owner, 'unknown name'), undefined)
  }
  for (const name of NAMES) {
    const winner = plain.winner(name)
    assert.equal(textOf(await index.records.global(name)), textOf(winner?.info), `global ${name}`)
    const both = await index.records.both(name)
    assert.equal(textOf(both.global), textOf(winner?.info), `both ${name}, the winner`)
    assert.equal(textOf(both.local), textOf(plain.records.get('local')?.get(name)), `both ${name}, ours`)
    const holders = plain.claims(name).filter(({ owner, info }) => owner !== 'local' && hasWinner(info, winner!.info))
    assert.deepEqual(
      await index.records.availability(name),
      holders.map(({ owner }) => owner),
      `availability ${name}`,
    )
    const have = holders.filter(({ info }) => info.deleted === winner?.info.deleted)
    assert.deepEqual(
      both.holders,
      have.map(({ owner }) => owner),
      `both ${name}, who has it`,
    )
  }
  const needed = plain.names.filter((name) => plain.needed(name))
  const heads = needed.map((name) => textOf(headOf(plain.winner(name)!.info)))
  assert.deepEqual((await index.needs.need({ offset: 0, limit: 100 })).map(textOf), heads)
  assert.deepEqual((await index.needs.need({ offset: 1, limit: 2 })).map(textOf), heads.slice(1, 3))
  const after = needed[0] ?? ''
  assert.deepEqual((await index.needs.need({ offset: 1, limit: 2, afterName: after })).map(textOf), heads.slice(2, 4))
  assert.deepEqual(await index.needs.neededNames({ afterName: after, offset: 1, limit: 2 }), needed.slice(2, 4))
  assert.deepEqual(await index.needs.neededNames({ beforeName: needed.at(-1) ?? '', limit: 2 }), needed.slice(-3, -1))
  const contested = plain.names.filter((name) => plain.contested(name))
  assert.deepEqual(await index.needs.contested({ afterName: '', limit: 100 }), contested)
  assert.deepEqual(await index.needs.contested({ afterName: contested[0] ?? '', limit: 1 }), contested.slice(1, 2))
  const local = (name: string) => plain.records.get('local')!.get(name)
  assert.deepEqual(await index.needs.counts(), {
    global: plain.tally((name) => [plain.winner(name)!.info].find((found) => !isInvalid(found))),
    local: plain.tally((name) => [local(name)].find((found) => found !== undefined && countsAsLocal(found))),
    need: plain.tally((name) => (plain.needed(name) ? plain.winner(name)!.info : undefined)),
    receiveOnlyChanged: plain.tally((name) =>
      [local(name)].find((found) => found !== undefined && countsAsReceiveOnlyChanged(found)),
    ),
  })
  // Computed at the first query and updated by every later change.
  for (const device of [...DEVICES, UNKNOWN_DEVICE]) {
    const lacks = (name: string) =>
      [plain.winner(name)!.info].find((found) => isNeededByRemote(plain.records.get(device)?.get(name), found))
    assert.deepEqual(await index.needs.remoteNeedCounts(device), plain.tally(lacks), `what ${device} lacks`)
  }
  assert.equal(await index.exchange.sequence('local'), plain.sequence)
  await assertSameTree(index, plain)
}

async function assertSameTree(index: FolderIndex, plain: PlainIndex): Promise<void> {
  const shown = new Map(
    plain.names
      .map((name) => [name, plain.winner(name)!.info])
      .filter(
        (pair): pair is [string, FileInfo] =>
          typeof pair[1] !== 'string' && pair[1] !== undefined && !pair[1].deleted && !isInvalid(pair[1]),
      ),
  )
  const children = (parent: string, levels: number): unknown =>
    [...shown.values()]
      .filter(
        ({ name }) =>
          name !== parent &&
          name.lastIndexOf('/') === parent.length - (parent === '' ? 1 : 0) &&
          name.startsWith(parent),
      )
      .map(({ name, type }) => [
        name.split('/').at(-1),
        type,
        type === 'directory' && levels > 0 ? children(name, levels - 1) : [],
      ])
  const treeOf = (entries: readonly TreeEntry[]): unknown =>
    entries.map((entry) => [entry.name, entry.type, treeOf(entry.children)])
  for (const prefix of ['', 'a', 'a/b']) {
    for (const levels of [0, 1, undefined]) {
      const expected = prefix === '' || shown.get(prefix)?.type === 'directory' ? children(prefix, levels ?? 9) : []
      const found = treeOf(await index.listing.browse({ prefix, levels, directoriesOnly: false }))
      assert.deepEqual(found, expected, `browse ${prefix} ${levels}`)
    }
  }
}

test('index: after any sequence of changes every result equals that of the oracle', async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      await using store = await openTestStore(undefined)
      const index = await store.folder(FOLDER)
      const plain = new PlainIndex()
      for (const step of script) {
        if (step.do === 'reopen') continue
        await apply(step, index, plain)
      }
      await assertSame(index, plain)
    }),
    { numRuns: effort(125, 250) },
  )
})

test('index: the same on disk, closed and checked again between changes', async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      using scratch = scratchDirectory()
      const plain = new PlainIndex()
      let store = await openTestStore(scratch.path)
      try {
        for (const step of [...script, { do: 'reopen' as const }]) {
          if (step.do === 'reopen') {
            await store[Symbol.asyncDispose]()
            // Without its seal an index is checked row by row: the check must find nothing.
            for (const name of readdirSync(scratch.path)) if (name.endsWith('.seal')) rmSync(join(scratch.path, name))
            store = await openTestStore(scratch.path)
            continue
          }
          await apply(step, await store.folder(FOLDER), plain)
        }
        await assertSame(await store.folder(FOLDER), plain)
        assert.deepEqual(store.recoveries, [])
      } finally {
        await store[Symbol.asyncDispose]()
      }
    }),
    { numRuns: effort(12, 20) },
  )
})
