import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, EventMap } from '../../src/events/types.ts'
import { WorkCounters } from '../../src/stats/work-counters.ts'

function counters() {
  const work = new WorkCounters()
  const move = (timeMs: number, to: string, folder = 'docs') =>
    work.onEvent({ globalID: 1, timeMs, type: 'StateChanged', data: { folder, from: '', to } } satisfies Event)
  return { work, move, of: (folder: string) => work.all().get(folder) }
}

test('scans and pulls are counted when they end, with their duration', () => {
  const { move, of } = counters()
  for (const [timeMs, to] of [
    [1_000, 'scan-waiting'],
    [2_000, 'scanning'],
    [5_500, 'idle'],
    [6_000, 'sync-preparing'],
    [7_000, 'syncing'],
    [9_000, 'idle'],
    [9_500, 'scanning'],
  ] as const)
    move(timeMs, to)
  const { scans, scanMs, pulls, pullMs } = of('docs')!
  assert.deepEqual({ scans, scanMs, pulls, pullMs }, { scans: 1, scanMs: 3_500, pulls: 1, pullMs: 3_000 })
})

test('a clock that is set back yields no negative duration', () => {
  const { move, of } = counters()
  move(9_000, 'scanning')
  move(1_000, 'error')
  assert.equal(of('docs')?.scanMs, 0)
  assert.equal(of('docs')?.scans, 1)
})

test('scanned items and bytes add up; the rate is that of a scan in progress', () => {
  const { work, move, of } = counters()
  move(0, 'scanning')
  work.onEvent({
    globalID: 1,
    timeMs: 1,
    type: 'FolderScanProgress',
    data: { folder: 'docs', current: 1, total: 2, rate: 77 },
  })
  assert.equal(of('docs')?.scanRate, 77)
  work.countScan('docs', { itemsSeen: 3, bytesHashed: 10 })
  work.countScan('docs', { itemsSeen: 4, bytesHashed: 5 })
  move(5, 'idle')
  const { scannedItems, hashedBytes, scanRate } = of('docs')!
  assert.deepEqual({ scannedItems, hashedBytes, scanRate }, { scannedItems: 7, hashedBytes: 15, scanRate: 0 })
})

test('pulled bytes and blocks of 128 KiB add up by source', () => {
  const { work, of } = counters()
  work.countPulled('docs', 'network', 5)
  work.countPulled('docs', 'network', 2)
  work.countPulled('docs', 'local_other', 1)
  assert.deepEqual(of('docs')?.pulledBytes, { network: 7, local_origin: 0, local_other: 1, skipped: 0 })
  work.countPulled('docs', 'skipped', 16 * 1024 * 1024)
  work.countPulled('docs', 'local_origin', 128 * 1024 + 1)
  work.countPulled('docs', 'local_origin', 0)
  assert.deepEqual(of('docs')?.pulledBlocks, { network: 2, local_origin: 3, local_other: 1, skipped: 128 })
})

test('conflicts are counted by folder', () => {
  const { work, of } = counters()
  work.countConflict('docs')
  work.countConflict('docs')
  work.countConflict('other')
  assert.deepEqual([of('docs')?.conflicts, of('other')?.conflicts], [2, 1])
})

test('a removed folder leaves no counters', () => {
  const { work, move, of } = counters()
  move(0, 'scanning')
  work.remove('docs')
  assert.equal(of('docs'), undefined)
})

test('since when a folder is behind', () => {
  const { work, of } = counters()
  const summarize = (timeMs: number, needTotalItems: number) => {
    const summary = { needTotalItems } as EventMap['FolderSummary']['summary']
    work.onEvent({ globalID: 1, timeMs, type: 'FolderSummary', data: { folder: 'docs', summary } })
    return of('docs')?.behindSinceMs
  }
  assert.deepEqual(
    [summarize(1, 0), summarize(2, 5), summarize(3, 4), summarize(4, 0), summarize(5, 1)],
    [undefined, 2, 2, undefined, 5],
  )
})
