import type { FolderConfig } from '../core/config/config.ts'
import { TwinfoldError } from '../core/errors.ts'
import { DEFAULT_MARKER_NAME } from '../core/folder-stop.ts'
import type { FolderId } from '../core/ids.ts'
import { joinPath } from '../core/paths.ts'
import type { CauseCode } from '../core/remedies/cause.ts'
import { areFilesThere, watchLimitOf, type Evidence, type FilesEvidence } from '../core/remedies/remedy.ts'
import { remedyText } from '../core/remedies/remedy-text.ts'
import type { FolderIndex } from '../db/types.ts'
import type { ModelDeps } from './deps.ts'
import type { FolderRegistry } from './folder-registry.ts'
import { createMarker } from './folder/marker.ts'

/** Enough to tell a disk from an empty mount point; each costs a call to the disk. */
const EXAMINED_MAX = 500
/** How many files are looked up at once. */
const TOGETHER = 25

export interface FolderRemediesDeps extends Pick<ModelDeps, 'platform'> {
  readonly folders: Pick<FolderRegistry, 'configured' | 'root' | 'running'>
  /** Runs a query on the index of a folder; undefined for a folder that never had one. */
  query<T>(folder: FolderId, read: (index: FolderIndex) => Promise<T>): Promise<T | undefined>
}

/** What REST uses of it. */
export type FolderRemediesView = Pick<FolderRemedies, keyof FolderRemedies>

/** The evidence for the cause of an error, and the remedies that the device can carry out itself. */
export class FolderRemedies {
  readonly #deps: FolderRemediesDeps

  constructor(deps: FolderRemediesDeps) {
    this.#deps = deps
  }

  async evidence(folder: FolderId, cause: CauseCode): Promise<Evidence> {
    const config = this.#deps.folders.configured(folder)
    const path = this.#deps.folders.root(config)
    switch (cause) {
      case 'marker':
      case 'missing':
        return { path, files: await this.#files(config) }
      case 'lowSpace':
      case 'full': {
        const space = await this.#deps.platform.disk.space(path).catch(() => undefined)
        return space === undefined ? { path } : { path, space: { ...space, minimum: config.minDiskFree } }
      }
      case 'watches': {
        const watches = watchLimitOf(this.#deps.folders.running(folder)?.status().watchError ?? '')
        return watches === undefined ? { path } : { path, watches }
      }
      default:
        return { path }
    }
  }

  /**
   * Creates the marker of a folder again. Rejects with `refused` where known files are missing, unless forced: those
   * would count as deleted.
   */
  async createMarker(folder: FolderId, isForced: boolean): Promise<void> {
    const config = this.#deps.folders.configured(folder)
    const path = this.#deps.folders.root(config)
    if (config.markerName !== DEFAULT_MARKER_NAME)
      throw new TwinfoldError(
        'refused',
        `the marker of this folder was chosen by its user: create ${config.markerName}`,
      )
    const files = await this.#files(config)
    if (!files.hasRoot)
      throw new TwinfoldError('refused', `there is no directory ${path}: mount its disk, or choose its new place`)
    if (!isForced && !areFilesThere(files)) {
      const { message } = remedyText({ cause: 'marker', actions: [], command: undefined }, { path, files })
      throw new TwinfoldError('refused', `${message}; those that are missing would count as deleted`)
    }
    const { clock, disk } = this.#deps.platform
    await createMarker(disk, path, config.id, clock.nowMs())
    this.#deps.folders.running(folder)?.requests.scanSoon()
  }

  async #files(config: FolderConfig): Promise<FilesEvidence> {
    const { disk } = this.#deps.platform
    const root = this.#deps.folders.root(config)
    const { markerName } = config
    const stat = await disk.stat(root).catch(() => undefined)
    const own = (await this.#deps.query(config.id, ownFiles)) ?? { known: 0, names: [] }
    if (stat?.type !== 'directory') return { markerName, hasRoot: false, known: own.known, examined: 0, found: 0 }
    let found = 0
    for (let start = 0; start < own.names.length; start += TOGETHER) {
      const names = own.names.slice(start, start + TOGETHER)
      const stats = await Promise.all(names.map((name) => disk.lstat(joinPath(root, name)).catch(() => undefined)))
      found += stats.filter((each) => each !== undefined).length
    }
    return { markerName, hasRoot: true, known: own.known, examined: own.names.length, found }
  }
}

interface OwnFiles {
  readonly known: number
  readonly names: readonly string[]
}

/** Those that were changed first: they are the least likely to have been made a moment ago. */
async function ownFiles(index: FolderIndex): Promise<OwnFiles> {
  const { local } = await index.needs.counts()
  const names: string[] = []
  for (let sequence = 0; names.length < EXAMINED_MAX;) {
    const step = await index.listing.ownSince(sequence)
    const last = step.at(-1)
    if (last === undefined) break
    sequence = last.sequence
    const live = step.filter((each) => each.live).map(({ name }) => name)
    const records = await index.listing.recordsOf(live.slice(0, EXAMINED_MAX - names.length))
    for (const { name, local: record } of records) if (record?.type === 'file') names.push(name)
  }
  return { known: local.files, names }
}
