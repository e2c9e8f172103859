import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventBus } from '../../src/events/bus.ts'
import type { Logger } from '../../src/events/types.ts'
import { auditEvents } from '../../src/main/audit.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'

test('the audit log has a line for every event; lines that cannot be written are reported once', () => {
  const warnings: string[] = []
  const log: Logger = { facility: 'main', debug() {}, info() {}, warn: (text) => void warnings.push(text), error() {} }
  const bus = new EventBus({ clock: new SimClock(), log })
  const lines: string[] = []
  let isFull = false
  const ending = new AbortController()
  const write = (line: string): void => {
    if (isFull) throw new Error('disk full')
    lines.push(line)
  }
  auditEvents(bus, write, log, ending.signal)
  const folder = { id: 'docs', label: '' }
  bus.emit('FolderPaused', folder)
  bus.emit('FolderResumed', folder)
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ id, globalID, type, data }) => [id === globalID, type, data]),
    [
      [true, 'FolderPaused', folder],
      [true, 'FolderResumed', folder],
    ],
  )
  isFull = true
  for (let i = 0; i < 3; i++) bus.emit('FolderPaused', folder)
  assert.deepEqual(warnings, ['the audit log cannot be written: disk full'])
  ending.abort()
  isFull = false
  bus.emit('FolderPaused', folder)
  assert.equal(lines.length, 2)
})
