import type { TimedPausesView } from '../../config/types.ts'
import { parseDeviceId } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { EMPTY_OK, type Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'

/** Pauses a folder or a device for a time. */
export async function pauseForTime(
  pauses: TimedPausesView,
  { query }: Call<'folder' | 'device' | 'seconds'>,
): Promise<Reply> {
  const [folder, device] = [query.first('folder') ?? '', query.first('device') ?? '']
  const seconds = query.integer('seconds')
  if (seconds === undefined) throw new TwinfoldError('bad-request', 'seconds is missing')
  if ((folder === '') === (device === '')) throw new TwinfoldError('bad-request', 'give either a folder or a device')
  const target =
    folder === '' ? ({ kind: 'device', id: parseDeviceId(device) } as const) : ({ kind: 'folder', id: folder } as const)
  await pauses.pause(target, seconds * 1_000)
  return EMPTY_OK
}
