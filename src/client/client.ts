import type { Config, DeviceConfig, FolderConfig, OptionsConfig } from '../core/config.ts'
import { messageOf, systemCode } from '../core/errors.ts'
import type { RestartRequiredJson } from '../rest/config.ts'
import type { FolderErrorsJson, FolderStatusJson, NeedJson } from '../rest/db.ts'
import type { EventJson } from '../rest/events.ts'
import type { DebugJson, LogJson, LogLineJson, PingJson, StatusJson, VersionJson } from '../rest/system.ts'
import { ClientError } from './errors.ts'
import { parseAnswer } from './parse-answer.ts'
import type { Transport } from './transport.ts'

const TIMEOUT_MS = 30_000
/** Added to the time a long poll may take by itself, for the way there and back. */
const POLL_GRACE_MS = 15_000
const POLL_TIMEOUT_S = 60

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

export interface ClientOptions {
  readonly transport: Transport
  readonly apiKey: string
  /** How long an ordinary answer may take. A scan may take as long as it needs. */
  readonly timeoutMs?: number
}

/** What is asked for with one request. */
interface Ask {
  readonly query?: Query
  readonly body?: unknown
  /** Sent as it is, instead of a body in JSON. */
  readonly text?: string
  /** Undefined for no limit but the caller's signal. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Any part of a folder's settings, as text that the daemon has yet to look at. */
export type FolderChange = Partial<Omit<FolderConfig, 'id' | 'devices'>> & {
  readonly id?: string
  readonly devices?: readonly { readonly deviceID: string }[]
}

export interface EventQuery {
  readonly since?: number
  readonly types?: readonly string[]
  readonly limit?: number
  readonly timeoutS?: number
}

/** The REST interface of one daemon, typed. Every method rejects with a `ClientError` and nothing else. */
export class Client {
  readonly #transport: Transport
  readonly #apiKey: string
  readonly #timeoutMs: number

  constructor({ transport, apiKey, timeoutMs }: ClientOptions) {
    this.#transport = transport
    this.#apiKey = apiKey
    this.#timeoutMs = timeoutMs ?? TIMEOUT_MS
  }

  async ping(): Promise<void> {
    await this.#object<PingJson>('GET', '/rest/system/ping')
  }

  version(): Promise<VersionJson> {
    return this.#object('GET', '/rest/system/version')
  }

  systemStatus(): Promise<StatusJson> {
    return this.#object('GET', '/rest/system/status')
  }

