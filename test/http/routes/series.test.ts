import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBook, observe, readSeries } from '../../../src/core/series/book.ts'
import type { DisksJson, SeriesJson } from '../../../src/rest/series.ts'
import { fakeRest } from '../fakes.ts'

/** The present of the fake device. */
const NOW = 1_795_000_000_000
const DAY = 86_400_000

function recorded(folderCount: number) {
  const book = makeBook()
  const folders = Array.from({ length: folderCount }, (_none, at) => ({ id: `folder-${at}`, behind: at }))
  for (let day = 13; day >= 0; day--) {
    const freeBytes = 40e9 + day * 1e9
    observe(book, {
      nowMs: NOW - day * DAY,
      elapsedMs: DAY,
      inBytes: 0,
      outBytes: 0,
      devices: [],
      folders,
      disks: [{ path: '/data', freeBytes }],
    })
  }
  return {
    read: (query: Omit<Parameters<typeof readSeries>[1], 'nowMs'>) => readSeries(book, { ...query, nowMs: NOW }),
  }
}

test('series are chosen by level, kind and subject, and a wrong level is named', async () => {
  const { send } = fakeRest({ deps: { series: recorded(3) } })
  const read = async (query: string) =>
    JSON.parse((await send('GET', `/rest/twinfold/series?${query}`)).body) as SeriesJson
  const days = await read('level=day&kind=behind&subject=folder-2&count=3')
  assert.equal(days.stepS, 86_400)
  assert.equal(days.start, new Date(Math.floor(NOW / DAY) * DAY - 2 * DAY).toISOString().replace('.000', ''))
  assert.deepEqual(days.series, [{ kind: 'behind', subject: 'folder-2', values: [2, 2, 2] }])
  const wrong = await send('GET', '/rest/twinfold/series?level=week')
  assert.equal(wrong.status, 400)
  assert.match(wrong.body, /level must be one of minute, hour, day/)
})

test('a reply has a limit, and says how many series it leaves out', async () => {
  const { send } = fakeRest({ deps: { series: recorded(300) } })
  const { series, left } = JSON.parse((await send('GET', '/rest/twinfold/series?level=hour')).body) as SeriesJson
  assert.ok(series.length * 840 <= 100_000)
  assert.ok(left > 150, `${left} left out`)
})

test('a disk that loses space has a forecast, another has none', async () => {
  const spaces = async () => [
    { path: '/data', folders: [], freeBytes: 40e9, totalBytes: 100e9 },
    { path: '/', folders: [], freeBytes: 1e9, totalBytes: 2e9 },
  ]
  const { send } = fakeRest({ deps: { series: recorded(1), disks: spaces } })
  const [data, root] = JSON.parse((await send('GET', '/rest/twinfold/disks')).body) as DisksJson
  assert.ok(data?.forecast !== null && data?.forecast !== undefined)
  assert.equal(Math.round((Date.parse(data.forecast.full) - NOW) / DAY), 40)
  assert.equal(data.forecast.ofDays, 14)
  assert.equal(root?.forecast, null)
})
