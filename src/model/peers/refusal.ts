import { messageOf } from '../../core/errors.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'

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
