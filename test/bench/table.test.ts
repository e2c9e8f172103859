import { test } from 'node:test'
import assert from 'node:assert/strict'
import type { RowInfo, Sample } from '../../bench/rows.ts'
import { syncthingNames } from '../../bench/syncthing.ts'
import { renderPairTable, renderTable } from '../../bench/table.ts'

const INFOS = new Map<string, RowInfo>([
  ['speed', { title: 'a speed', unit: 'requests/s', better: 'more', goal: { ofSyncthing: 2 } }],
])

function cells(table: string): readonly (readonly string[])[] {
  return table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
}

test('every program has its columns, in the order measured, and a goal counts beside the best of the others', () => {
  const samples: Sample[] = [
    { row: 'speed', subject: 'limit', value: 100 },
    { row: 'speed', subject: 'twinfold', value: 30 },
    { row: 'speed', subject: 'syncthing 1.29.5', value: 10 },
    { row: 'speed', subject: 'syncthing 2.1.3', value: 20 },
  ]
  const [head, , line] = cells(renderTable(INFOS, samples))
  const at = (name: string) => line?.[head?.indexOf(name) ?? -1]
  assert.deepEqual(
    head?.filter((name) => /twinfold|syncthing/.test(name)),
    ['twinfold', 'syncthing 1.29.5', 'syncthing 2.1.3'],
  )
  assert.equal(at('syncthing 2.1.3'), '20.0')
  assert.equal(at('met'), 'no')
})

/** One line for each of these, in their order; which of them meet the goal. */
function metOf(samples: readonly Sample[]): readonly (string | undefined)[] {
  const lines = cells(renderPairTable(INFOS, samples)).slice(2)
  assert.deepEqual(
    lines.map((line) => line[2]),
    samples.map(({ subject }) => subject),
  )
  return lines.map((line) => line.at(-2))
}

test('a line for every pair of programs that was measured', () => {
  const met = metOf([
    { row: 'speed', subject: 'twinfold > twinfold', value: 50 },
    { row: 'speed', subject: 'syncthing 2.1.3 > syncthing 2.1.3', value: 20 },
    { row: 'speed', subject: 'twinfold > syncthing 2.1.3', value: 30 },
  ])
  assert.deepEqual(met, ['yes', '', ''])
})

test('what is no program has a line, and no goal counts beside it', () => {
  const met = metOf([
    { row: 'speed', subject: 'rsync --fsync', value: 90 },
    { row: 'speed', subject: 'bare Node', value: 60 },
    { row: 'speed', subject: 'twinfold > twinfold', value: 50 },
    { row: 'speed', subject: 'syncthing 2.1.3 > syncthing 2.1.3', value: 20 },
  ])
  assert.deepEqual(met, ['', '', 'yes', ''])
})

test('programs are named by their version, equal ones by a number as well', () => {
  const two = 'syncthing v2.1.3 "Hafnium Hornet" (go1.25 linux-amd64)'
  assert.deepEqual(syncthingNames(['syncthing v1.29.5 "Gold Grasshopper"', two, two]), [
    'syncthing 1.29.5',
    'syncthing 2.1.3',
    'syncthing 2.1.3 (2)',
  ])
})
