import { messageOf } from '../core/errors.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import type { KeyValue } from '../db/types.ts'
import type { Logger } from '../events/types.ts'
import { WorkCounters } from './work-counters.ts'

/** Last activity of a folder. Zero times mean "never". */
export interface FolderRecord {
  readonly lastFile: { readonly atMs: number; readonly filename: string; readonly deleted: boolean }
  readonly lastScanMs: number
}

/** When a device was last connected, and for how long. Zero means "never". */
export interface DeviceRecord {
  readonly lastSeenMs: number
  readonly lastConnectionMs: number
}

export interface RestoredStatistics {
  readonly folders: readonly {
    readonly folder: FolderId
    readonly lastScanMs: number
    readonly lastFileMs: number
    readonly lastFileName: string
    readonly lastFileDeleted: boolean
  }[]
  readonly devices: readonly ({ readonly device: DeviceId } & DeviceRecord)[]
}

export interface StatisticsDeps {
  readonly keyValue: KeyValue
  readonly log: Logger
}

const FOLDER_PREFIX = 'stats/folder/'
const DEVICE_PREFIX = 'stats/device/'
const SCAN_INTERVAL_MS = 1_000
const NO_FOLDER_RECORD: FolderRecord = { lastFile: { atMs: 0, filename: '', deleted: false }, lastScanMs: 0 }
const NO_DEVICE_RECORD: DeviceRecord = { lastSeenMs: 0, lastConnectionMs: 0 }

/**
 * Statistics that persist across restarts. They are not essential: a record that cannot be read counts as never
 * written, a failed write is logged and never fails the counted operation.
 */
export class Statistics {
  /** Counters since the start; not persisted. */
  readonly work = new WorkCounters()
  /** Cached records, and when each was written. */
  readonly #folders = new Map<FolderId, { readonly record: FolderRecord; readonly storedMs: number }>()
  readonly #deps: StatisticsDeps

  constructor(deps: StatisticsDeps) {
    this.#deps = deps
  }

  async folder(folder: FolderId): Promise<FolderRecord> {
    return this.#folders.get(folder)?.record ?? parseFolderRecord(await this.#read(FOLDER_PREFIX + folder))
  }

  async device(device: DeviceId): Promise<DeviceRecord> {
    return parseDeviceRecord(await this.#read(DEVICE_PREFIX + device))
  }

  /** Limits writes for frequent scans: a restart scans anyway. */
  async scanned(folder: FolderId, atMs: number): Promise<void> {
    const record = { ...(await this.folder(folder)), lastScanMs: atMs }
    const storedMs = this.#folders.get(folder)?.storedMs ?? Number.NEGATIVE_INFINITY
    const isFresh = atMs >= storedMs && atMs - storedMs < SCAN_INTERVAL_MS
    await this.#store(folder, record, isFresh ? storedMs : atMs, !isFresh)
  }

  /** Records a file pulled from another device, or deleted because another device deleted it. */
  async received(folder: FolderId, file: { filename: string; deleted: boolean; atMs: number }): Promise<void> {
    const { atMs, filename, deleted } = file
    await this.#store(folder, { ...(await this.folder(folder)), lastFile: { atMs, filename, deleted } }, atMs, true)
  }

  async #store(folder: FolderId, record: FolderRecord, storedMs: number, write: boolean): Promise<void> {
    this.#folders.set(folder, { record, storedMs })
    if (write) await this.#write(FOLDER_PREFIX + folder, record)
  }

  async seen(device: DeviceId, atMs: number): Promise<void> {
    await this.#write(DEVICE_PREFIX + device, { ...(await this.device(device)), lastSeenMs: atMs })
  }

  async disconnected(device: DeviceId, record: { atMs: number; connectedMs: number }): Promise<void> {
    await this.#write(DEVICE_PREFIX + device, { lastSeenMs: record.atMs, lastConnectionMs: record.connectedMs })
  }

  /** Statistics that another program recorded; they replace those of ours. */
  async restore({ folders, devices }: RestoredStatistics): Promise<void> {
    for (const { folder, lastScanMs, lastFileMs, lastFileName, lastFileDeleted } of folders) {
      const lastFile = { atMs: lastFileMs, filename: lastFileName, deleted: lastFileDeleted }
      await this.#write(FOLDER_PREFIX + folder, { lastFile, lastScanMs })
    }
    for (const { device, lastSeenMs, lastConnectionMs } of devices) {
      await this.#write(DEVICE_PREFIX + device, { lastSeenMs, lastConnectionMs })
    }
  }

  async deleteFolder(folder: FolderId): Promise<void> {
    this.#folders.delete(folder)
    this.work.remove(folder)
    await this.#attempt(`delete the statistics of folder ${folder}`, () =>
      this.#deps.keyValue.delete(FOLDER_PREFIX + folder),
    )
  }

  async #read(key: string): Promise<unknown> {
    let value: unknown
    await this.#attempt(`read ${key}`, async () => {
      const bytes = await this.#deps.keyValue.get(key)
      if (bytes !== undefined) value = JSON.parse(new TextDecoder().decode(bytes))
    })
    return value
  }

  async #write(key: string, record: FolderRecord | DeviceRecord): Promise<void> {
    this.#deps.log.debug(() => `${key} is now ${JSON.stringify(record)}`)
    await this.#attempt(`write ${key}`, () =>
      this.#deps.keyValue.set(key, new TextEncoder().encode(JSON.stringify(record))),
    )
  }

  async #attempt(what: string, action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#deps.log.warn(`could not ${what}: ${messageOf(error)}`)
    }
  }
}

function parseFolderRecord(value: unknown): FolderRecord {
  if (!isObject(value)) return NO_FOLDER_RECORD
  const file = isObject(value['lastFile']) ? value['lastFile'] : {}
  const filename = typeof file['filename'] === 'string' ? file['filename'] : ''
  return {
    lastFile: { atMs: numberOf(file['atMs']), filename, deleted: file['deleted'] === true },
    lastScanMs: numberOf(value['lastScanMs']),
  }
}

function parseDeviceRecord(value: unknown): DeviceRecord {
  if (!isObject(value)) return NO_DEVICE_RECORD
  return { lastSeenMs: numberOf(value['lastSeenMs']), lastConnectionMs: numberOf(value['lastConnectionMs']) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
