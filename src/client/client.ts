import type { Config, DeviceConfig, FolderConfig, OptionsConfig } from '../core/config/config.ts'
import type { Change } from '../rest/config.ts'
import type { FolderErrorsJson, FolderStatusJson, NeedJson } from '../rest/db.ts'
import type { Reply } from '../rest/declaration.ts'
import type { EventJson } from '../rest/event-data.ts'
import type { Routes } from '../rest/routes.ts'
import type { DebugJson, LogLineJson, StatusJson, VersionJson } from '../rest/system.ts'
import { Exchange, type Ask, type ClientOptions, type Download } from './exchange.ts'
import { answerOf, requestOf, type LooseOptions, type OperationArguments, type OperationName } from './operation.ts'

/** Added to the time a long poll may take by itself, for the way there and back. */
const POLL_GRACE_MS = 15_000
const POLL_TIMEOUT_S = 60

/** Any part of a folder's settings, as text that the daemon has yet to look at. */
export type FolderChange = Change<FolderConfig>

export interface EventQuery {
  readonly since?: number
  readonly types?: readonly string[]
  readonly limit?: number
  readonly timeoutS?: number
}

/**
 * The REST interface of one daemon, typed. A method rejects with a `ClientError`, or with the reason of the signal that
 * it was given, and with nothing else.
 */
export class Client {
  readonly #exchange: Exchange

  constructor(options: ClientOptions) {
    this.#exchange = new Exchange(options)
  }

  /**
   * Any declared route by its name, with the parameters and the answer that its declaration says:
   * `client.call('GET /rest/db/status', { query: { folder: 'photos' } })`.
   */
  async call<K extends OperationName>(name: K, ...[options]: OperationArguments<K>): Promise<Reply<Routes[K]>> {
    // The declarations are loaded with the first question, so that a program that asks none starts without them.
    const { ROUTES } = await import('../rest/routes.ts')
    const given: LooseOptions = options ?? {}
    const { method, path, ask } = requestOf(name, ROUTES[name], given)
    return answerOf(name, ROUTES[name], await this.#exchange.text(method, path, ask))
  }

  async ping(): Promise<void> {
    await this.call('GET /rest/system/ping')
  }

  version(): Promise<VersionJson> {
    return this.call('GET /rest/system/version')
  }

  systemStatus(): Promise<StatusJson> {
    return this.call('GET /rest/system/status')
  }

  /** Resolves when the scan has ended; there is no limit but the signal. Looks only at `subs` when given. */
  async scan(
    folder: string,
    options: { subs?: readonly string[]; nextS?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    const { signal } = options
    const query = { folder, sub: options.subs ?? [], next: options.nextS }
    await this.call('POST /rest/db/scan', { query, timeoutMs: undefined, ...(signal && { signal }) })
  }

  /** Moves the file to the top of the queue and shows what is needed. */
  prioritize(folder: string, file: string): Promise<NeedJson> {
    return this.call('POST /rest/db/prio', { query: { folder, file } })
  }

  need(folder: string, paging: { page?: number; perPage?: number } = {}): Promise<NeedJson> {
    return this.call('GET /rest/db/need', { query: { folder, page: paging.page, perpage: paging.perPage } })
  }

  folderStatus(folder: string): Promise<FolderStatusJson> {
    return this.call('GET /rest/db/status', { query: { folder } })
  }

  folderErrors(folder: string): Promise<FolderErrorsJson> {
    return this.call('GET /rest/folder/errors', { query: { folder } })
  }

  debugFacilities(): Promise<DebugJson> {
    return this.call('GET /rest/system/debug')
  }

  async setDebugFacilities(change: { enable?: readonly string[]; disable?: readonly string[] }): Promise<void> {
    const query = { enable: change.enable?.join(','), disable: change.disable?.join(',') }
    await this.call('POST /rest/system/debug', { query })
  }

  config(): Promise<Config> {
    return this.call('GET /rest/config')
  }

  folders(): Promise<readonly FolderConfig[]> {
    return this.call('GET /rest/config/folders')
  }

  devices(): Promise<readonly DeviceConfig[]> {
    return this.call('GET /rest/config/devices')
  }

  /** Adds the folder; what is not said is taken from the daemon's folder defaults. Replaces one of the same id. */
  async addFolder(folder: FolderChange & { readonly id: string; readonly path: string }): Promise<void> {
    await this.call('POST /rest/config/folders', { body: folder })
  }

  async changeFolder(id: string, change: FolderChange): Promise<void> {
    await this.call('PATCH /rest/config/folders/:id', { id, body: change })
  }

  /** Takes the folder out of the configuration. The files on disk stay. */
  async removeFolder(id: string): Promise<void> {
    await this.call('DELETE /rest/config/folders/:id', { id })
  }

  options(): Promise<OptionsConfig> {
    return this.call('GET /rest/config/options')
  }

  async changeOptions(change: Partial<OptionsConfig>): Promise<void> {
    await this.call('PATCH /rest/config/options', { body: change })
  }

  async restartRequired(): Promise<boolean> {
    return (await this.call('GET /rest/config/restart-required')).requiresRestart
  }

  /** Lines of the log ring, oldest first; only newer ones than `since`, a time as the log itself prints it. */
  async log(since?: string): Promise<readonly LogLineJson[]> {
    return (await this.call('GET /rest/system/log', { query: { since } })).messages ?? []
  }

  async restart(): Promise<void> {
    await this.call('POST /rest/system/restart')
  }

  async shutdown(): Promise<void> {
    await this.call('POST /rest/system/shutdown')
  }

  /** Any route by its name, for programs that pass on what the daemon says: the text of a 200, untouched. */
  ask(method: string, path: string, ask: Pick<Ask, 'query' | 'body' | 'text' | 'signal'> = {}): Promise<string> {
    return this.#exchange.text(method, path, ask)
  }

  /** What the daemon packs into a file: profiles, the support bundle. There is no limit but the signal. */
  download(path: string, signal: AbortSignal): Promise<Download> {
    return this.#exchange.file(path, { timeoutMs: undefined, signal })
  }

  /** One long poll: what is newer than `since`, or nothing once the time is over. */
  eventsSince(options: EventQuery, signal?: AbortSignal): Promise<readonly EventJson[]> {
    const timeoutS = options.timeoutS ?? POLL_TIMEOUT_S
    const query = { since: options.since, limit: options.limit, timeout: timeoutS, events: options.types?.join(',') }
    const timeoutMs = timeoutS * 1_000 + POLL_GRACE_MS
    return this.call('GET /rest/events', { query, timeoutMs, ...(signal && { signal }) })
  }

  /** Events as they happen; ends quietly when the signal aborts. A daemon that restarts counts from one again. */
  async *events(options: EventQuery, signal: AbortSignal): AsyncGenerator<EventJson, void, undefined> {
    let since = options.since ?? 0
    while (!signal.aborted) {
      const rows = await this.eventsSince({ ...options, since }, signal).catch((error: unknown) => {
        if (signal.aborted) return []
        throw error
      })
      for (const row of rows) {
        since = row.id
        yield row
      }
    }
  }
}
