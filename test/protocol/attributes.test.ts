import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileInfo } from '../../src/core/records/file-info.ts'
import { viewPlatform } from '../../src/core/attributes/platform-view.ts'
import { writeIndex } from '../../src/protocol/index-data.ts'
import { readIndex } from './read-index.ts'
import { encode } from '../../src/core/wire/schema.ts'
import { ROOT, SimPull } from '../model/puller/sim-pull.ts'
import { reportRow } from '../support/effort.ts'
import { FULL_INDEX } from './reference-schema.ts'

interface Attribute {
  readonly name: string
  readonly value: Uint8Array
}

const KIB = 1_024

function many(count: number, valueBytes: number): readonly Attribute[] {
  return Array.from({ length: count }, (_, i) => ({ name: `user.${i}`, value: new Uint8Array(valueBytes).fill(i) }))
}

const HOSTILE: readonly (readonly [what: string, attributes: readonly Attribute[], isPassedOn: boolean])[] = [
  ['one of 64 KiB', many(1, 64 * KIB), true],
  ['10,000 small ones', many(10_000, 8), true],
  ['10,000 of 1 KiB', many(10_000, KIB), false],
  ['one of 8 MiB', many(1, 8 * KIB * KIB), false],
  [
    'file capabilities',
    [{ name: 'security.capability', value: Buffer.from('0100000200200000000000000000000000000000', 'hex') }],
    true,
  ],
  ['an access list', [{ name: 'system.posix_acl_access', value: new Uint8Array(28) }], true],
  [
    'invalid names',
    ['', '..', '../x', 'a\nb', 'user.\0x', 'trusted.overlay.opaque', '__proto__'].map((name) => ({
      name,
      value: new Uint8Array(1),
    })),
    true,
  ],
]

function read(name: string, attributes: readonly Attribute[]): FileInfo | undefined {
  const platform = { unix: { owner_name: 'root', group_name: 'root', uid: 0, gid: 0 }, linux: { xattrs: attributes } }
  const file = {
    name,
    type: 1,
    permissions: 0o7777,
    version: { counters: [{ id: 5n, value: 3n }] },
    sequence: 1,
    platform,
  }
  const body = encode(FULL_INDEX, { folder: 'docs', files: [file] as never, last_sequence: 1 })
  return [...readIndex(body, 'index')][0]?.files[0]
}

/** Node has no call to set extended attributes, so only storing, sending and displaying them is tested. */
test('N-13: attributes of other devices are passed on up to a limit, and not applied locally', async () => {
  await using pull = await SimPull.start()
  const { faults } = pull.disk
  const check = faults.check.bind(faults)
  let given = 0
  faults.check = (call, path) => {
    if (call === 'chown') given++
    check(call, path)
  }
  let passedOn = 0
  let largestBytes = 0
  for (const [what, attributes, isPassedOn] of HOSTILE) {
    const record = read(what, attributes)
    assert.ok(record !== undefined)
    const platform = record.platform
    assert.equal(platform !== undefined, isPassedOn, what)
    largestBytes = Math.max(largestBytes, platform?.length ?? 0)
    pull.peer.put(what, '', { type: 'directory', permissions: record.permissions })
    pull.peer.records.set(what, { ...pull.peer.records.get(what)!, ...(platform !== undefined && { platform }) })
    await pull.sync()
    const local = await pull.index.records.get('local', what)
    assert.equal((await pull.disk.lstat(`${ROOT}/${what}`)).mode & 0o7000, 0)
    assert.deepEqual(local?.platform && Buffer.from(local.platform), platform && Buffer.from(platform), what)
    if (platform === undefined || local === undefined) continue
    passedOn++
    // Displayed as a list of text and bytes: no name becomes a key, a path or a separate line.
    assert.deepEqual(
      viewPlatform(platform).linux?.map(({ name }) => name),
      attributes.map(({ name }) => name),
    )
    const again = [
      ...readIndex(writeIndex({ folder: 'docs', files: [local], lastSequence: 1, prevSequence: 0 }), 'index'),
    ][0]?.files[0]
    assert.deepEqual(again?.platform && Buffer.from(again.platform), Buffer.from(platform), what)
  }
  reportRow({ id: 'N-13', part: 'attributes', tried: HOSTILE.length, passedOn, largestBytes, ownersGiven: given })
  assert.equal(given, 0, 'syncing ownership is disabled')
  await pull.assertSettled()
})
