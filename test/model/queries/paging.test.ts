import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { FileHead, FileInfo } from '../../../src/core/records/file-info.ts'
import type { Clock } from '../../../src/platform/clock.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { TimeSlice } from '../../../src/sync/time-slice.ts'
import { NEVER } from '../../support/model.ts'
import { JobQueue } from '../../../src/model/state/job-queue.ts'
import { pageOf, type NeedSource } from '../../../src/model/queries/paging.ts'

const clock = new SimClock()

function newSlice(): TimeSlice {
  return new TimeSlice(clock, NEVER)
}

function record(name: string): FileInfo {
  return {
    name,
    type: 'file',
    deleted: false,
    sizeBytes: 1,
    modifiedS: 0,
    modifiedNs: 0,
    permissions: 0o644,
    noPermissions: false,
    version: [],
    modifiedBy: 0n as FileHead['modifiedBy'],
    sequence: 1,
    localFlags: 0,
    blockSizeBytes: 131_072,
    blocksHash: undefined,
    symlinkTarget: '',
    blockHashes: undefined,
  }
}

function source(names: readonly string[]): NeedSource {
  return {
    records: { global: async (name) => (names.includes(name) ? record(name) : undefined) },
    needs: {
      need: async ({ offset, limit, afterName = '' }) => {
        const after = names.filter((name) => name > afterName)
        return after.slice(offset, offset + limit).map(record)
      },
      neededNames: async (range) => {
        assert.ok('afterName' in range)
        return names.filter((name) => name > range.afterName).slice(range.offset, range.offset + range.limit)
      },
    },
  }
}

test('pages run once over what is queued and then the rest: nothing twice, nothing left out, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 30 }),
      fc.nat(30),
      fc.integer({ min: 1, max: 9 }),
      async (texts, queuedCount, perPage) => {
        const names = texts.sort()
        const queued = names
          .filter((_, i) => (i * 7) % 3 === 0)
          .slice(0, queuedCount)
          .reverse()
        const jobs = new JobQueue(100)
        for (const name of queued) jobs.push(name)
        const seen: string[] = []
        for (let page = 1; page <= names.length + 2; page++) {
          const { progress, queued: waiting, rest } = await pageOf(source(names), jobs, { page, perPage }, newSlice())
          const shown = [...progress, ...waiting, ...rest].map((each) => each.name)
          assert.ok(shown.length <= perPage)
          assert.ok(
            shown.length === perPage || seen.length + shown.length === names.length,
            'a short page before the last',
          )
          seen.push(...shown)
        }
        assert.deepEqual(seen, [...queued, ...names.filter((name) => !queued.includes(name))])
      },
    ),
  )
})

test('a page far behind the end is empty', async () => {
  const page = await pageOf(source(['a', 'b']), new JobQueue(10), { page: 1_000_000, perPage: 65_536 }, newSlice())
  assert.deepEqual(page, { progress: [], queued: [], rest: [] })
})

/** A clock by which every look takes a millisecond. */
function ticking(): { readonly clock: Clock; readonly pauses: () => number } {
  let nowMs = 0
  let pauses = 0
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs++, sleep: async () => void pauses++ }
  return { clock, pauses: () => pauses }
}

for (const queued of [0, 20_000]) {
  test(`other work runs while a page of 65,536 items is read, ${queued} of them queued`, async () => {
    const names = Array.from({ length: 70_000 }, (_, i) => String(i).padStart(6, '0'))
    const records = new Map(names.map((name) => [name, record(name)]))
    const index: NeedSource = {
      records: { global: async (name) => records.get(name) },
      needs: {
        need: async ({ offset, limit, afterName = '' }) => {
          assert.ok(limit <= 1_000)
          const start = (afterName === '' ? 0 : Number(afterName) + 1) + offset
          return names.slice(start, start + limit).map((name) => records.get(name)!)
        },
        neededNames: async (range) => {
          assert.ok('afterName' in range && range.limit <= 1_000)
          const start = (range.afterName === '' ? 0 : Number(range.afterName) + 1) + range.offset
          return names.slice(start, start + range.limit)
        },
      },
    }
    const jobs = new JobQueue(100_000)
    for (const name of names.slice(0, queued)) jobs.push(name)
    const { clock: slow, pauses } = ticking()
    const page = await pageOf(index, jobs, { page: 1, perPage: 65_536 }, new TimeSlice(slow, NEVER))
    assert.deepEqual([page.queued.length, page.queued.length + page.rest.length], [queued, 65_536])
    assert.ok(pauses() >= (65_536 - queued) / 1_000 / 6 + queued / 6, `${pauses()} pauses`)
  })
}
