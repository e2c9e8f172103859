import type { Body } from './body.ts'
import type { Frame } from './frame.ts'
import type { MessageCounts } from './types.ts'

/** Counts the messages of one connection, and their bytes without compression and headers. */
export class MessageCounter implements MessageCounts {
  sent = 0
  sentBytes = 0
  received = 0
  receivedBytes = 0

  onSent([head, tail]: Body): void {
    this.sent++
    this.sentBytes += head.length + (tail?.length ?? 0)
  }

  onReceived({ body, placed, unpackedBytes }: Frame): void {
    this.received++
    this.receivedBytes += placed?.data.length ?? unpackedBytes ?? body.length
  }
}
