/** Very many missing items: their records are not all held in memory at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { file } from '../db/records.ts'
import { SimFolder } from './sim-folder.ts'

const COUNT = 20_000
/** What the scan may have read and not yet stored: the limit of deferred deletions, one page and one batch. */
for (const [which, present, aheadAllowed] of [
  ['all items', [], 1_000 + 500 + 1_000],
  ['all items but the first and the last', ['f00000', 'f19999'], 16_384 + 500 + 1_000],
] as const) {
  test(`scan: records of missing items are read as far as deletions are stored: ${which}`, async () => {
    const folder = new SimFolder()
    const records = Array.from({ length: COUNT }, (_, i) => file(`f${String(i).padStart(5, '0')}`))
    for (const record of records) folder.index.records.set(record.name, record)
    for (const name of present) folder.put(name)
    let [read, stored, aheadMax] = [0, 0, 0]
    folder.index.page = async (_, { afterName, limit }) => {
      const start = afterName === '' ? 0 : Number(afterName.slice(1)) + 1
      const page = records.slice(start, start + limit)
      aheadMax = Math.max(aheadMax, (read += page.length) - stored)
      return page
    }
    const update = folder.index.updateLocal
    folder.index.updateLocal = async (batch) => {
      stored += batch.length
      return await update(batch)
    }
    await folder.scan()
    assert.deepEqual(folder.index.live, present)
    assert.ok(aheadMax <= aheadAllowed, `${aheadMax} records at once`)
  })
}

test('scan: a file that moved is found before very many deletions are stored', async () => {
  const folder = new SimFolder()
  folder.put('moved', 'content of its own')
  await folder.scan()
  const old = folder.index.records.get('moved')!
  await folder.disk.removeFile('/f/moved')
  folder.put('a', 'content of its own')
  const records = [old, ...Array.from({ length: COUNT }, (_, i) => file(`n${String(i).padStart(5, '0')}`))]
  for (const record of records) folder.index.records.set(record.name, record)
  folder.index.page = async (_, { afterName, limit }) => {
    const start = afterName === '' ? 0 : records.findIndex(({ name }) => name === afterName) + 1
    return records.slice(start, start + limit)
  }
  folder.index.batches.length = 0
  await folder.scan()
  const batch = folder.index.batches.find((each) => each.some(({ name }) => name === 'a'))
  assert.ok(
    batch?.some(({ name, deleted }) => name === 'moved' && deleted),
    'both are in one batch',
  )
})
