import { ClientError } from './errors.ts'
import type { Caller } from './groups.ts'

export interface InSyncOptions {
  /** IDs of devices that must have everything of the folder, too. */
  readonly devices?: readonly string[]
}

interface Poll {
  readonly types: typeof TYPES
  readonly since?: number
  readonly limit?: number
  readonly timeoutS: number
}

interface Reader extends Caller {
  eventsSince(poll: Poll, signal: AbortSignal): Promise<readonly { readonly id: number }[]>
}

/** Any of them may be the moment at which all is in sync. */
const TYPES = ['StateChanged', 'FolderSummary', 'FolderCompletion', 'RemoteIndexUpdated', 'DeviceConnected'] as const
/** The longest time until the state is read again without an event. */
const LOOK_AGAIN_S = 10

/** Reads the state, and again with every event that may change it. */
export async function untilInSync(
  client: Reader,
  { folder, devices = [] }: InSyncOptions & { readonly folder: string },
  signal: AbortSignal,
): Promise<void> {
  // Before the first look at the state, so that no event after it is missed.
  let since = (await client.eventsSince({ types: TYPES, limit: 1, timeoutS: 0 }, signal)).at(-1)?.id ?? 0
  while (!(await isInSync(client, folder, devices))) {
    signal.throwIfAborted()
    const events = await client.eventsSince({ types: TYPES, since, timeoutS: LOOK_AGAIN_S }, signal)
    since = events.at(-1)?.id ?? since
  }
}

async function isInSync(client: Caller, folder: string, devices: readonly string[]): Promise<boolean> {
  const status = await client.call('GET /rest/db/status', { query: { folder } })
  if (status.state === 'error') {
    throw new ClientError('status', `the folder "${folder}" has stopped: ${status.error}`, { text: status.error })
  }
  if (status.state !== 'idle' || status.needTotalItems > 0) return false
  for (const device of devices) {
    const { needItems, needDeletes, remoteState } = await client.call('GET /rest/db/completion', {
      query: { folder, device },
    })
    if (remoteState !== 'valid' || needItems + needDeletes > 0) return false
  }
  return true
}
