import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_REMOTE_INVALID } from '../../../src/core/records/file-info.ts'
import type { OtherFacts } from '../../../src/core/records/other-reasons.ts'
import { itemReasons, type FolderFacts, type WhyFacts } from '../../../src/core/records/reasons.ts'
import { deletion, file, version } from '../../db/records.ts'

const FOLDER: FolderFacts = { paused: false, type: 'sendreceive', error: '', scanning: false }
const first = file('a', { version: version(1) })
const gone = deletion('a', { version: version(2) })
const facts = (local: WhyFacts['records'], more: Partial<WhyFacts> = {}): WhyFacts => ({
  folder: FOLDER,
  records: local,
  problem: undefined,
  queue: undefined,
  offeredBy: [],
  ...more,
})
const other = (more: Partial<OtherFacts>): OtherFacts => ({
  name: 'nas',
  isConnected: true,
  version: 'older',
  record: first,
  ...more,
})
const codes = (given: WhyFacts) => itemReasons(given).reasons.map(({ code }) => code)

test('st#8914: deleted here while the other device was paused, and ignored there: the reason is there', () => {
  const ignored = { ...first, localFlags: FLAG_REMOTE_INVALID }
  // What it announces before and after it has received the deletion.
  for (const record of [ignored, { ...gone, localFlags: FLAG_REMOTE_INVALID }]) {
    const { reasons } = itemReasons(
      facts({ local: gone, global: gone }, { others: [other({ record, version: 'none' })] }),
    )
    assert.deepEqual(
      reasons.map(({ code }) => code),
      ['deleted', 'unused-there'],
    )
    assert.match(
      reasons[1]?.text ?? '',
      /left out on nas, so that its deletion is not applied there: a pattern ignores/,
    )
  }
  assert.deepEqual(codes(facts({ local: gone, global: gone }, { others: [other({ record: gone })] })), ['deleted'])
})

test('what a connected device does not have is said, with what is known of it', () => {
  const here = { local: first, global: first }
  const without = other({ version: 'none', record: undefined })
  assert.deepEqual(codes(facts(here, { others: [without] })), ['here', 'missing-there'])
  assert.deepEqual(codes(facts(here, { others: [{ ...without, folder: 'paused' }] })), ['here', 'paused-there'])
  assert.deepEqual(codes(facts(here, { others: [{ ...without, folder: 'not-shared' }] })), ['here', 'not-shared-there'])
  assert.deepEqual(codes(facts(here, { others: [{ ...without, isConnected: false }] })), ['here'])
  assert.deepEqual(codes(facts(here, { others: [other({ version: 'newest' })] })), ['here'])
  const deleted = { local: gone, global: gone }
  assert.deepEqual(codes(facts(deleted, { others: [other({})] })), ['deleted', 'deletion-waits-there'])
  assert.deepEqual(codes(facts(deleted, { others: [without] })), ['deleted'], 'it has nothing to delete')
})

test('many devices are named in one reason, the first five of them', () => {
  const others = Array.from({ length: 8 }, (_none, at) => other({ name: `d${at}`, version: 'none', record: undefined }))
  const { reasons } = itemReasons(facts({ local: first, global: first }, { others }))
  assert.equal(reasons[1]?.cause, 'd0, d1, d2, d3, d4 and 3 more')
})

test('a file that stays because deletions are ignored says so, and what to use instead', () => {
  const folder = { ...FOLDER, ignoreDelete: true }
  const { reasons } = itemReasons(facts({ local: first, global: gone }, { folder }))
  assert.equal(reasons[0]?.code, 'deletion-ignored')
  assert.match(reasons[0]?.text ?? '', /ignoreDelete.*--collect on/)
  assert.equal(codes(facts({ local: first, global: gone }))[0], 'still-here')
})

test('a new file in a folder that is not watched says why it is not found', () => {
  const folder = { ...FOLDER, watchError: 'the system allows 20 watches' }
  const given = facts(undefined, { folder, disk: { kind: 'present' } })
  assert.deepEqual(codes(given), ['new', 'not-watched'])
  assert.deepEqual(codes({ ...given, folder: FOLDER }), ['new'])
})

test('a time in the future is that of a wrong clock', () => {
  const nowMs = first.modifiedS * 1_000 - 400 * 86_400_000
  const given = facts({ local: first, global: first }, { nowMs })
  assert.deepEqual(codes(given), ['here', 'future'])
  assert.match(itemReasons(given).reasons[1]?.text ?? '', /400 days in the future/)
  assert.deepEqual(codes({ ...given, nowMs: first.modifiedS * 1_000 - 3_600_000 }), ['here'])
})
