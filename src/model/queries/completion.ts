import type { Config, FolderConfig } from '../../core/config/config.ts'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { Counts, FolderIndex, IndexStore } from '../../db/types.ts'
import type { CompletionData, EventSink, Logger } from '../../events/types.ts'
import type { Service } from '../../sync/supervisor.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { RemoteState } from '../peers/peer-deps.ts'
import { isIndexUnusable } from '../state/exchange-failure.ts'
import type { Paging } from '../types.ts'

/** Reported when only items without bytes are left: deletions, directories, symlinks, empty files. */
const COMPLETION_NO_BYTES_LEFT = 95

/** What REST uses of it. Rejects with `folder-missing` and `folder-paused`. */
export type CompletionView = Pick<Completions, 'completion' | 'remoteNeed'>

export interface CompletionsDeps {
  readonly store: Pick<IndexStore, 'folder'>
  readonly events: EventSink
  readonly log: Logger
  config(): Config
  remoteState(device: DeviceId, folder: FolderId): RemoteState
  /** Bytes that a device has in files it has not finished. */
  downloadedBytes(device: DeviceId, folder: FolderId): number
}

/** Computes the completion of every device and publishes changes. */
export class Completions implements Service {
  readonly name = 'model/completion'
  readonly #deps: CompletionsDeps
  readonly #own: DeviceId
  readonly #touched = new Set<FolderId>()
  readonly #wakeup = new Wakeup()

  constructor(deps: CompletionsDeps, ownDevice: DeviceId) {
    this.#deps = deps
    this.#own = ownDevice
  }

  /** Something about the folder changed: the event follows. */
  touch(folder: FolderId): void {
    this.#touched.add(folder)
    this.#wakeup.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#wakeup.wait(signal)
      const folders = [...this.#touched]
      this.#touched.clear()
      for (const folder of folders) await this.#publish(folder)
    }
  }

  /**
   * Without a device, or for our own, our own need; without a folder, the sum of all that are not paused, and among
   * those given.
   */
  async completion(
    folder: FolderId | undefined,
    device: DeviceId | undefined,
    among?: ReadonlySet<string>,
  ): Promise<CompletionData> {
    if (folder !== undefined) return await this.#ofFolder(this.#running(folder), device)
    const whose = device ?? this.#own
    const shared = this.#deps
      .config()
      .folders.filter(({ id }) => among === undefined || among.has(id))
      .filter(
        ({ paused, devices }) => !paused && (whose === this.#own || devices.some(({ deviceID }) => deviceID === whose)),
      )
    const all = await Promise.all(shared.map((each) => this.#ofFolder(each, device)))
    return sumOf(all.filter((each) => each !== UNKNOWN))
  }

  /** What a device needs by the index it sent. An unknown device needs everything. */
  async remoteNeed(
    folder: FolderId,
    device: DeviceId | undefined,
    { page, perPage }: Paging,
  ): Promise<readonly FileHead[]> {
    this.#running(folder)
    const index = await this.#deps.store.folder(folder)
    const range = { offset: (page - 1) * perPage, limit: perPage }
    if (device === this.#own) return await index.needs.need(range)
    return await index.needs.remoteNeed(device ?? NO_DEVICE, range)
  }

  async #publish(folder: FolderId): Promise<void> {
    const config = this.#deps.config().folders.find(({ id }) => id === folder)
    for (const { deviceID } of config?.devices ?? []) {
      if (deviceID === this.#own) continue
      try {
        this.#deps.events.emit('FolderCompletion', {
          folder,
          device: deviceID,
          ...(await this.completion(folder, deviceID)),
        })
      } catch (error) {
        // A folder that was removed or paused meanwhile has no counts; any other failure shows in its own state.
        if (!(error instanceof TwinfoldError)) throw error
        this.#deps.log.debug(() => `folder ${folder}: no completion: ${messageOf(error)}`)
      }
    }
  }

  #running(folder: FolderId): FolderConfig {
    const config = this.#deps.config().folders.find(({ id }) => id === folder)
    if (config === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
    if (config.paused) throw new TwinfoldError('folder-paused', 'folder is paused')
    return config
  }

  async #ofFolder({ id }: FolderConfig, device: DeviceId | undefined): Promise<CompletionData> {
    try {
      return await this.#ofIndex(await this.#deps.store.folder(id), id, device)
    } catch (error) {
      if (isIndexUnusable(error)) return UNKNOWN // the folder's status has the reason
      throw error
    }
  }

  async #ofIndex(index: FolderIndex, id: FolderId, device: DeviceId | undefined): Promise<CompletionData> {
    if (device === undefined || device === this.#own) {
      const { global, need } = await index.needs.counts()
      return completionOf(global, need, 0, { remoteState: 'unknown', sequence: await index.exchange.sequence('local') })
    }
    const need = await index.needs.remoteNeedCounts(device)
    const { global } = await index.needs.counts()
    const remoteState = this.#deps.remoteState(device, id)
    return completionOf(global, need, this.#deps.downloadedBytes(device, id), {
      remoteState,
      sequence: await index.exchange.sequence(device),
    })
  }
}

/** Of a folder whose index cannot be used. */
const UNKNOWN: CompletionData = {
  completion: 0,
  globalBytes: 0,
  globalItems: 0,
  needBytes: 0,
  needDeletes: 0,
  needItems: 0,
  remoteState: 'unknown',
  sequence: 0,
}

/** No device has this ID. */
const NO_DEVICE = '' as DeviceId

function completionOf(
  global: Counts,
  need: Counts,
  downloadedBytes: number,
  facts: { readonly remoteState: RemoteState; readonly sequence: number },
): CompletionData {
  const needBytes = Math.max(0, need.bytes - downloadedBytes)
  return withPercentage({
    globalBytes: global.bytes,
    globalItems: itemsOf(global),
    needBytes,
    needDeletes: need.deleted,
    needItems: itemsOf(need),
    ...facts,
  })
}

function sumOf(all: readonly CompletionData[]): CompletionData {
  const sum = (pick: (data: CompletionData) => number) => all.reduce((total, data) => total + pick(data), 0)
  return withPercentage({
    globalBytes: sum(({ globalBytes }) => globalBytes),
    globalItems: sum(({ globalItems }) => globalItems),
    needBytes: sum(({ needBytes }) => needBytes),
    needDeletes: sum(({ needDeletes }) => needDeletes),
    needItems: sum(({ needItems }) => needItems),
    remoteState: 'unknown',
    sequence: 0,
  })
}

function withPercentage(data: Omit<CompletionData, 'completion'>): CompletionData {
  return { completion: percentageOf(data), ...data }
}

/** Between 0 and 100: a device may need more than there is, as while its index arrives. */
export function percentageOf(
  data: Pick<CompletionData, 'globalBytes' | 'needBytes' | 'needDeletes' | 'needItems'>,
): number {
  const { globalBytes, needBytes, needDeletes, needItems } = data
  if (needBytes === 0 && needDeletes + needItems > 0) return COMPLETION_NO_BYTES_LEFT
  return globalBytes === 0 ? 100 : Math.min(100, Math.max(0, 100 * (1 - needBytes / globalBytes)))
}

function itemsOf({ files, directories, symlinks }: Counts): number {
  return files + directories + symlinks
}
