import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import {
  appendLog,
  filterLog,
  groupLines,
  groupWarnings,
  LOG_LINES_MAX,
  logSince,
  logText,
  type LogEntry,
} from '../../gui/view-model/log.ts'
import type { LogLineJson } from '../../src/rest/system.ts'

const at = (timeMs: number, message: string, level: LogLineJson['level'] = 2): LogLineJson => ({
  when: new Date(timeMs).toISOString(),
  message,
  level,
})
const ALL = { text: '', level: 'debug', facility: '', afterId: 0 } as const
const texts = (entries: readonly LogEntry[]) => entries.map(({ text }) => text)

/** The response of a daemon: its lines after a time, as in `GET /rest/system/log`. */
const response = (lines: readonly LogLineJson[], since: string | undefined) =>
  lines.filter(({ when }) => since === undefined || Date.parse(when) > Date.parse(since))

describe('the log of the page', () => {
  it('takes the facility and the level out of a line', () => {
    const entries = appendLog(
      [],
      [at(1_000, 'model: folder a: b', 3), at(1_001, 'unknown: text', 0), at(1_002, 'plain\nlines', 2)],
    )
    assert.deepEqual(
      entries.map(({ facility, level, text }) => [facility, level, text]),
      [
        ['model', 'warning', 'folder a: b'],
        ['', 'debug', 'unknown: text'],
        ['', 'info', 'plain\nlines'],
      ],
    )
    const named = (['DBG', 'INF', 'WRN', 'ERR'] as const).map((level, place) => at(place, 'text', level))
    assert.deepEqual(
      appendLog([], named).map(({ level }) => level),
      ['debug', 'info', 'warning', 'warning'],
    )
  })

  it('holds every line once after repeated requests, also lines of the same time', () => {
    const steps = fc.array(fc.record({ laterMs: fc.nat(2), fetches: fc.boolean() }), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (history) => {
        const lines: LogLineJson[] = []
        let nowMs = 1_000
        let known: readonly LogEntry[] = []
        for (const { laterMs, fetches } of history) {
          nowMs += laterMs
          lines.push(at(nowMs, `line ${lines.length}`))
          if (fetches) known = appendLog(known, response(lines, logSince(known)))
        }
        known = appendLog(known, response(lines, logSince(known)))
        assert.deepEqual(
          texts(known),
          lines.map(({ message }) => message),
        )
        assert.equal(appendLog(known, response(lines, logSince(known))), known, 'nothing new is no change')
      }),
    )
  })

  it('keeps the latest lines, and continues the numbering', () => {
    const many = appendLog(
      [],
      Array.from({ length: LOG_LINES_MAX + 5 }, (_, index) => at(index, `line ${index}`)),
    )
    assert.equal(many.length, LOG_LINES_MAX)
    assert.equal(many[0]?.text, 'line 5')
    assert.equal(appendLog(many, [at(9_999_999, 'new')]).at(-1)?.id, LOG_LINES_MAX + 6)
  })

  it('applies the filters', () => {
    const entries = appendLog([], [at(1, 'model: Photos starts', 2), at(2, 'db: slow', 0), at(3, 'model: no space', 3)])
    const shown = (filter: Partial<Parameters<typeof filterLog>[1]>) => texts(filterLog(entries, { ...ALL, ...filter }))
    assert.deepEqual(shown({}), ['Photos starts', 'slow', 'no space'])
    assert.deepEqual(shown({ text: ' PHOTOS ' }), ['Photos starts'])
    assert.deepEqual(shown({ text: 'db' }), ['slow'])
    assert.deepEqual(shown({ level: 'info' }), ['Photos starts', 'no space'])
    assert.deepEqual(shown({ level: 'warning', facility: 'model' }), ['no space'])
    assert.deepEqual(shown({ facility: 'db' }), ['slow'])
    assert.deepEqual(shown({ afterId: 2 }), ['no space'])
  })

  it('copies lines with time, level and facility', () => {
    assert.equal(
      logText(appendLog([], [at(0, 'db: slow', 0), at(1, 'text', 3)])),
      '1970-01-01T00:00:00.000Z DEBUG db: slow\n1970-01-01T00:00:00.001Z WARNING text\n',
    )
  })
})

describe('equal lines', () => {
  const line = (id: number, text: string, level: LogEntry['level'] = 'info'): LogEntry => ({
    id,
    timeMs: id,
    level,
    facility: 'model',
    text,
  })
  it('are one with their number, where they follow each other', () => {
    const groups = groupLines([line(1, 'a'), line(2, 'a'), line(3, 'b'), line(4, 'a'), line(5, 'a', 'warning')])
    assert.deepEqual(
      groups.map(({ entry, count }) => [entry.text, entry.id, count]),
      [
        ['a', 2, 2],
        ['b', 3, 1],
        ['a', 4, 1],
        ['a', 5, 1],
      ],
    )
  })
  it('of warnings are one wherever they are, with the time of the last', () => {
    const at = (when: string, message: string) => ({ when, message })
    assert.deepEqual(groupWarnings([at('1', 'x'), at('2', 'y'), at('3', 'x')]), [
      { message: 'y', count: 1, when: '2' },
      { message: 'x', count: 2, when: '3' },
    ])
  })
})
