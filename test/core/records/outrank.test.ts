import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShortId } from '../../../src/core/ids.ts'
import { FLAG_IGNORED } from '../../../src/core/records/file-info.ts'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import { outrankingVersion } from '../../../src/core/records/outrank.ts'
import { file, version } from '../../db/records.ts'

const OWN = 2n as ShortId
const local = file('a', { version: version(0, 10) })
const gone = { deleted: true, sizeBytes: 0, blockHashes: undefined }

function sum(values: ReturnType<typeof version>): number {
  return values.reduce((total, { value }) => total + Number(value), 0)
}

test('a record that wins gets a larger sum than the announced one, and stays concurrent with it', () => {
  for (const announced of [version(10), version(11), version(40, 0, 7)]) {
    const next = outrankingVersion({ local, global: local, announced: file('a', { version: announced }) }, OWN)
    assert.ok(next !== undefined)
    assert.equal(sum(next), sum(announced) + 1)
    assert.match(compareVersions(next, announced), /^concurrent/)
    assert.equal(compareVersions(next, local.version), 'newer')
  }
  const deletion = file('a', { ...gone, version: version(11) })
  assert.ok(outrankingVersion({ local, global: local, announced: deletion }, OWN) !== undefined)
})

test('every other record keeps its version', () => {
  const announced = file('a', { version: version(40) })
  const cases: readonly (readonly [string, Parameters<typeof outrankingVersion>[0]])[] = [
    ['the announced one wins', { local, global: announced, announced }],
    ['the sum is larger already', { local, global: local, announced: file('a', { version: version(9) }) }],
    ['ours is newer', { local, global: local, announced: file('a', { version: version(0, 9) }) }],
    ['ours is older', { local, global: local, announced: file('a', { version: version(0, 11) }) }],
    ['both are deleted', { local: { ...local, ...gone }, global: local, announced: { ...announced, ...gone } }],
    ['ours is ignored', { local: { ...local, localFlags: FLAG_IGNORED }, global: local, announced }],
    ['theirs is invalid', { local, global: local, announced: { ...announced, localFlags: FLAG_IGNORED } }],
  ]
  for (const [what, records] of cases) assert.equal(outrankingVersion(records, OWN), undefined, what)
})
