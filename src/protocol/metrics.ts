import type { MessageType } from './messages.ts'

/** What went over the connections that share this: counted always, read by whoever wants to know. */
export class ProtocolMetrics {
  readonly sent = new Map<MessageType, number>()
  readonly received = new Map<MessageType, number>()

  countSent(type: MessageType): void {
    this.sent.set(type, (this.sent.get(type) ?? 0) + 1)
  }

  countReceived(type: MessageType): void {
    this.received.set(type, (this.received.get(type) ?? 0) + 1)
  }
}
