import type { Config } from '../../core/config/config.ts'
import { detach, messageOf } from '../../core/errors.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'
import { foldersSharedWith } from './cluster-config.ts'
import type { PeersDeps } from './peer-deps.ts'
import type { Link } from './peer-links.ts'

/** A protocol violation by the device: the reason is sent to it and the connection is closed. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** Logs an internal error and hides its message from the device. */
export async function maskErrors<T>(log: Logger, device: DeviceId, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) throw error
    log.warn(`device ${device}: ${messageOf(error)}`)
    throw new Error('internal error', { cause: error })
  }
}

/** Never rejects: the connection is closed with the reason. */
export async function closeOnError(log: Logger, { connection }: Link, work: () => Promise<void>): Promise<void> {
  try {
    await maskErrors(log, connection.device, work)
  } catch (error) {
    detach(connection.close(`handling cluster-config: ${messageOf(error)}`))
  }
}

/**
 * Index data without an exchange. That of a folder which is paused or in error is dropped: later both sides announce
 * their positions again. Throws a `Refusal` for any other.
 */
export function refuseIndex(
  { config, roots }: Pick<PeersDeps, 'roots'> & { config(): Config },
  device: DeviceId,
  folder: string,
): void {
  const shared = foldersSharedWith(config(), device).find(({ id }) => id === folder)
  const isWaiting = shared !== undefined && (shared.paused || roots.get(shared.id) === undefined)
  if (isWaiting) return
  const reason = shared === undefined ? 'no such folder' : 'folder is not running'
  throw new Refusal(`${folder}: ${reason}`)
}
