import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyRule, matchesPattern, type ConflictRule, type RuledConflict } from '../../../src/core/conflicts/rule.ts'

const side = (sizeBytes: number, second: number, modifiedBy: string) => ({
  sizeBytes,
  modified: `2026-01-31T10:00:0${second}.123456789Z`,
  modifiedBy,
  hash: `${sizeBytes}-${second}-${modifiedBy}`,
})
const FILE = side(10, 5, 'DESK')

function conflict(name: string, copy = side(20, 6, 'VM'), file: RuledConflict['file'] = FILE): RuledConflict {
  return { folder: 'docs', name: `${name} copy`, original: name.replace(/\d$/, ''), ...copy, file }
}

function decided(conflicts: readonly RuledConflict[], rule: ConflictRule): string {
  return Object.entries(applyRule(conflicts, rule))
    .filter(([, list]) => list.length > 0)
    .map(([keep, list]) => `${keep}: ${list.map(({ name }: RuledConflict) => name).join()}`)
    .join('; ')
}

test('each rule keeps the version that it names', () => {
  const list = [conflict('a'), conflict('b', side(5, 4, 'VM'))]
  assert.equal(decided(list, { kind: 'newest' }), 'original: b copy; copy: a copy')
  assert.equal(decided(list, { kind: 'oldest' }), 'original: a copy; copy: b copy')
  assert.equal(decided(list, { kind: 'larger' }), 'original: b copy; copy: a copy')
  assert.equal(decided(list, { kind: 'smaller' }), 'original: a copy; copy: b copy')
  assert.equal(decided(list, { kind: 'device', device: 'DESK' }), 'original: a copy,b copy')
  assert.equal(decided(list, { kind: 'device', device: 'VM' }), 'copy: a copy,b copy')
  assert.equal(decided(list, { kind: 'both' }), 'both: a copy,b copy')
})

test('without an answer of the rule a conflict is left', () => {
  assert.equal(decided([conflict('a', side(10, 6, 'VM'))], { kind: 'larger' }), 'left: a copy', 'the same size')
  assert.equal(decided([conflict('a', side(20, 5, 'VM'))], { kind: 'newest' }), 'left: a copy', 'the same time')
  assert.equal(decided([conflict('a', undefined, null)], { kind: 'newest' }), 'left: a copy', 'there is no file')
  assert.equal(decided([conflict('a')], { kind: 'device', device: 'PHONE' }), 'left: a copy')
  assert.equal(decided([conflict('a', side(1, 1, 'DESK'))], { kind: 'device', device: 'DESK' }), 'left: a copy')
})

test('times are compared to the nanosecond', () => {
  const later = { ...side(20, 5, 'VM'), modified: '2026-01-31T11:00:05.12345679+01:00' }
  assert.equal(decided([conflict('a', later)], { kind: 'newest' }), 'copy: a copy')
})

test('a copy of the same content is removed by every rule, whatever its time is', () => {
  for (const kind of ['newest', 'larger', 'both'] as const)
    assert.equal(decided([conflict('a', { ...FILE, modified: '2030-01-01T00:00:00Z' })], { kind }), 'original: a copy')
})

test('of several copies of one file one version is kept, and the file of another folder is another', () => {
  const copies = [
    conflict('a1', side(20, 6, 'VM')),
    conflict('a2', side(30, 7, 'NAS')),
    conflict('a3', side(1, 1, 'X')),
  ]
  assert.equal(decided(copies, { kind: 'newest' }), 'original: a1 copy,a3 copy; copy: a2 copy')
  assert.equal(decided(copies, { kind: 'device', device: 'DESK' }), 'original: a1 copy,a2 copy,a3 copy')
  const elsewhere = { ...conflict('a2', side(30, 7, 'NAS')), folder: 'other' }
  assert.equal(decided([copies[0]!, elsewhere], { kind: 'newest' }), 'copy: a1 copy,a2 copy')
})

test('patterns match the last part of a path, or with a slash all of it, at a bounded cost', () => {
  for (const [path, pattern] of [
    ['d/Plan.TXT', '*.txt'],
    ['d/plan.txt', ''],
    ['d/plan.txt', 'd/*'],
    ['d/e/plan.txt', 'd/*.txt'],
    ['a', '?'],
    ['aXbXc', 'a*b*c*'],
  ] as const)
    assert.ok(matchesPattern(path, pattern), `${path} ${pattern}`)
  for (const [path, pattern] of [
    ['d/plan.txt', 'd'],
    ['txt/plan.md', '*txt*'],
    ['ab', '?'],
    ['plan.txt', '*.tx'],
    [`${'a'.repeat(4_000)}`, `${'*a'.repeat(100)}b`],
  ] as const)
    assert.ok(!matchesPattern(path, pattern), `${path} ${pattern}`)
})
