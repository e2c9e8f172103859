import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventBus } from '../../src/events/bus.ts'
import type { Logger } from '../../src/events/types.ts'
import { auditEvents } from '../../src/main/audit.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { LAPTOP, OWN } from '../support/config.ts'
import { simConfig, simFolder } from '../support/model.ts'

const LOG: Logger = { facility: 'main', debug() {}, info() {}, warn() {}, error() {} }

test('the audit log has the saved configuration without the passwords of folders', () => {
  const bus = new EventBus({ clock: new SimClock(), log: LOG })
  const lines: string[] = []
  using stop = new DisposableStack()
  const ending = new AbortController()
  stop.defer(() => ending.abort())
  auditEvents(bus, (line) => lines.push(line), LOG, ending.signal)
  const devices = [
    { deviceID: OWN, introducedBy: '', encryptionPassword: '' },
    { deviceID: LAPTOP, introducedBy: '', encryptionPassword: 'only mine' },
  ] as const
  bus.emit('ConfigSaved', simConfig([simFolder('docs', { devices })]))
  const [line = ''] = lines
  assert.match(line, /"encryptionPassword":""/)
  assert.match(line, /"encryptionPassword":"REDACTED"/)
  assert.ok(!line.includes('only mine'))
})
