import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { versionFromWire, versionToWire } from '../../src/protocol/version.ts'

type Counters = readonly (readonly [device: bigint, value: bigint])[]

function read(counters: Counters): Counters {
  const vector = { counters: counters.map(([id, value]) => ({ id, value })) }
  return versionFromWire(vector).map(({ device, value }) => [device, value])
}

const READ: readonly [what: string, sent: Counters, read: Counters][] = [
  ['is empty', [], []],
  [
    'stays as it is in order',
    [
      [1n, 5n],
      [2n, 4n],
      [9n, 1n],
    ],
    [
      [1n, 5n],
      [2n, 4n],
      [9n, 1n],
    ],
  ],
  [
    'is sorted by device',
    [
      [9n, 1n],
      [1n, 5n],
      [2n, 4n],
    ],
    [
      [1n, 5n],
      [2n, 4n],
      [9n, 1n],
    ],
  ],
  [
    'loses zeros',
    [
      [1n, 0n],
      [2n, 4n],
      [3n, 0n],
    ],
    [[2n, 4n]],
  ],
  [
    'keeps the highest counter of a device that comes first',
    [
      [1n, 5n],
      [1n, 4n],
    ],
    [[1n, 5n]],
  ],
  [
    'keeps the highest counter of a device that comes last',
    [
      [1n, 4n],
      [1n, 5n],
    ],
    [[1n, 5n]],
  ],
  [
    'keeps the highest counter of a device between others',
    [
      [2n, 7n],
      [1n, 4n],
      [2n, 9n],
      [2n, 8n],
    ],
    [
      [1n, 4n],
      [2n, 9n],
    ],
  ],
]

describe('a version vector of a message', () => {
  for (const [what, sent, wanted] of READ) it(what, () => assert.deepEqual(read(sent), wanted))

  it('is empty where there is none', () => assert.deepEqual(versionFromWire(undefined), []))

  it('is sent as it is', () => {
    const version = versionFromWire({
      counters: [
        { id: 1n, value: 5n },
        { id: 2n, value: 4n },
      ],
    })
    assert.deepEqual(versionToWire(version), {
      counters: [
        { id: 1n, value: 5n },
        { id: 2n, value: 4n },
      ],
    })
  })
})
