import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockParts, contentTag, headTag } from '../../../src/core/records/block-range.ts'
import { recordFor } from '../../model/puller/sim-peer.ts'

const cases: [from: number, to: number, expected: string][] = [
  [0, 0, ''],
  [5, 5, ''],
  [0, 1, '0:0-1'],
  [0, 10, '0:0-10'],
  [0, 11, '0:0-10 1:0-1'],
  [9, 31, '0:9-10 1:0-10 2:0-10 3:0-1'],
  [10, 20, '1:0-10'],
  [15, 17, '1:5-7'],
]
for (const [from, to, expected] of cases) {
  test(`bytes ${from} to ${to} in blocks of ten: ${expected || 'none'}`, () => {
    const parts = [...blockParts(10, from, to)].map((part) => `${part.number}:${part.fromBytes}-${part.toBytes}`)
    assert.equal(parts.join(' '), expected)
  })
}

test('the tag depends on the content and not on its name and time', () => {
  const tag = contentTag(recordFor('a', 'content', []))
  assert.match(tag ?? '', /^"[\w-]+"$/)
  assert.equal(contentTag(recordFor('b', 'content', [], { modifiedS: 5 })), tag)
  assert.notEqual(contentTag(recordFor('a', 'other', [])), tag)
  assert.equal(contentTag(recordFor('a', '', [], { type: 'directory' })), undefined)
})

test('the tag is the same with and without the block list', () => {
  const record = recordFor('a', 'some bytes'.repeat(10), [])
  assert.equal(headTag(record), contentTag(record))
  assert.equal(headTag({ sizeBytes: 1, blocksHash: undefined }), undefined)
})
