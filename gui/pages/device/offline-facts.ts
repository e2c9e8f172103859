import type { DeviceConfig } from '../../../src/core/config/config.ts'
import { attemptsAt } from '../../view-model/attempts.ts'
import { isTime } from '../../base/moments.ts'
import type { OfflineFacts } from '../../view-model/why-offline.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { useNow } from '../../ui/parts.tsx'

const ASK_EVERY_MS = 5_000

/** What is known of a device that is not connected; undefined until the daemon has replied. */
export function useOfflineFacts(device: DeviceConfig | undefined): OfflineFacts | undefined {
  const id = device?.deviceID ?? ''
  const lastSeen = useLive((state) => state.deviceStats[id]?.lastSeen ?? '')
  const options = useLive((state) => state.config?.options)
  const disagreement = useLive((state) => state.disagreements.find((each) => each.deviceID === id)?.code)
  const turn = useNow(ASK_EVERY_MS)
  const { value } = useQuery(
    `offline ${id}`,
    async (signal) => (id === '' ? undefined : fetchNetwork(signal)),
    `${turn} ${device?.addresses.join()}`,
  )
  if (device === undefined || value === undefined) return undefined
  const { status, found, clockOffMs } = value
  const attempts = attemptsAt(device.addresses, found[id]?.addresses ?? [], status.lastDialStatus)
  return { device, attempts, options, status, wasSeen: isTime(Date.parse(lastSeen)), disagreement, clockOffMs }
}

async function fetchNetwork(signal: AbortSignal) {
  const beforeMs = Date.now()
  const [{ total }, status, found] = await Promise.all([
    client.call('GET /rest/system/connections', { signal }),
    client.call('GET /rest/system/status', { signal }),
    client.call('GET /rest/system/discovery', { signal }),
  ])
  return { status, found, clockOffMs: clockOff(Date.parse(total.at), beforeMs, Date.now()) }
}

/** By how much the time of a reply is outside the time of its request. */
function clockOff(atMs: number, beforeMs: number, afterMs: number): number {
  return atMs < beforeMs ? atMs - beforeMs : Math.max(0, atMs - afterMs)
}
