import { ROOT, type SimDevice } from './device.ts'
import { InvariantViolation } from './invariants.ts'

/** An empty folder with its index; files that scenarios create. */
const BASE_BYTES = 2 * 1024 * 1024
/** Rows and the indexes of their columns, for each byte of a received message. */
const INDEX_PER_BYTE = 24
/** A record of an item of its own users. */
const OWN_RECORD_BYTES = 4 * 1024
/** A file and a temporary file of it. */
const COPIES = 2

/** The sizes of all files in records that a byzantine device announced, each time it did. */
interface Deceiver {
  readonly announcedBytes: number
}

/** The sizes of contents that users wrote, on all devices. */
interface Users {
  readonly writtenBytes: number
}

/**
 * Beside a byzantine device, what a device keeps is bounded by what it was sent, and by what users wrote: its index by
 * the bytes of messages, its disk by the contents that were written or announced.
 */
export async function checkResources(
  devices: readonly SimDevice[],
  deceiver: Deceiver | undefined,
  users: Users,
): Promise<void> {
  if (deceiver === undefined) return
  for (const device of devices) {
    const records = await (await device.index()).exchange.sequence('local')
    const { indexBytes } = device.store
    expectAtMost(device, 'index', indexBytes, INDEX_PER_BYTE * device.received.bytes + OWN_RECORD_BYTES * records)
    const items = [...device.disk.direct.tree(ROOT).values()]
    const diskBytes = items.reduce((sum, { content }) => sum + content.length, 0)
    expectAtMost(device, 'disk', diskBytes, COPIES * (deceiver.announcedBytes + users.writtenBytes))
  }
}

function expectAtMost({ name }: SimDevice, what: string, bytes: number, causedBytes: number): void {
  const mostBytes = BASE_BYTES + causedBytes
  if (bytes <= mostBytes) return
  throw new InvariantViolation(
    'bounded cost',
    `the ${what} of ${name} has ${bytes} bytes, at most ${mostBytes} expected`,
  )
}
