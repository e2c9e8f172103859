import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Accounts } from '../../../src/core/attributes/accounts.ts'
import { isSameOwner, unixOwnerOf, withUnixOwner, type UnixOwner } from '../../../src/core/attributes/platform-data.ts'

const ANN: UnixOwner = { ownerName: 'ann', groupName: 'staff', userId: 1000, groupId: 50 }
const owner = fc.record(
  {
    ownerName: fc.string({ unit: 'grapheme' }),
    groupName: fc.string(),
    userId: fc.integer({ min: 0, max: 0xffff_fffe }),
    groupId: fc.nat(),
  },
  { noNullPrototype: true },
)

test('a written owner is read back, and the data of other systems is unchanged', () => {
  const foreign = Buffer.from('1a0212009a0603616263', 'hex')
  fc.assert(
    fc.property(owner, owner, (first, second) => {
      const once = withUnixOwner(foreign, first)
      assert.deepEqual(unixOwnerOf(once), first)
      const twice = withUnixOwner(once, second)
      assert.deepEqual(unixOwnerOf(twice), second)
      assert.ok(Buffer.from(twice).subarray(-foreign.length).equals(foreign))
      assert.deepEqual(withUnixOwner(undefined, second), twice.subarray(0, twice.length - foreign.length))
    }),
  )
})

test('an owner is encoded as in the protocol, without zeros', () => {
  assert.equal(Buffer.from(withUnixOwner(undefined, ANN)).toString('hex'), '0a110a03616e6e1205737461666618e8072032')
  assert.equal(
    Buffer.from(withUnixOwner(undefined, { ownerName: '', groupName: '', userId: 0, groupId: 0 })).toString('hex'),
    '0a00',
  )
})

test('reading never throws, for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      unixOwnerOf(bytes)
      assert.deepEqual(unixOwnerOf(withUnixOwner(bytes, ANN)), ANN)
    }),
  )
  assert.equal(unixOwnerOf(undefined), undefined)
  assert.equal(unixOwnerOf(Buffer.from('1a00', 'hex')), undefined)
  // A signed number: minus two, in ten bytes.
  assert.equal(unixOwnerOf(Buffer.from('0a0b18feffffffffffffffff01', 'hex'))?.userId, 0xffff_fffe)
})

/** Spaces are for readers. */
function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

test('fields of any type are kept, and an owner beside them is read', () => {
  const foreign = bytesOf('31 0102030405060708 3d01020304 3b0801 3c 4005')
  const platform = withUnixOwner(foreign, ANN)
  assert.ok(Buffer.from(platform).subarray(-foreign.length).equals(foreign))
  assert.deepEqual(unixOwnerOf(platform), ANN)
  assert.equal(unixOwnerOf(bytesOf('0a020801 0a')), undefined, 'bytes that are cut are no message')
  assert.equal(unixOwnerOf(Buffer.from('0801', 'hex')), undefined, 'a number is no owner')
  const odd = unixOwnerOf(bytesOf('0a07 0801 1a0161 1005'))
  assert.deepEqual(odd, { ownerName: '', groupName: '', userId: 0, groupId: 0 }, 'fields of another type do not count')
  assert.equal(unixOwnerOf(Buffer.from('0a0418011802', 'hex'))?.userId, 2, 'of a repeated field the last counts')
})

test('owners are compared by name where both names are known, else by id', () => {
  assert.ok(isSameOwner(ANN, { ...ANN, userId: 7, groupId: 8 }))
  assert.ok(!isSameOwner(ANN, { ...ANN, groupName: 'users' }))
  assert.ok(isSameOwner(ANN, { ...ANN, ownerName: '', groupName: '' }))
  assert.ok(!isSameOwner({ ...ANN, ownerName: '' }, { ...ANN, userId: 7 }))
})

test('accounts: names and ids as the system reads its lists', () => {
  const accounts = new Accounts(
    'root:x:0:0::/root:/bin/sh\n# note\nann:x:1000:50:A:/home/ann:/bin/sh\nannex:x:1000:1::/:\nbad\n' +
      'broken:x:nan:1\nhuge:x:4294967295:1::/:\n+nis::::::\n',
    'root:x:0:\nstaff:x:50:ann,bob\n',
  )
  assert.deepEqual(accounts.ownerOf(1000, 50), ANN)
  assert.deepEqual(accounts.ownerOf(5, 6), { ownerName: '', groupName: '', userId: 5, groupId: 6 })
  assert.deepEqual(accounts.idsOf({ ...ANN, userId: 3, groupId: 4 }), { userId: 1000, groupId: 50 })
  assert.deepEqual(accounts.idsOf({ ...ANN, ownerName: 'eve', groupName: 'constructor' }), {
    userId: 1000,
    groupId: 50,
  })
  assert.deepEqual(accounts.idsOf({ ownerName: 'huge', groupName: '', userId: 9, groupId: 9 }), {
    userId: 9,
    groupId: 9,
  })
})
