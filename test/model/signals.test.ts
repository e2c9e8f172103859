import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signal } from '../../src/model/signals.ts'
import { DOCS, settle, simConfig, simFolder, SimHub } from '../support/model.ts'

test('a signal reaches its listeners in the order of registration, and is dropped while there are none', () => {
  const signal = new Signal<number>()
  const seen: string[] = []
  signal.emit(1)
  signal.listen((value) => seen.push(`first ${value}`))
  signal.emit(2)
  signal.listen((value) => seen.push(`second ${value}`))
  signal.emit(3)
  assert.deepEqual(seen, ['first 2', 'first 3', 'second 3'])
})

test('stored records are signalled with every LocalIndexUpdated event, and the counts after them', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs')]))
  const seen: string[] = []
  hub.signals.localIndexChanged.listen((folder) => seen.push(`index ${folder}`))
  hub.signals.countsChanged.listen((folder) => seen.push(`counts ${folder}`))
  hub.signals.summaryPublished.listen((folder) => seen.push(`summary ${folder}`))
  hub.platform.disk.put('/data/docs/a', 'one')
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  assert.equal(hub.of('LocalIndexUpdated').length, 1)
  assert.deepEqual(seen.slice(0, 2), ['index docs', 'counts docs'])
  await hub.pass(5_000)
  assert.ok(seen.includes('summary docs'))
})

test('a lost index is scanned again at once', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs')]))
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  const before = hub.states().length
  hub.signals.indexLost.emit(DOCS)
  await settle()
  await hub.pass(1)
  assert.deepEqual(hub.states().slice(before), ['idle→scan-waiting', 'scan-waiting→scanning', 'scanning→idle'])
})
