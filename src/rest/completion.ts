import { PAGE } from './parameters.ts'
import { COUNT, NUMBER, TEXT, TIME, described, list, map, object, ref, type Static } from './schema.ts'

/** How much of a folder a device has. */
export const COMPLETION = object({
  completion: described(NUMBER, 'Per cent of the bytes; 95 when only deletions are left.'),
  globalBytes: COUNT,
  globalItems: COUNT,
  needBytes: COUNT,
  needDeletes: COUNT,
  needItems: COUNT,
  remoteState: described(TEXT, '`unknown`, `valid`, `notSharing` or `paused`.'),
  sequence: COUNT,
})

export type CompletionJson = Static<typeof COMPLETION>

export const REMOTE_NEED = object({ files: list(ref('FileEntry')), ...PAGE })

export type RemoteNeedJson = Static<typeof REMOTE_NEED>

export const DEVICE_STATISTICS = map(object({ lastSeen: TIME, lastConnectionDurationS: NUMBER }))

export type DeviceStatisticsJson = Static<typeof DEVICE_STATISTICS>
