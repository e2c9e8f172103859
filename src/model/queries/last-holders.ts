import type { Config } from '../../core/config/config.ts'
import type { DeviceId } from '../../core/ids.ts'

/** More names would not help to find the file. */
const NAMED_MAX = 5

/** A sentence that names the devices which have a version according to the index, the latest seen first. */
export async function describeHolders(
  holders: readonly DeviceId[],
  devices: Config['devices'],
  statisticsOf: (device: DeviceId) => Promise<{ readonly lastSeenMs: number }>,
): Promise<string> {
  if (holders.length === 0) return 'No other device has announced it.'
  const known = await Promise.all(
    holders.map(async (device) => {
      const name = devices.find(({ deviceID }) => deviceID === device)?.name || device.slice(0, 7)
      return { name, lastSeenMs: (await statisticsOf(device)).lastSeenMs }
    }),
  )
  known.sort((a, b) => b.lastSeenMs - a.lastSeenMs)
  const named = known.slice(0, NAMED_MAX).map(({ name, lastSeenMs }) => {
    const seen =
      lastSeenMs > 0 ? `last seen ${new Date(lastSeenMs).toISOString().slice(0, 16).replace('T', ' ')} UTC` : ''
    return seen === '' ? name : `${name} (${seen})`
  })
  const more = known.length > NAMED_MAX ? `, and ${known.length - NAMED_MAX} more` : ''
  return `It is on ${named.join(', ')}${more}.`
}
