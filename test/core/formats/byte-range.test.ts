import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRange } from '../../../src/core/formats/byte-range.ts'

const cases: [header: string | undefined, sizeBytes: number, expected: string][] = [
  [undefined, 100, 'whole'],
  ['bytes=0-', 100, '0-100'],
  ['bytes=0-0', 100, '0-1'],
  ['bytes=10-19', 100, '10-20'],
  ['bytes=99-99', 100, '99-100'],
  ['Bytes= 10-19 ', 100, '10-20'],
  ['bytes=10-1000', 100, '10-100'],
  ['bytes=-1', 100, '99-100'],
  ['bytes=-1000', 100, '0-100'],
  ['bytes=100-', 100, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-0', 100, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['bytes=999999999999999-', 100, 'unsatisfiable'],
  // Ignored, so that the whole file is sent.
  ['bytes=20-10', 100, 'whole'],
  ['bytes=-', 100, 'whole'],
  ['bytes=', 100, 'whole'],
  ['bytes=0-1,5-6', 100, 'whole'],
  ['items=0-1', 100, 'whole'],
  ['bytes=1e1-', 100, 'whole'],
  ['bytes=0x1-2', 100, 'whole'],
  [`bytes=${'9'.repeat(10_000)}-`, 100, 'whole'],
]
for (const [header, sizeBytes, expected] of cases) {
  test(`${header?.slice(0, 40) ?? 'no range'} of ${sizeBytes} bytes: ${expected}`, () => {
    const wanted = parseRange(header, sizeBytes)
    assert.equal(wanted.kind === 'part' ? `${wanted.fromBytes}-${wanted.toBytes}` : wanted.kind, expected)
  })
}
