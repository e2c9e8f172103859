import type { StreamItem } from '../../src/client/event-stream.ts'
import type { Client } from '../../src/client/client.ts'
import { PAGE_EVENT_TYPES, type PageEventType } from './event-types.ts'

type Item = StreamItem<PageEventType>

/**
 * The events of the page in their order, from the moment it was opened. A page that is not shown holds no connection
 * open: browsers allow six to a host, shared by all its pages. It reads what it missed from its position.
 */
export class EventFeed {
  readonly #client: Pick<Client, 'stream'>
  readonly #signal: AbortSignal
  #items: Item[] = []
  #position = 'now'
  #connection: AbortController | undefined
  #failure: { readonly error: unknown } | undefined
  #wake = () => {}

  private constructor(client: Pick<Client, 'stream'>, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake(), { once: true })
  }

  /** Resolves with the first position: what is loaded afterwards is not older than the events. */
  static async open(client: Pick<Client, 'stream'>, signal: AbortSignal): Promise<EventFeed> {
    const feed = new EventFeed(client, signal)
    feed.#connect()
    while (feed.#position === 'now') await feed.#change()
    return feed
  }

  /** The next events over an open connection; none if `interrupt` was called. */
  async next(): Promise<readonly Item[]> {
    this.#connect()
    if (this.#items.length === 0) await this.#change()
    return this.#items.splice(0)
  }

  /** The events since the last ones, and no connection afterwards. */
  async read(): Promise<readonly Item[]> {
    this.#disconnect()
    const options = { types: PAGE_EVENT_TYPES, since: this.#position, follow: false }
    const onPosition = (id: string) => void (this.#position = id)
    const items = this.#items.splice(0)
    for await (const item of this.#client.stream({ ...options, onPosition }, this.#signal)) items.push(item)
    return items
  }

  interrupt(): void {
    this.#wake()
  }

  #connect(): void {
    if (this.#connection !== undefined) return
    const connection = new AbortController()
    this.#connection = connection
    this.#follow(connection.signal).catch((error: unknown) => {
      this.#failure = { error }
      this.#wake()
    })
  }

  async #follow(until: AbortSignal): Promise<void> {
    const onPosition = (id: string) => {
      if (until.aborted) return
      this.#position = id
      this.#wake()
    }
    const signal = AbortSignal.any([until, this.#signal])
    const options = { types: PAGE_EVENT_TYPES, since: this.#position, onPosition }
    for await (const item of this.#client.stream(options, signal)) if (!until.aborted) this.#items.push(item)
  }

  #disconnect(): void {
    this.#connection?.abort()
    this.#connection = undefined
  }

  async #change(): Promise<void> {
    this.#check()
    await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#check()
  }

  #check(): void {
    this.#signal.throwIfAborted()
    if (this.#failure !== undefined) throw this.#failure.error
  }
}
