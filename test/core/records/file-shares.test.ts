import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FileShares } from '../../../src/core/records/file-shares.ts'
import { distribute, type SinksCase } from './five-sinks.ts'

const MIB = 1_024 * 1_024
const SINKS = ['A', 'B', 'C', 'D', 'E'].map((letter) => letter.repeat(8))
const LINE: SinksCase = { files: 64, sizeBytes: MIB, bytesPerS: 12_500_000 }
const [aloneMs] = distribute(['ALONE'], LINE).doneMs

function mibOf({ sentBytes }: { readonly sentBytes: number }): number {
  return sentBytes / MIB
}

test('five sinks of one source take little longer than one, and the source sends little more than once', () => {
  for (const files of [64, 640]) {
    const outcome = distribute(SINKS, { ...LINE, files, sizeBytes: (64 * MIB) / files })
    const lastMs = Math.max(...outcome.doneMs) // five
    assert.ok(lastMs <= 1.25 * aloneMs!, `${files} files: ${lastMs} ms, one sink ${aloneMs} ms`)
    assert.ok(mibOf(outcome) <= 72, `${files} files: ${mibOf(outcome)} MiB`)
  }
})

test('a slower sink delays the others little: what it has not fetched in time is fetched by them, each a part', () => {
  const [first, second] = SINKS as [string, string]
  for (const slow of [{ [first]: 1_250_000 }, { [first]: 250_000 }, { [first]: 1_250_000, [second]: 250_000 }]) {
    const outcome = distribute(SINKS, { ...LINE, slow })
    const lastMs = Math.max(...outcome.doneMs.filter((_, i) => slow[SINKS[i]!] === undefined)) // at most four
    assert.ok(lastMs <= 1.5 * aloneMs!, `${JSON.stringify(slow)}: ${lastMs} ms, one sink ${aloneMs} ms`)
    assert.ok(mibOf(outcome) <= 80, `${JSON.stringify(slow)}: ${mibOf(outcome)} MiB`)
  }
})

test('a device that announces nothing is not waited for', () => {
  const { doneMs } = distribute(['ALONE'], { ...LINE, idle: ['PAUSED', 'RECEIVING'] })
  assert.equal(doneMs[0], aloneMs)
  const silent = distribute(SINKS, { ...LINE, silent: SINKS })
  assert.ok(Math.max(...silent.doneMs) <= 5.05 * aloneMs!, 'each fetches all for itself') // five
  const shares = new FileShares(0)
  shares.addOwn(0, MIB)
  shares.postpone({ place: 1, sizeBytes: MIB, before: ['B'] })
  assert.deepEqual(shares.next(0), { kind: 'begin', place: 0 })
  shares.begun(0)
  shares.ended(0)
  assert.deepEqual(shares.next(5_000), { kind: 'begin', place: 1 })
})

/** Our own file took ten seconds, B announces the others one by one. Returns the time waited. */
function waitedFor(announceEveryMs: number, othersCount: number): number {
  const shares = new FileShares(0)
  shares.addOwn(0, 10 * MIB)
  for (let place = 1; place <= othersCount; place++) shares.postpone({ place, sizeBytes: MIB, before: ['B'] })
  shares.next(0)
  shares.begun(0)
  shares.ended(0)
  let [nowMs, waitedMs, place] = [10_000, 0, 1]
  for (; nowMs < 1_000_000; nowMs += 100) {
    if (nowMs % announceEveryMs === 0) shares.announced(place++, 'B', nowMs)
    const next = shares.next(nowMs)
    if (next.kind === 'none') return waitedMs
    if (next.kind === 'begin') {
      shares.begun(next.place)
      shares.ended(next.place)
    } else waitedMs += 100
  }
  throw new Error('the pull does not end')
}

test('waits are bounded: 40 % of what others have, 10 s, and a quarter of what they announce meanwhile', () => {
  assert.ok(waitedFor(1_000, 4) >= 1_000, 'they are waited for')
  assert.ok(waitedFor(1_000, 4) <= 1_600 + 1_000, 'four files would take us four seconds')
  assert.ok(waitedFor(1_000, 500) <= 10_000 + 5_000, 'what is announced in 15 s would take us 15 s')
  assert.ok(waitedFor(3_000, 500) <= 10_000 + 5_000)
  assert.ok(waitedFor(100, 400) <= 10_000 + 100_000, 'a device that only announces: 400 files would take us 400 s')
})

test('what several devices have is begun beside our own share, which keeps the line of its only holder in use', () => {
  const shares = new FileShares(0)
  for (let place = 0; place < 8; place++) shares.addOwn(place, MIB)
  for (let place = 8; place < 16; place++) shares.addCommon(place, MIB)
  const order: number[] = []
  const begin = () => {
    const next = shares.next(0)
    assert.equal(next.kind, 'begin')
    if (next.kind !== 'begin') return
    order.push(next.place)
    shares.begun(next.place)
  }
  for (let i = 0; i < 4; i++) begin()
  shares.ended(0)
  for (let i = 0; i < 2; i++) begin()
  assert.deepEqual(order, [0, 1, 8, 9, 2, 10])
})

test('a wait that costs nothing is not counted: files of our own share are on their way', () => {
  const shares = new FileShares(0)
  shares.addOwn(0, MIB)
  for (let place = 1; place <= 20; place++) shares.postpone({ place, sizeBytes: MIB, before: ['B'] })
  shares.begun(0)
  for (let nowMs = 0; nowMs < 10_000; nowMs += 100) {
    if (nowMs % 1_000 === 0) {
      const place = 1 + nowMs / 1_000
      shares.announced(place, 'B', nowMs)
      shares.begun(place)
      shares.ended(place)
    }
    assert.equal(shares.next(nowMs).kind, 'wait')
  }
  shares.ended(0)
  assert.equal(shares.next(10_000).kind, 'wait', 'nothing was waited for yet')
})