  /** Resolves when the scan has ended; there is no limit but the signal. Looks only at `subs` when given. */
  async scan(
    folder: string,
    options: { subs?: readonly string[]; nextS?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    const query = { folder, sub: options.subs ?? [], next: options.nextS }
    await this.#text('POST', '/rest/db/scan', { query, timeoutMs: undefined, signal: options.signal })
  }

  /** Moves the file to the top of the queue and shows what is needed. */
  prioritize(folder: string, file: string): Promise<NeedJson> {
    return this.#object('POST', '/rest/db/prio', { query: { folder, file } })
  }

  need(folder: string, paging: { page?: number; perPage?: number } = {}): Promise<NeedJson> {
    return this.#object('GET', '/rest/db/need', { query: { folder, page: paging.page, perpage: paging.perPage } })
  }

  folderStatus(folder: string): Promise<FolderStatusJson> {
    return this.#object('GET', '/rest/db/status', { query: { folder } })
  }

  folderErrors(folder: string): Promise<FolderErrorsJson> {
    return this.#object('GET', '/rest/folder/errors', { query: { folder } })
  }

  debugFacilities(): Promise<DebugJson> {
    return this.#object('GET', '/rest/system/debug')
  }

  async setDebugFacilities(change: { enable?: readonly string[]; disable?: readonly string[] }): Promise<void> {
    const query = { enable: change.enable?.join(','), disable: change.disable?.join(',') }
    await this.#text('POST', '/rest/system/debug', { query })
  }

  config(): Promise<Config> {
    return this.#object('GET', '/rest/config')
  }

  folders(): Promise<readonly FolderConfig[]> {
    return this.#array('GET', '/rest/config/folders')
  }

  devices(): Promise<readonly DeviceConfig[]> {
    return this.#array('GET', '/rest/config/devices')
  }

  /** Adds the folder; what is not said is taken from the daemon's folder defaults. Replaces one of the same id. */
  async addFolder(folder: FolderChange & { readonly id: string; readonly path: string }): Promise<void> {
    await this.#text('POST', '/rest/config/folders', { body: folder })
  }

  async changeFolder(id: string, change: FolderChange): Promise<void> {
    await this.#text('PATCH', `/rest/config/folders/${encodeURIComponent(id)}`, { body: change })
  }

  /** Takes the folder out of the configuration. The files on disk stay. */
  async removeFolder(id: string): Promise<void> {
    await this.#text('DELETE', `/rest/config/folders/${encodeURIComponent(id)}`)
  }

  options(): Promise<OptionsConfig> {
    return this.#object('GET', '/rest/config/options')
  }

  async changeOptions(change: Partial<OptionsConfig>): Promise<void> {
    await this.#text('PATCH', '/rest/config/options', { body: change })
  }

  async restartRequired(): Promise<boolean> {
    return (await this.#object<RestartRequiredJson>('GET', '/rest/config/restart-required')).requiresRestart
  }

  /** Lines of the log ring, oldest first; only newer ones than `since`, a time as the log itself prints it. */
  async log(since?: string): Promise<readonly LogLineJson[]> {
    const answer = await this.#object<LogJson>('GET', '/rest/system/log', { query: { since } })
    return answer.messages ?? []
  }

  async restart(): Promise<void> {
    await this.#text('POST', '/rest/system/restart')
  }

  async shutdown(): Promise<void> {
    await this.#text('POST', '/rest/system/shutdown')
  }

  /** Any route by its name, for programs that pass on what the daemon says: the text of a 200, untouched. */
  ask(method: string, path: string, ask: Pick<Ask, 'query' | 'body' | 'text' | 'signal'> = {}): Promise<string> {
    return this.#text(method, path, ask)
  }

  /** One long poll: what is newer than `since`, or nothing once the time is over. */
  eventsSince(options: EventQuery, signal?: AbortSignal): Promise<readonly EventJson[]> {
    const timeoutS = options.timeoutS ?? POLL_TIMEOUT_S
    const query = { since: options.since, limit: options.limit, timeout: timeoutS, events: options.types?.join(',') }
    return this.#array('GET', '/rest/events', { query, timeoutMs: timeoutS * 1_000 + POLL_GRACE_MS, signal })
  }

  /** Events as they happen, without end until the signal aborts. A daemon that restarts counts from one again. */
  async *events(options: EventQuery, signal: AbortSignal): AsyncGenerator<EventJson, void, undefined> {
    let since = options.since ?? 0
    while (!signal.aborted) {
      const rows = await this.eventsSince({ ...options, since }, signal)
      for (const row of rows) {
        since = row.id
        yield row
      }
    }
  }

  async #object<T>(method: string, path: string, ask: Ask = {}): Promise<T> {
    return parseAnswer<T>(await this.#text(method, path, ask), 'object', path)
  }

  async #array<T>(method: string, path: string, ask: Ask = {}): Promise<readonly T[]> {
    return parseAnswer<readonly T[]>(await this.#text(method, path, ask), 'array', path)
  }

  async #text(method: string, path: string, ask: Ask = {}): Promise<string> {
    const timeoutMs = 'timeoutMs' in ask ? ask.timeoutMs : this.#timeoutMs
    const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
    const signals = [deadline, ask.signal].filter((signal) => signal !== undefined)
    const reply = await this.#send(method, path, ask, AbortSignal.any(signals)).catch((cause: unknown) => {
      if (deadline?.aborted === true)
        throw new ClientError('timeout', `no answer within ${timeoutMs! / 1_000} s`, { cause })
      if (cause instanceof ClientError) throw cause
      throw new ClientError('unreachable', reasonOf(cause), { cause })
    })
    const text = reply.text.replace(/\n$/, '')
    if (reply.status === 401 || reply.status === 403) {
      throw new ClientError('refused', text === '' ? `status ${reply.status}` : text, { status: reply.status, text })
    }
    if (reply.status !== 200) {
      throw new ClientError('status', text === '' ? `status ${reply.status}` : text, { status: reply.status, text })
    }
    return reply.text
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
