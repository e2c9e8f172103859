import type { MessageType } from './messages.ts'

/** Message counters, shared by all connections. */
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
