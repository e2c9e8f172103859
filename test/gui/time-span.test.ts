/** Lengths of time in commands. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeSpanIn } from '../../gui/view-model/time-span.ts'

test('a time at the end of a command is read in all languages of the page', () => {
  const cases = [
    ['pause photos 1 h', 3_600],
    ['pause photos 30min', 1_800],
    ['fotos anhalten 2 Stunden', 7_200],
    ['3 jours', 259_200],
    ['2 horas', 7_200],
    ['暂停 照片 2 小时', 7_200],
    ['90 m', 5_400],
  ] as const
  for (const [text, seconds] of cases) assert.equal(timeSpanIn(text)?.seconds, seconds, text)
})

test('anything else is no time', () => {
  for (const text of ['', 'pause photos', 'photos 2024', 'h', '0 h', '31 days', 'folder2h', '99999 h'])
    assert.equal(timeSpanIn(text), undefined, text)
})
