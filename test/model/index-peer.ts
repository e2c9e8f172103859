/** The receiving side of an index exchange. */
import type { FolderIndex } from '../../src/db/types.ts'
import { IndexReceiver } from '../../src/model/peers/index-receiver.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { DEVICES } from '../db/records.ts'
import { quietLogger } from '../support/logger.ts'
import { DOCS } from '../support/model.ts'

export const PEER = DEVICES[0]!

interface Receiving {
  readonly index: FolderIndex
  readonly receiver: IndexReceiver
  readonly events: string[]
}

export async function receiverOf(
  index: FolderIndex,
  indexId: bigint,
  clock: Clock = new SimClock(),
): Promise<Receiving> {
  const events: string[] = []
  const receiver = await IndexReceiver.begin(
    {
      clock,
      index,
      log: quietLogger('model'),
      events: { emit: (type, data) => void events.push(`${type} ${JSON.stringify(data)}`) },
    },
    { device: PEER, folder: DOCS, theirs: { indexId, sequence: 0 } },
  )
  return { index, receiver, events }
}
