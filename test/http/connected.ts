import type { ConnectionsStatus } from '../../src/connections/types.ts'
import type { DeviceId } from '../../src/core/ids.ts'

export function connected(...devices: readonly DeviceId[]): ConnectionsStatus {
  const messages = { sent: 0, sentBytes: 0, received: 0, receivedBytes: 0 }
  const bytes = { inBytesTotal: 0, outBytesTotal: 0, messages }
  const primary = { startedMs: 0, ...bytes, address: '', type: '', isLocal: true, crypto: '' }
  return {
    listeners: new Map(),
    lastDials: new Map(),
    inBytesTotal: 0,
    outBytesTotal: 0,
    devices: new Map(devices.map((device) => [device, { clientVersion: '', primary, secondary: [] }])),
  }
}
