import type { Config, FolderConfig, OptionsConfig } from '../core/config/config.ts'
import type { FolderErrorsJson, FolderStatusJson, NeedJson } from '../rest/db.ts'
import type { Reply } from '../rest/declaration.ts'
import type { EventJson, EventType } from '../rest/event-data.ts'
import type { Routes } from '../rest/routes.ts'
import type { DebugJson, LogLineJson, StatusJson, VersionJson } from '../rest/system.ts'
import { ClientError } from './errors.ts'
import { readStream, type StreamItem, type StreamOptions } from './event-stream.ts'
import { Exchange, type RequestOptions, type ClientOptions, type Download } from './exchange.ts'
import { devicesOf, pendingOf, type Devices, type FolderChange, type Pending } from './groups.ts'
import { untilInSync, type InSyncOptions } from './in-sync.ts'
import { pairDevices, type PairOptions } from './pair.ts'
import { searchFolder, searchFolders, type SearchOptions } from './search.ts'
import { replyOf, requestOf, type LooseOptions, type OperationArguments, type OperationName } from './operation.ts'

/** Added to the timeout of a long poll for the network round trip. */
const POLL_GRACE_MS = 15_000
const POLL_TIMEOUT_S = 60
const STREAM_PATH = '/rest/twinfold/events/stream'

export interface EventQuery<T extends EventType = EventType> {
  readonly since?: number
  /** All by default. Polls of the same types are numbered together. */
  readonly types?: readonly T[]
  readonly limit?: number
  readonly timeoutS?: number
}

export type { FolderChange }

export interface ContentOptions {
  readonly fromBytes?: number
  readonly toBytes?: number
  readonly signal?: AbortSignal
}

/** A file, or a part of it. */
export interface FileContent {
  /** Ends with an error when the daemon cannot get the rest: never with wrong bytes. */
  readonly body: AsyncIterable<Uint8Array>
  /** Of the whole file. */
  readonly sizeBytes: number
  readonly modifiedMs: number
  readonly etag: string
}

/** The events of some types: the type determines the data. */
export type EventOf<T extends EventType> = Extract<EventJson, { readonly type: T }>

/**
 * The REST interface of one daemon, typed. A method rejects only with a `ClientError` or with the reason of the given
 * signal.
 */
export class Client {
  readonly #exchange: Exchange
  readonly devices: Devices
  readonly pending: Pending

  constructor(options: ClientOptions) {
    this.#exchange = new Exchange(options)
    this.devices = devicesOf(this)
    this.pending = pendingOf(this)
  }

