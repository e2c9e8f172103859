import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNotModified, permitsRange } from '../../../src/core/formats/preconditions.ts'

const CURRENT = { etag: '"tag"', modifiedMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678) }
const SAME = 'Fri, 02 Jan 2026 03:04:05 GMT'
const EARLIER = 'Fri, 02 Jan 2026 03:04:04 GMT'

const conditions: [Parameters<typeof isNotModified>[0], boolean][] = [
  [{}, false],
  [{ ifNoneMatch: '"tag"' }, true],
  [{ ifNoneMatch: '"other", W/"tag"' }, true],
  [{ ifNoneMatch: '*' }, true],
  [{ ifNoneMatch: '"other"' }, false],
  [{ ifNoneMatch: '' }, false],
  [{ ifModifiedSince: SAME }, true],
  [{ ifModifiedSince: EARLIER }, false],
  [{ ifModifiedSince: 'yesterday' }, false],
  [{ ifModifiedSince: '2030' }, false],
  [{ ifNoneMatch: '"other"', ifModifiedSince: SAME }, false],
]
for (const [given, expected] of conditions) {
  test(`${JSON.stringify(given)}: ${expected ? 'not modified' : 'sent'}`, () => {
    assert.equal(isNotModified(given, CURRENT), expected)
  })
}

test('a range is sent of the representation that the client has the beginning of, and of no other', () => {
  assert.ok(permitsRange(undefined, CURRENT))
  assert.ok(permitsRange(' "tag" ', CURRENT))
  for (const other of ['"other"', 'W/"tag"', SAME, EARLIER, '']) assert.ok(!permitsRange(other, CURRENT), other)
})
