import { messageOf, systemCode } from '../core/errors.ts'
import { ClientError } from './errors.ts'
import type { ClientReply, Transport } from './transport.ts'

const TIMEOUT_MS = 30_000

type QueryValue = string | number | boolean
type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>

export interface ClientOptions {
  readonly transport: Transport
  readonly apiKey: string
  /** The timeout of a request; scans have none. */
  readonly timeoutMs?: number
}

/** The options of one request. */
export interface RequestOptions {
  readonly query?: Query
  readonly body?: unknown
  /** Sent as it is, instead of a JSON body. */
  readonly text?: string
  /** Undefined for no timeout: only the signal ends the request. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Sent in addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body is passed on as it arrives. */
  readonly streamed?: true
}

export interface Download {
  /** Letters, digits, dots and dashes only, so that a reply cannot select a directory. */
  readonly name: string
  readonly bytes: Uint8Array
}

interface StreamedReply {
  readonly body: AsyncIterable<Uint8Array>
  header(name: string): string | undefined
}

/**
 * Sends requests to one daemon and returns the texts of its replies. Rejects with a `ClientError`, or with the reason
 * of the caller's own signal.
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

  /** The unparsed text of a successful reply. */
  async text(method: string, path: string, options: RequestOptions): Promise<string> {
    return (await this.#success(method, path, options)).text
  }

  /** A file, with the name from the reply. */
  async file(path: string, options: RequestOptions): Promise<Download> {
    const { bytes, text, contentDisposition } = await this.#success('GET', path, options)
    return { name: fileNameIn(contentDisposition), bytes: bytes ?? new TextEncoder().encode(text) }
  }

  /** The body of a reply as it arrives. Only the caller's signal limits the time. */
  async body(path: string, options: RequestOptions): Promise<AsyncIterable<Uint8Array>> {
    return (await this.streamed(path, options)).body
  }

  /** The same with the headers. */
  async streamed(path: string, options: RequestOptions): Promise<StreamedReply> {
    const reply = await this.#success('GET', path, { ...options, timeoutMs: undefined, streamed: true })
    const { body, header = () => undefined } = reply
    if (body === undefined) throw new ClientError('malformed', 'the transport of this client cannot stream a reply')
    return { body, header }
  }

  async #success(method: string, path: string, options: RequestOptions): Promise<ClientReply> {
    const timeoutMs = 'timeoutMs' in options ? options.timeoutMs : this.#timeoutMs
    const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
    const signals = [deadline, options.signal].filter((signal) => signal !== undefined)
    options.signal?.throwIfAborted()
    const reply = await this.#send(method, path, options, AbortSignal.any(signals)).catch((cause: unknown) => {
      // A cancelled request rejects with the caller's own reason: the daemon did not fail, and a retry is not wanted.
      options.signal?.throwIfAborted()
      if (deadline?.aborted === true)
        throw new ClientError('timeout', `no reply within ${timeoutMs! / 1_000} s`, { cause })
      if (cause instanceof ClientError) throw cause
      throw new ClientError('unreachable', reasonOf(cause), { cause })
    })
    if (reply.status === 200 || reply.status === 204 || reply.status === 206) return reply
    const text = reply.text.replace(/\n$/, '')
    const details = { status: reply.status, text }
    if (/^\s*<(!doctype|html|\?xml)/i.test(text)) {
      const message = `the reply is a web page with status ${reply.status}: is another program listening there?`
      throw new ClientError('malformed', message, details)
    }
    if (reply.status === 401 || reply.status === 403) {
      const reason = this.#apiKey === '' ? 'the daemon requires an API key' : 'the API key is wrong for this daemon'
      throw new ClientError('refused', `${reason} (${text === '' ? reply.status : text})`, details)
    }
    throw new ClientError('status', text === '' ? `status ${reply.status}` : text, details)
  }

  #send(method: string, path: string, options: RequestOptions, signal: AbortSignal): ReturnType<Transport> {
    const key = this.#apiKey === '' ? {} : { 'X-API-Key': this.#apiKey }
    const headers: Record<string, string> = { ...key, ...options.headers }
    if (options.body !== undefined) headers['Content-Type'] = 'application/json'
    const body = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    return this.#transport({
      method,
      path: `${path}${queryText(options.query)}`,
      headers,
      signal,
      ...(body !== undefined && { body }),
      ...(options.streamed === true && { streamed: true as const }),
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

/** The message of `fetch` is only "fetch failed"; its cause has the system's reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return systemCode(error) ?? systemCode(cause) ?? messageOf(cause ?? error)
}