  /**
   * Any declared route by its name, with the parameters and the reply of its declaration:
   * `client.call('GET /rest/db/status', { query: { folder: 'photos' } })`.
   */
  async call<K extends OperationName>(name: K, ...[options]: OperationArguments<K>): Promise<Reply<Routes[K]>> {
    // The declarations are loaded with the first call, to keep the start of other programs fast.
    const { ROUTES } = await import('../rest/routes.ts')
    const given: LooseOptions = options ?? {}
    const { method, path, request } = requestOf(name, ROUTES[name], given)
    return replyOf(name, ROUTES[name], await this.#exchange.text(method, path, request))
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

  /** Resolves when the scan has ended; only the signal limits the time. Scans only `subs` when given. */
  async scan(
    folder: string,
    options: { subs?: readonly string[]; nextS?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    const { signal } = options
    const query = { folder, sub: options.subs ?? [], next: options.nextS }
    await this.call('POST /rest/db/scan', { query, timeoutMs: undefined, ...(signal && { signal }) })
  }

  /** Moves the file to the top of the queue and returns the needed items. */
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

  /** Adds the folder; missing fields are taken from the daemon's folder defaults. Replaces one of the same id. */
  async addFolder(folder: FolderChange & { readonly id: string; readonly path: string }): Promise<void> {
    await this.call('POST /rest/config/folders', { body: folder })
  }

  async changeFolder(id: string, change: FolderChange): Promise<void> {
    await this.call('PATCH /rest/config/folders/:id', { id, body: change })
  }

  /** Removes the folder from the configuration. The files on disk are kept. */
  async removeFolder(id: string): Promise<void> {
    await this.call('DELETE /rest/config/folders/:id', { id })
  }

  /**
   * Adds this device and another to each other, under the names that they give themselves, and shares folders between
   * them: a folder that only one of them has is offered to the other, as a pending one. May be repeated.
   */
  pair(other: Client, options: PairOptions = {}): Promise<void> {
    return pairDevices(this, other, options)
  }

  /**
   * Resolves once this device has everything of the folder that it knows of, and the given devices have it, too; only
   * the signal limits the time. Rejects where the folder has stopped. A file that was just written is known after
   * `scan`, those of another device once it is connected.
   */
  waitUntilInSync(folder: string, signal: AbortSignal, options: InSyncOptions = {}): Promise<void> {
    return untilInSync(this, { ...options, folder }, signal)
  }

  /**
   * Names of a folder that contain a text, ignoring case; a text with a slash is compared with whole paths. Returns
   * what has been found until now, again and again, until all names have been compared or the limit is reached.
   */
  search(folder: string, text: string, options: SearchOptions = {}): ReturnType<typeof searchFolder> {
    return searchFolder(this, { folder, text }, options)
  }

  /** The same in all folders. */
  find(text: string, options: SearchOptions = {}): ReturnType<typeof searchFolders> {
    return searchFolders(this, text, options)
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

  /** Lines of the log ring, oldest first; only newer ones than `since`, a time in the format of the log. */
  async log(since?: string): Promise<readonly LogLineJson[]> {
    return (await this.call('GET /rest/system/log', { query: { since } })).messages ?? []
  }

  async restart(): Promise<void> {
    await this.call('POST /rest/system/restart')
  }

  async shutdown(): Promise<void> {
    await this.call('POST /rest/system/shutdown')
  }

  /** Any route by its path, for programs that pass the reply on: the unparsed text of a 200. */
  request(
    method: string,
    path: string,
    options: Pick<RequestOptions, 'query' | 'body' | 'text' | 'signal'> = {},
  ): Promise<string> {
    return this.#exchange.text(method, path, options)
  }

  /** A reply that is a file: profiles, the support bundle. Only the signal limits the time. */
  download(path: string, signal: AbortSignal): Promise<Download> {
    return this.#exchange.file(path, { timeoutMs: undefined, signal })
  }

  /**
   * The newest version of a file, also of one that is not on that device: all of it, or the bytes from `fromBytes` up
   * to and without `toBytes`. Only the signal limits the time.
   */
  async content(folder: string, file: string, options: ContentOptions = {}): Promise<FileContent> {
    const { fromBytes, toBytes, signal } = options
    const isPart = fromBytes !== undefined || toBytes !== undefined
    const headers = isPart ? { Range: rangeHeader(fromBytes ?? 0, toBytes) } : {}
    const request = { query: { folder, file }, headers, signal }
    const { body, header } = await this.#exchange.streamed('/rest/twinfold/content', request)
    return {
      body,
      sizeBytes: Number(/\/(\d+)$/.exec(header('Content-Range') ?? '')?.[1] ?? header('Content-Length') ?? 0),
      modifiedMs: Date.parse(header('Last-Modified') ?? '') || 0,
      etag: header('ETag') ?? '',
    }
  }

  /** One long poll: events newer than `since`, or an empty list after the timeout. */
  async eventsSince<T extends EventType>(options: EventQuery<T>, signal?: AbortSignal): Promise<readonly EventOf<T>[]> {
    const timeoutS = options.timeoutS ?? POLL_TIMEOUT_S
    const query = { since: options.since, limit: options.limit, timeout: timeoutS, events: options.types?.join(',') }
    const timeoutMs = timeoutS * 1_000 + POLL_GRACE_MS
    const rows = await this.call('GET /rest/events', { query, timeoutMs, ...(signal && { signal }) })
    return rows as readonly EventOf<T>[] // the daemon sends only the types of the query
  }

  /**
   * Events as they happen; ends without an error on abort. Ids start at 1 again when the daemon restarts. Without
   * `since` it begins with a replay of what the daemon still has; a program that acts on events uses `stream`, which
   * begins now.
   */
  async *events<T extends EventType>(
    options: EventQuery<T>,
    signal: AbortSignal,
  ): AsyncGenerator<EventOf<T>, void, undefined> {
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

  /**
   * Events as they happen, over one connection that is opened again when it is lost. None is missing without a `gap`
   * before the next. Ends without an error on abort.
   */
  stream<T extends EventType>(
    options: StreamOptions<T>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamItem<T>, void, undefined> {
    const { types, folders: folder, devices: device } = options
    const open = async (since: string, until: AbortSignal) => {
      const query = { types, folder, device, since, follow: options.follow }
      const { body, header } = await this.#exchange.streamed(STREAM_PATH, { query, signal: until })
      if (header('content-type')?.startsWith('text/event-stream') !== false) return body
      throw new ClientError('malformed', 'the reply is no event stream: is another program listening there?')
    }
    return readStream(open, options, signal)
  }
}

/** The last byte of the header is included. */
function rangeHeader(fromBytes: number, toBytes: number | undefined): string {
  return `bytes=${fromBytes}-${toBytes === undefined ? '' : toBytes - 1}`
}
