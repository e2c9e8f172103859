import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { withUnixOwner } from '../../../src/core/attributes/platform-data.ts'
import { viewPlatform } from '../../../src/core/attributes/platform-view.ts'

/** A bytes field in the wire format. */
function field(number: number, value: string | Uint8Array): Uint8Array {
  const bytes = Buffer.from(value)
  return Buffer.concat([Uint8Array.of(number * 8 + 2, bytes.length), bytes])
}

const NOTHING = {
  unix: undefined,
  windows: undefined,
  linux: undefined,
  darwin: undefined,
  freeBsd: undefined,
  netBsd: undefined,
}

test('platform data is displayed by system, and systems without data are left out', () => {
  const ann = { ownerName: 'ann', groupName: 'staff', userId: 1000, groupId: 50 }
  const attribute = (name: string, value: Uint8Array) => field(1, Buffer.concat([field(1, name), field(2, value)]))
  const bytes = Buffer.concat([
    withUnixOwner(undefined, ann),
    field(2, Buffer.concat([field(1, 'Users'), Uint8Array.of(2 * 8, 1)])),
    field(3, Buffer.concat([attribute('user.note', Buffer.from('hi')), attribute('user.none', Buffer.alloc(0))])),
    field(4, ''),
  ])
  assert.deepEqual(viewPlatform(bytes), {
    ...NOTHING,
    unix: ann,
    windows: { ownerName: 'Users', ownerIsGroup: true },
    linux: [
      { name: 'user.note', value: Buffer.from('hi') },
      { name: 'user.none', value: Buffer.alloc(0) },
    ],
    darwin: [],
  })
})

test('invalid platform data gives nothing and never throws', () => {
  assert.deepEqual(viewPlatform(Uint8Array.of(0xff, 0xff)), NOTHING)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void viewPlatform(bytes)),
    { numRuns: 2_000 },
  )
})
