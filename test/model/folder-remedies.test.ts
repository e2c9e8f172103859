/** The evidence for a missing marker, and the marker that is created again by it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, simConfig, simFolder, type SimHub } from '../support/model.ts'
import { localNames, ROOT, started } from './started-hub.ts'

const MARKER = `${ROOT}/.stfolder`
const FOUR = { a: '1', b: '2', 'c/d': '3', 'c/e': '4' }

async function withoutMarker(hub: SimHub): Promise<void> {
  const { disk } = hub.platform
  for (const { name } of await disk.list(MARKER)) await disk.removeFile(`${MARKER}/${name}`)
  await disk.removeDirectory(MARKER)
  await hub.while(hub.model.scan(DOCS)).catch(() => undefined)
}

const has = async (hub: SimHub, path: string) =>
  await hub.platform.disk.lstat(path).then(
    () => true,
    () => false,
  )

test('all known files are there: the marker is created, and the folder goes on', async () => {
  await using hub = await started(FOUR)
  await withoutMarker(hub)
  assert.match((await hub.model.status(DOCS)).error, /marker missing/)
  const { files, path } = await hub.model.remedies.evidence(DOCS, 'marker')
  assert.deepEqual([path, files], [ROOT, { markerName: '.stfolder', hasRoot: true, known: 4, examined: 4, found: 4 }])
  await hub.model.remedies.createMarker(DOCS, false)
  assert.ok(await has(hub, MARKER))
  await hub.while(hub.model.scan(DOCS))
  assert.equal((await hub.model.status(DOCS)).error, '')
  assert.deepEqual(await localNames(hub), ['a', 'b', 'c', 'c/d', 'c/e'])
})

test('a file is missing: the marker is refused with the numbers, and created only if forced', async () => {
  await using hub = await started(FOUR)
  await hub.platform.disk.removeFile(`${ROOT}/b`)
  await withoutMarker(hub)
  const refused = { code: 'refused', message: /3 of 4 known files .* count as deleted/ }
  await assert.rejects(hub.model.remedies.createMarker(DOCS, false), refused)
  assert.equal(await has(hub, MARKER), false)
  await hub.model.remedies.createMarker(DOCS, true)
  assert.ok(await has(hub, MARKER))
})

test('a directory that is gone gets no marker, not even if forced: its disk is not mounted', async () => {
  await using hub = await started(FOUR)
  await withoutMarker(hub)
  await hub.platform.disk.rename(ROOT, '/data/elsewhere')
  assert.deepEqual((await hub.model.remedies.evidence(DOCS, 'missing')).files?.hasRoot, false)
  await assert.rejects(hub.model.remedies.createMarker(DOCS, true), { code: 'refused', message: /mount its disk/ })
  assert.equal(await has(hub, ROOT), false)
})

test('a marker that its user has chosen is not made', async () => {
  await using hub = await started({ ...FOUR, own: 'x' }, simConfig([simFolder('docs', { markerName: 'own' })]))
  await assert.rejects(hub.model.remedies.createMarker(DOCS, true), { code: 'refused', message: /create own/ })
})

test('free space is that of the disk, with the minimum of the folder', async () => {
  await using hub = await started(FOUR, simConfig([simFolder('docs', { minDiskFree: { value: 80, unit: '%' } })]))
  const { space } = await hub.model.remedies.evidence(DOCS, 'lowSpace')
  assert.deepEqual(space?.minimum, { value: 80, unit: '%' })
  assert.ok((space?.freeBytes ?? 0) > 0)
})
