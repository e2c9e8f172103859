import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkNewGrant,
  grantFields,
  parseExpiry,
  parseGrants,
  parseLastUses,
  refusalOf,
  type Grant,
  type NewGrant,
  type RouteNeeds,
} from '../../src/core/access.ts'

const TRAY: Grant = {
  kind: 'key',
  name: 'tray',
  scope: 'operate',
  folders: undefined,
  createdMs: 1_000,
  expiresMs: undefined,
  secretHash: 'hash',
}
const NEEDS: RouteNeeds = { scope: 'operate', operable: [], wholeDevice: false }

test('an expiry is a number of hours, days, weeks or years', () => {
  assert.deepEqual(
    ['12h', '90d', '4w', '1y'].map(parseExpiry),
    [43_200_000, 7_776_000_000, 2_419_200_000, 31_536_000_000],
  )
  for (const wrong of ['', '0d', '-1d', '90', 'd', '1.5d', '90 d', '100000d'])
    assert.equal(parseExpiry(wrong), undefined)
})

test('a refusal names the key, its scope and the one that is needed', () => {
  assert.equal(refusalOf(TRAY, NEEDS, []), undefined)
  assert.equal(refusalOf({ ...TRAY, scope: 'admin' }, NEEDS, ['any']), undefined)
  assert.equal(
    refusalOf({ ...TRAY, scope: 'monitor' }, NEEDS, []),
    'the key tray has the scope monitor; this needs operate',
  )
  const limited = { ...TRAY, folders: new Set(['photos']) }
  assert.equal(refusalOf(limited, NEEDS, ['photos']), undefined)
  assert.match(refusalOf(limited, NEEDS, ['photos', 'other']) ?? '', /^the key tray is limited to folders, and/)
  assert.match(refusalOf(limited, { ...NEEDS, wholeDevice: true }, []) ?? '', /acts on the whole device$/)
  assert.equal(refusalOf({ ...limited, scope: 'monitor' }, { ...NEEDS, scope: 'open' }, ['other']), undefined)
})

test('a new grant: names are plain and unique for their kind, admin has no folders, the number is bounded', () => {
  const check = (more: Partial<NewGrant>, others: readonly Grant[] = []) =>
    checkNewGrant(others, {
      kind: 'key',
      name: 'tray',
      scope: 'monitor',
      folders: undefined,
      expiresMs: undefined,
      ...more,
    })
  check({})
  check({ kind: 'user' }, [TRAY])
  for (const name of ['', '.a', 'a b', 'a/b', 'ä', 'a'.repeat(65)]) {
    assert.throws(() => check({ name }), { code: 'bad-request' }, name)
  }
  assert.throws(() => check({}, [TRAY]), /there is a key tray already/)
  assert.throws(() => check({ scope: 'admin', folders: new Set(['a']) }), /use operate or monitor/)
  assert.throws(() => check({ folders: new Set() }), { code: 'bad-request' })
  const many = Array.from({ length: 100 }, (_, i) => ({ ...TRAY, name: `key${i}` }))
  assert.throws(() => check({}, many), /revoke some/)
})

test('the file: what is written is read, and a damaged one is refused with its place', () => {
  const grants: readonly Grant[] = [TRAY, { ...TRAY, kind: 'user', folders: new Set(['photos']), expiresMs: 5_000 }]
  const fields = JSON.parse(JSON.stringify(grantFields(grants, new Map([['key/tray', 3_000]]))))
  assert.deepEqual(parseGrants(fields), grants)
  assert.deepEqual([...parseLastUses(fields)], [['key/tray', 3_000]])
  for (const [field, value] of [
    ['kind', 'x'],
    ['scope', 'all'],
    ['name', ''],
    ['folders', 'a'],
    ['secretHash', ''],
    ['expires', 'x'],
  ]) {
    const damaged = { ...fields, grants: [{ ...fields.grants[0], [field!]: value }] }
    assert.throws(() => parseGrants(damaged), { code: 'config-invalid', message: `grants[0].${field} is not valid` })
  }
  assert.throws(() => parseGrants([]), { code: 'config-invalid' })
})
