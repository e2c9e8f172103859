import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { hashRange, type HashSource, type HashStat } from '../../../src/platform/files/hash-file.ts'
import type { HashJob } from '../../../src/platform/hasher.ts'

const BLOCK = 8
const SEEN: HashStat = { type: 'file', sizeBytes: 20, modifiedS: 1_000, modifiedNs: 7, changeStamp: 1 }

/** Content with a stamp; a meddler may replace both before any call. */
class FakeFile implements HashSource {
  stats: HashStat = SEEN
  content: Uint8Array = new Uint8Array(SEEN.sizeBytes).fill(1)
  readonly calls: string[] = []
  readonly #meddle: (file: FakeFile, call: number) => void

  constructor(meddle: (file: FakeFile, call: number) => void = () => {}) {
    this.#meddle = meddle
  }

  stat(): HashStat {
    this.#meddle(this, this.calls.push('stat') - 1)
    return this.stats
  }

  read(into: Uint8Array, positionBytes: number): number {
    this.#meddle(this, this.calls.push('read') - 1)
    const bytes = this.content.subarray(positionBytes, positionBytes + into.length)
    into.set(bytes)
    return bytes.length
  }

  /** Size and time stay as they are, or are put back. */
  change(fill: number): void {
    this.content = new Uint8Array(SEEN.sizeBytes).fill(fill)
    this.stats = { ...this.stats, changeStamp: this.stats.changeStamp + 1 }
  }
}

function hashesOf(content: Uint8Array): Buffer {
  const hashes: Buffer[] = []
  for (let at = 0; at < content.length; at += BLOCK) {
    hashes.push(
      createHash('sha256')
        .update(content.subarray(at, at + BLOCK))
        .digest(),
    )
  }
  return Buffer.concat(hashes)
}

/** Hashes `bufferBytes` at a time. */
function run(
  file: FakeFile,
  changeStamp: number | undefined,
  bufferBytes = 24,
): { stamp: number | undefined; hashes: Buffer } {
  const { sizeBytes, modifiedS, modifiedNs } = SEEN
  const job: HashJob = { path: '/x', sizeBytes, modifiedS, modifiedNs, blockSizeBytes: BLOCK, changeStamp }
  const hashes = Buffer.alloc(3 * 32)
  const stamp = hashRange(
    file,
    job,
    { startBytes: 0, endBytes: sizeBytes },
    { buffer: new Uint8Array(bufferBytes) },
    hashes,
  )
  return { stamp, hashes }
}

test('hash: an unchanged small file is statted once, after reading', () => {
  const file = new FakeFile()
  assert.deepEqual(run(file, 1), { stamp: 1, hashes: hashesOf(file.content) })
  assert.deepEqual(file.calls, ['read', 'stat'])
})

test('hash: without the stat of the walk, and for a long range, there is a stat before', () => {
  const file = new FakeFile()
  assert.deepEqual(run(file, undefined), { stamp: 1, hashes: hashesOf(file.content) })
  assert.deepEqual(file.calls, ['stat', 'read', 'stat'])
  const long = new FakeFile()
  assert.deepEqual(run(long, 1, BLOCK), { stamp: 1, hashes: hashesOf(long.content) })
  assert.deepEqual(long.calls, ['stat', 'read', 'read', 'read', 'stat'])
})

test('hash: a file with a new mode since the walk is hashed nevertheless', () => {
  const file = new FakeFile()
  file.stats = { ...SEEN, changeStamp: 2 }
  assert.deepEqual(run(file, 1), { stamp: 2, hashes: hashesOf(file.content) })
})

test('hash: a changed size or time at any moment means changed', () => {
  for (const moved of [{ sizeBytes: 21 }, { modifiedS: 1_001 }, { modifiedNs: 8 }, { type: 'directory' as const }]) {
    for (const stamp of [1, undefined]) {
      for (const at of [0, 1]) {
        const file = new FakeFile((self, call) => {
          if (call === at) self.stats = { ...SEEN, ...moved, changeStamp: 2 }
        })
        assert.equal(run(file, stamp).stamp, undefined, JSON.stringify({ moved, stamp, at }))
      }
    }
  }
})

test('hash: an unreadable item is changed if it is no such file, and an error if it is', () => {
  const refusing = (stats: HashStat) => {
    const file = new FakeFile((self) => {
      self.stats = stats
      if (self.calls.at(-1) === 'read') throw Object.assign(new Error('ESPIPE'), { code: 'ESPIPE' })
    })
    return () => run(file, 1).stamp
  }
  assert.equal(refusing({ ...SEEN, type: 'other' })(), undefined)
  assert.throws(refusing(SEEN), /ESPIPE/)
})

test('hash: valid hashes are of one content, even if it changes with size and time restored', () => {
  const changes = fc.array(fc.record({ at: fc.nat(12), fill: fc.integer({ min: 2, max: 9 }) }), { maxLength: 4 })
  let hashed = 0
  fc.assert(
    fc.property(changes, fc.constantFrom(1, undefined), fc.constantFrom(BLOCK, 24), (plan, stamp, bufferBytes) => {
      const contents = [new FakeFile().content]
      const file = new FakeFile((self, call) => {
        for (const { at, fill } of plan) if (at === call) contents.push((self.change(fill), self.content))
      })
      const result = run(file, stamp, bufferBytes)
      if (result.stamp === undefined) return
      hashed++
      assert.ok(contents.some((content) => hashesOf(content).equals(result.hashes)))
    }),
    { numRuns: 2_000 },
  )
  assert.ok(hashed > 100)
})
