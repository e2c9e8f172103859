import type { EventType } from '../rest/event-data.ts'
import type { GapJson, StreamedEventJson } from '../rest/events.ts'
import { ClientError } from './errors.ts'
import { sleep, startTimer } from './timers.ts'

export interface StreamOptions<T extends EventType = EventType> {
  /** All by default. */
  readonly types?: readonly T[]
  /** Only events about these folders. */
  readonly folders?: readonly string[]
  /** Only events about these devices. */
  readonly devices?: readonly string[]
  /** `now` (default), `0` for the events that the daemon still holds, or the id of the last event that was received. */
  readonly since?: string
  /** False: only the events that the daemon holds, then the stream ends. */
  readonly follow?: boolean
  /** Called with each position, also with those between the selected events: a later stream can begin there. */
  readonly onPosition?: (id: string) => void
  /** After this time without a byte the connection is replaced; the daemon sends a heartbeat every 25 s. */
  readonly silenceMsMax?: number
}

/** Events of some types: the type determines the data. */
export type StreamedEvent<T extends EventType> = Extract<StreamedEventJson, { readonly type: T }>

/** Events before this one were not received: request the state from `reload` again. */
export interface StreamGap extends GapJson {
  readonly type: 'gap'
}

export type StreamItem<T extends EventType> = StreamedEvent<T> | StreamGap

/** Opens the stream after a position. */
export type OpenStream = (since: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>

const SILENCE_MS_MAX = 60_000
const RETRY_MS_MIN = 250
const RETRY_MS_MAX = 30_000
/** Far above the largest event; bounds memory when another program replies. */
const LINE_LENGTH_MAX = 64 * 1024 * 1024

/**
 * Events as they happen. A lost connection is opened again after the last position, until the signal aborts; only a
 * first connection that fails, or a refusal, is an error.
 */
export async function* readStream<T extends EventType>(
  open: OpenStream,
  options: StreamOptions<T>,
  signal: AbortSignal,
): AsyncGenerator<StreamItem<T>, void, undefined> {
  let since = options.since ?? 'now'
  let isConnected = false
  let retryMs = RETRY_MS_MIN
  while (!signal.aborted) {
    const watchdog = new Watchdog(options.silenceMsMax ?? SILENCE_MS_MAX, signal)
    try {
      const body = await open(since, watchdog.signal)
      isConnected = true
      for await (const { id, item } of parseStream<T>(watchdog.watch(body))) {
        retryMs = RETRY_MS_MIN
        if (item !== undefined) yield item
        if (id === undefined) continue
        since = id // after the consumer has it: one that fails there gets it again
        options.onPosition?.(id)
      }
      if (options.follow === false) return
    } catch (error) {
      if (signal.aborted) return
      if (!isConnected || !isTransient(error)) throw error
    } finally {
      watchdog.end()
    }
    await sleep(retryMs, signal)
    retryMs = Math.min(retryMs * 2, RETRY_MS_MAX)
  }
}

interface Message<T extends EventType> {
  readonly id: string | undefined
  readonly item: StreamItem<T> | undefined
}

/** Server-sent events: blocks of `field: value` lines, each ended by an empty line. One that is cut off is dropped. */
async function* parseStream<T extends EventType>(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Message<T>, void, undefined> {
  const decoder = new TextDecoder()
  let fields = new Map<string, string>()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_LENGTH_MAX) throw new ClientError('malformed', 'the event stream has a line without an end')
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
      if (line === '') {
        if (fields.size > 0) yield messageOf<T>(fields)
        fields = new Map()
        continue
      }
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name !== '') fields.set(name, fields.has(name) && name === 'data' ? `${fields.get(name)}\n${value}` : value)
    }
  }
}

function messageOf<T extends EventType>(fields: ReadonlyMap<string, string>): Message<T> {
  const [id, data] = [fields.get('id'), fields.get('data')]
  if (data === undefined) return { id, item: undefined }
  try {
    const body: unknown = JSON.parse(data)
    const item = fields.get('event') === 'gap' ? { type: 'gap', ...Object(body) } : body
    return { id, item: item as StreamItem<T> }
  } catch (cause) {
    throw new ClientError('malformed', 'the event stream has a message that is not JSON', { cause })
  }
}

/** Ends a connection on which nothing arrives. */
class Watchdog {
  readonly #silenceMsMax: number
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #onAbort = () => this.#controller.abort(this.#outer.reason)
  #stop: () => void = () => {}

  constructor(silenceMsMax: number, outer: AbortSignal) {
    this.#silenceMsMax = silenceMsMax
    this.#outer = outer
    outer.addEventListener('abort', this.#onAbort, { once: true })
    this.#restart()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  async *watch(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of pieces) {
      // While the consumer works, silence is its own.
      this.#stop()
      yield piece
      this.#restart()
    }
  }

  end(): void {
    this.#stop()
    this.#outer.removeEventListener('abort', this.#onAbort)
    this.#controller.abort()
  }

  #restart(): void {
    const onSilence = () => this.#controller.abort(new ClientError('timeout', 'nothing arrived on the event stream'))
    this.#stop = startTimer(onSilence, this.#silenceMsMax)
  }
}

/** Whether the daemon may be back later: it restarts, or the network was interrupted. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof ClientError)) return true
  return error.failure === 'unreachable' || error.failure === 'timeout' || error.status >= 500
}
