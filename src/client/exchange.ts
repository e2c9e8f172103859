import { messageOf, systemCode } from '../core/errors.ts'
import { ClientError } from './errors.ts'
import type { ClientReply, Transport } from './transport.ts'

const TIMEOUT_MS = 30_000

type QueryValue = string | number | boolean
type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>

export interface ClientOptions {
  readonly transport: Transport
  readonly apiKey: string
  /** How long an ordinary answer may take. A scan may take as long as it needs. */
  readonly timeoutMs?: number
}

/** What is asked for with one request. */
export interface Ask {
  readonly query?: Query
  readonly body?: unknown
  /** Sent as it is, instead of a body in JSON. */
  readonly text?: string
  /** Undefined for no limit but the caller's signal. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Download {
  /** Letters, digits, dots and dashes only: no answer chooses a directory. */
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * Requests to one daemon and the texts of its answers. Rejects with a `ClientError`, or with the reason of the caller's
 * own signal.
 */
export class Exchange {
  readonly #transport: Transport
  readonly #apiKey: string
  readonly #timeoutMs: number

  constructor({ transport, apiKey, timeoutMs }: ClientOptions) {
    this.#transport = transport
    this.#apiKey = apiKey
    this.#timeoutMs = timeoutMs ?? TIMEOUT_MS
  }

  /** The text of a success, untouched. */
  async text(method: string, path: string, ask: Ask): Promise<string> {
    return (await this.#success(method, path, ask)).text
  }

  /** A file that the daemon packs, under the name it gives it. */
  async file(path: string, ask: Ask): Promise<Download> {
    const { bytes, text, contentDisposition } = await this.#success('GET', path, ask)
    return { name: fileNameIn(contentDisposition), bytes: bytes ?? new TextEncoder().encode(text) }
  }

  async #success(method: string, path: string, ask: Ask): Promise<ClientReply> {
    const timeoutMs = 'timeoutMs' in ask ? ask.timeoutMs : this.#timeoutMs
    const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
    const signals = [deadline, ask.signal].filter((signal) => signal !== undefined)
    ask.signal?.throwIfAborted()
    const reply = await this.#send(method, path, ask, AbortSignal.any(signals)).catch((cause: unknown) => {
      // Whoever gives up gets its own reason back: it is no failure of the daemon, and nothing to try again.
      ask.signal?.throwIfAborted()
      if (deadline?.aborted === true)
        throw new ClientError('timeout', `no answer within ${timeoutMs! / 1_000} s`, { cause })
      if (cause instanceof ClientError) throw cause
      throw new ClientError('unreachable', reasonOf(cause), { cause })
    })
    if (reply.status === 200 || reply.status === 204) return reply
    const text = reply.text.replace(/\n$/, '')
    const failure = reply.status === 401 || reply.status === 403 ? 'refused' : 'status'
    throw new ClientError(failure, text === '' ? `status ${reply.status}` : text, { status: reply.status, text })
  }

  #send(method: string, path: string, ask: Ask, signal: AbortSignal): ReturnType<Transport> {
    const headers: Record<string, string> = this.#apiKey === '' ? {} : { 'X-API-Key': this.#apiKey }
    if (ask.body !== undefined) headers['Content-Type'] = 'application/json'
    const body = ask.text ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body))
    return this.#transport({
      method,
      path: `${path}${queryText(ask.query)}`,
      headers,
      signal,
      ...(body !== undefined && { body }),
    })
  }
}

function fileNameIn(contentDisposition = ''): string {
  const [, name = ''] = /filename="?([^";]*)"?/.exec(contentDisposition) ?? []
  return /^\w[\w.-]{0,199}$/.test(name) ? name : 'download'
}

function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(name, String(item))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** `fetch` says only "fetch failed"; the reason people understand is the system's, one level down. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return systemCode(error) ?? systemCode(cause) ?? messageOf(cause ?? error)
}
