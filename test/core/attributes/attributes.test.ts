import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { attributeRules, missingAttributes } from '../../../src/core/records/attribute-rules.ts'
import {
  areSameAttributes,
  attributeChange,
  AttributeFilter,
  inOrder,
  linuxAttributesOf,
  withLinuxAttributes,
  type AttributeList,
} from '../../../src/core/attributes/attributes.ts'
import type { FileHead } from '../../../src/core/records/file-info.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import { unixOwnerOf, withUnixOwner } from '../../../src/core/attributes/platform-data.ts'

const OWN = 1n as ShortId
const OTHER = 2n as ShortId
const NO_LIMITS = { entries: [], maxSingleEntrySize: 0, maxTotalSize: 0 }

function list(attributes: Readonly<Record<string, string>>): AttributeList {
  return inOrder(Object.entries(attributes).map(([name, value]) => ({ name, value: Buffer.from(value) })))
}

function record(modifiedBy: ShortId, attributes?: AttributeList): FileHead {
  return {
    name: 'f',
    type: 'file',
    deleted: false,
    sizeBytes: 0,
    modifiedS: 0,
    modifiedNs: 0,
    permissions: 0,
    noPermissions: false,
    version: [],
    modifiedBy,
    sequence: 1,
    localFlags: 0,
    blockSizeBytes: 0,
    blocksHash: undefined,
    symlinkTarget: '',
    ...(attributes && { platform: withLinuxAttributes(undefined, attributes) }),
  }
}

function filter(...entries: readonly (readonly [string, boolean])[]): AttributeFilter {
  return new AttributeFilter({ ...NO_LIMITS, entries: entries.map(([match, permit]) => ({ match, permit })) })
}

const lists = fc
  .array(fc.record({ name: fc.string({ unit: 'grapheme' }), value: fc.uint8Array() }, { noNullPrototype: true }))
  .map(inOrder)

test('written attributes are read back, and the data of other systems is unchanged', () => {
  const owner = { ownerName: 'ann', groupName: 'staff', userId: 1000, groupId: 50 }
  const before = Buffer.concat([withUnixOwner(undefined, owner), Buffer.from('2200', 'hex')])
  fc.assert(
    fc.property(lists, lists, (first, second) => {
      const twice = withLinuxAttributes(withLinuxAttributes(before, first), second)
      assert.ok(areSameAttributes(linuxAttributesOf(twice) ?? [], second))
      assert.deepEqual(unixOwnerOf(twice), owner)
      assert.ok(Buffer.from(twice).subarray(-2).equals(Buffer.from('2200', 'hex')))
    }),
  )
  assert.equal(Buffer.from(withLinuxAttributes(undefined, [])).toString('hex'), '1a00')
  assert.equal(
    Buffer.from(withLinuxAttributes(undefined, list({ 'user.a': 'k' }))).toString('hex'),
    '1a0d0a0b0a06757365722e6112016b',
  )
  assert.equal(linuxAttributesOf(Buffer.from('0a00', 'hex')), undefined)
})

test('a change leads from the current to the wanted attributes', () => {
  fc.assert(
    fc.property(lists, lists, (now, wanted) => {
      const { set, remove } = attributeChange(now, wanted)
      const after = inOrder([...now.filter(({ name }) => !remove.includes(name)), ...set])
      assert.ok(areSameAttributes(after, wanted))
      assert.deepEqual(attributeChange(after, wanted), { set: [], remove: [] })
    }),
  )
})

test('the first matching pattern decides; without patterns only user attributes are permitted', () => {
  const cases: readonly (readonly [AttributeFilter, Readonly<Record<string, boolean>>])[] = [
    [
      filter(),
      {
        'user.a': true,
        'security.capability': false,
        'system.posix_acl_access': false,
        'trusted.x': false,
        user: false,
        '': false,
        'user.\0': false,
      },
    ],
    [
      filter(['user.secret*', false], ['user.*', true]),
      { 'user.secrets': false, 'user.a/b': true, 'security.x': false },
    ],
    [filter(['*', true]), { 'user.a': true, 'security.selinux': true, [`user.${'x'.repeat(251)}`]: false }],
    [
      filter(['user.[a-c]?', true], ['user.{x,yy}', true]),
      { 'user.b1': true, 'user.d1': false, 'user.x': true, 'user.yy': true, 'user.y': false },
    ],
    [filter(['user.[', true], ['*', true]), { 'user.a': false }],
    [filter(['user.a', true], ['user.[', true], ['*', true]), { 'user.a': true, 'user.b': false }],
    [filter(['user.a/b', true]), { 'user.a/b': true, 'user.a': false, 'user.a/b/c': false }],
    [filter(['user.a', true], ['*a'.repeat(60_000), true], ['*', true]), { 'user.a': true, 'user.b': false }],
  ]
  for (const [rules, names] of cases) {
    for (const [name, isPermitted] of Object.entries(names))
      assert.equal(rules.permitsName(name), isPermitted, JSON.stringify(name))
  }
})

