import type { ConfigStore, PauseTarget, TimedPausesView } from '../../config/types.ts'
import type { Grant } from '../../core/access.ts'
import type { Config } from '../../core/config/config.ts'
import { parseDeviceId } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { EMPTY_OK, type Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'
import type { UndoLog } from '../pipeline/undo-log.ts'

interface TimedPauseDeps {
  readonly pauses: TimedPausesView
  readonly config: Pick<ConfigStore, 'current'>
  readonly undo: UndoLog
  readonly grant?: Grant
}

/** Pauses a folder or a device for a time. */
export async function pauseForTime(
  { config, grant, pauses, undo }: TimedPauseDeps,
  { query, request }: Call<'folder' | 'device' | 'seconds'>,
): Promise<Reply> {
  const [folder, device] = [query.first('folder') ?? '', query.first('device') ?? '']
  const seconds = query.integer('seconds')
  if (seconds === undefined) throw new TwinfoldError('bad-request', 'seconds is missing')
  if ((folder === '') === (device === '')) throw new TwinfoldError('bad-request', 'give either a folder or a device')
  const target =
    folder === '' ? ({ kind: 'device', id: parseDeviceId(device) } as const) : ({ kind: 'folder', id: folder } as const)
  const wasPaused = isPaused(config.current, target)
  await pauses.pause(target, seconds * 1_000)
  const after = config.current
  return undo.offer({ request, grant }, EMPTY_OK, () =>
    wasPaused ? undefined : { kind: 'config', before: resumed(after, target), after },
  )
}

function isPaused({ folders, devices }: Config, { kind, id }: PauseTarget): boolean {
  return kind === 'folder'
    ? folders.some((folder) => folder.id === id && folder.paused)
    : devices.some((device) => device.deviceID === id && device.paused)
}

function resumed(config: Config, { kind, id }: PauseTarget): Config {
  return kind === 'folder'
    ? { ...config, folders: config.folders.map((each) => (each.id === id ? { ...each, paused: false } : each)) }
    : { ...config, devices: config.devices.map((each) => (each.deviceID === id ? { ...each, paused: false } : each)) }
}
