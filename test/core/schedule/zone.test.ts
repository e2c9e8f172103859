/** Local times and moments, at the edges of daylight saving. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantsOf, localMs, openZone, UTC_ZONE } from '../../../src/core/schedule/zone.ts'

const BERLIN = openZone('Europe/Berlin')!
const shown = (text: string) => Date.parse(`${text}Z`)
const iso = ({ firstMs, lastMs }: { firstMs: number; lastMs: number }) =>
  [firstMs, lastMs].map((timeMs) => new Date(timeMs).toISOString().slice(0, 16))

test('a local time is one moment on most days, also half an hour from the hour', () => {
  assert.deepEqual(iso(instantsOf(BERLIN, shown('2026-07-01T12:00'))), ['2026-07-01T10:00', '2026-07-01T10:00'])
  assert.deepEqual(iso(instantsOf(BERLIN, shown('2026-12-01T12:00'))), ['2026-12-01T11:00', '2026-12-01T11:00'])
  const adelaide = openZone('Australia/Adelaide')!
  assert.deepEqual(iso(instantsOf(adelaide, shown('2026-07-01T12:00'))), ['2026-07-01T02:30', '2026-07-01T02:30'])
  assert.equal(localMs(UTC_ZONE, 5), 5)
})

test('a time that is skipped is the moment at which the clocks are set forward', () => {
  for (const time of ['02:00', '02:30', '02:59'])
    assert.deepEqual(iso(instantsOf(BERLIN, shown(`2026-03-29T${time}`))), ['2026-03-29T01:00', '2026-03-29T01:00'])
  assert.deepEqual(iso(instantsOf(BERLIN, shown('2026-03-29T03:00'))), ['2026-03-29T01:00', '2026-03-29T01:00'])
  assert.deepEqual(iso(instantsOf(BERLIN, shown('2026-03-29T01:59'))), ['2026-03-29T00:59', '2026-03-29T00:59'])
})

test('a time that is shown twice has two moments', () => {
  assert.deepEqual(iso(instantsOf(BERLIN, shown('2026-10-25T02:30'))), ['2026-10-25T00:30', '2026-10-25T01:30'])
  assert.deepEqual(iso(instantsOf(BERLIN, shown('2026-10-25T03:00'))), ['2026-10-25T02:00', '2026-10-25T02:00'])
  // Half an hour only, in the other half of the year.
  const lordHowe = openZone('Australia/Lord_Howe')!
  assert.deepEqual(iso(instantsOf(lordHowe, shown('2026-04-05T01:45'))), ['2026-04-04T14:45', '2026-04-04T15:15'])
})

test('an unknown zone is none', () => {
  for (const name of ['', 'Nowhere/Here', '../etc', 'x'.repeat(10_000)]) assert.equal(openZone(name), undefined, name)
})