test('no pattern is slow to match', () => {
  assert.equal(filter([`${'*a'.repeat(100)}b`, true]).permitsName(`user.${'a'.repeat(240)}`), false)
})

test('one that is too large is left out, all of them when their total is too large', () => {
  const rules = new AttributeFilter({ entries: [], maxSingleEntrySize: 10, maxTotalSize: 25 })
  assert.deepEqual(rules.permitted(list({ 'user.a': 'abcd', 'user.b': 'abcde' })), list({ 'user.a': 'abcd' }))
  assert.equal(rules.permitted(list({ 'user.a': 'abcd', 'user.b': 'abcd', 'user.c': '' })), 'too-large')
  const exactly = list({ 'user.a': 'abcd', 'user.b': 'abc', 'user.c': '' })
  assert.deepEqual(rules.permitted(exactly), exactly, 'of 25 bytes')
  const most = Array.from({ length: 1_000 }, (_, i) => ({ name: `user.${i}`, value: Buffer.alloc(0) }))
  assert.deepEqual(new AttributeFilter(NO_LIMITS).permitted(most), most)
  const more = [...most, { name: 'user.one more', value: Buffer.alloc(0) }]
  assert.equal(new AttributeFilter(NO_LIMITS).permitted(more), 'too-large')
  const many = Array.from({ length: 10_000 }, (_, i) => ({ name: `user.${i}`, value: Buffer.alloc(8) }))
  assert.equal(new AttributeFilter(NO_LIMITS).permitted(many), 'too-large')
  assert.equal(
    new AttributeFilter(NO_LIMITS).permitted([{ name: 'user.a', value: Buffer.alloc(1 << 20) }]),
    'too-large',
  )
})

test('attributes change an item where the record is ours, or where they are synced', () => {
  const a = list({ 'user.a': '1' })
  const sending = attributeRules({ filter: filter(), ownShortId: OWN, synced: false })
  const setting = attributeRules({ filter: filter(), ownShortId: OWN, synced: true })
  const cases: readonly (readonly [FileHead, AttributeList, boolean, boolean])[] = [
    [record(OWN), [], true, true], // sent for the first time, even when there are none
    [record(OWN, a), a, false, false],
    [record(OWN, a), [], true, true],
    [record(OWN, a), list({ 'user.a': '2' }), true, true],
    [record(OTHER, a), [], false, true],
    [record(OTHER, a), a, false, false],
    [record(OTHER), [], false, false],
    [record(OTHER), a, false, true],
    [record(OWN, list({ 'user.a': '1', 'security.selinux': 'x' })), a, false, false],
    [
      record(
        OTHER,
        Array.from({ length: 1_001 }, (_, i) => ({ name: `user.${i}`, value: Buffer.alloc(1) })),
      ),
      a,
      false,
      false,
    ],
  ]
  for (const [i, [recorded, attributes, sent, set]] of cases.entries()) {
    assert.equal(sending.differ(recorded, attributes), sent, `${i} sent`)
    assert.equal(setting.differ(recorded, attributes), set, `${i} set`)
  }
})

test('denied attributes stay in a record as received', () => {
  const rules = attributeRules({ filter: filter(), ownShortId: OWN, synced: true })
  const old = withLinuxAttributes(undefined, list({ 'security.selinux': 'x', 'user.old': '1' }))
  assert.deepEqual(
    linuxAttributesOf(rules.platformWith(old, list({ 'user.new': '2' })))?.map(({ name }) => name),
    ['security.selinux', 'user.new'],
  )
})

test('attributes that the disk lacks are found, but never replace existing ones', () => {
  const options = { filter: filter(), ownShortId: OWN }
  const recorded = list({ 'user.a': '1', 'user.b': '2', 'security.selinux': 'x' })
  assert.deepEqual(
    missingAttributes(record(OTHER, recorded), list({ 'user.a': 'mine' }), options),
    list({ 'user.b': '2' }),
  )
  assert.equal(missingAttributes(record(OTHER, recorded), list({ 'user.a': '', 'user.b': '' }), options), undefined)
  assert.equal(missingAttributes(record(OWN, recorded), [], options), undefined)
  assert.equal(missingAttributes(record(OTHER), [], options), undefined)
})
