import type { FolderConfig } from '../core/config/config.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { FolderId } from '../core/ids.ts'
import type { SelectionEntry } from '../core/ignore/selection.ts'
import { withSharedIgnores } from '../core/ignore/shared-ignores.ts'
import { cleanSub, isCanonical, isReserved } from '../core/paths.ts'
import type { FolderIndex } from '../db/types.ts'
import { TimeSlice } from '../sync/time-slice.ts'
import type { ModelDeps } from './deps.ts'
import type { FolderRegistry } from './folder-registry.ts'
import { measureSelection, NO_EFFECT, onlyCopyError } from './folder/selection-effect.ts'
import { SelectionFile, type PlannedSelection } from './folder/selection-file.ts'
import { FOLDER_POLICIES } from './state/folder-policy.ts'
import { checkHealth } from './state/health.ts'
import type { OverruledPath, PathChoice, SelectionEffect, SelectionPreview, SelectionView } from './types.ts'

/** A preview is made while a user waits; a drop measures everything. */
const PREVIEW_MS_MAX = 2_000

export interface SelectionsDeps extends Pick<ModelDeps, 'platform' | 'roots'> {
  readonly folders: Pick<FolderRegistry, 'configured' | 'find' | 'root' | 'running'>
  /** Runs a query on the index of a folder; undefined for a folder that never had one. */
  query<T>(folder: FolderId, read: (index: FolderIndex) => Promise<T>): Promise<T | undefined>
}

/** What is kept and dropped in each folder. */
export class Selections {
  readonly #deps: SelectionsDeps

  constructor(deps: SelectionsDeps) {
    this.#deps = deps
  }

  async view(folder: FolderId): Promise<SelectionView> {
    try {
      const { selection, isRemoving } = await this.#file(this.#deps.folders.configured(folder)).read()
      return { entries: selection.entries, isRemoving, error: undefined }
    } catch (error) {
      if (!(error instanceof TwinfoldError && error.code === 'ignore-invalid')) throw error
      return { entries: [], isRemoving: false, error: messageOf(error) }
    }
  }

  async preview(folder: FolderId, choices: readonly PathChoice[], signal: AbortSignal): Promise<SelectionPreview> {
    const changes = checkedChoices(choices)
    const planned = this.#withShared(folder, await this.#file(this.#selectable(folder)).plan(changes))
    const overruled = overruledIn(planned, changes)
    return { effect: await this.#effect(folder, planned, changes, PREVIEW_MS_MAX, signal), overruled }
  }

  /** The map holds a reason for each dropped file that is still here, and stays kept. */
  async select(
    folder: FolderId,
    choices: readonly PathChoice[],
    isForced: boolean,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const config = this.#selectable(folder)
    const changes = checkedChoices(choices)
    if (!config.paused) return await this.#deps.folders.find(folder).tasks.select(changes, isForced)
    const file = this.#file(config)
    const isDrop = changes.some(({ state }) => state === 'dropped')
    if (isDrop && !isForced) {
      const { onlyHere } = await this.#effect(folder, await file.plan(changes), changes, Infinity, signal)
      if (onlyHere.files > 0) throw onlyCopyError(onlyHere)
    }
    await this.#prepareRoot(config)
    // What is dropped is removed as soon as the folder runs.
    await file.change((section) => {
      return { selection: section.selection.with(changes), isRemoving: section.isRemoving || isDrop }
    })
    return new Map()
  }

  /** What shared patterns ignore is neither freed nor fetched. */
  #withShared(folder: FolderId, { selection, before, after }: PlannedSelection): PlannedSelection {
    const lines = this.#deps.folders.running(folder)?.sharedIgnores.lines ?? []
    return { selection, before: withSharedIgnores(before, lines), after: withSharedIgnores(after, lines) }
  }

  /** A new folder has no directory before it runs. That of a known one may be on a disk that is not mounted. */
  async #prepareRoot(config: FolderConfig): Promise<void> {
    const { folders, platform, query } = this.#deps
    const { disk } = platform
    const root = folders.root(config)
    const first = { within: '', afterName: '', limit: 1 }
    const known = await query(config.id, ({ records }) => records.page('local', first))
    if (known === undefined || known.length === 0) return await disk.makeDirectories(root, 0o777)
    const unused = { databaseDirectory: root, minHomeDiskFree: { value: 0, unit: '' } } as const
    await checkHealth(disk, { root, markerName: config.markerName, ...unused, spaceKnown: true })
  }

  async #effect(
    folder: FolderId,
    { before, after }: PlannedSelection,
    changes: readonly SelectionEntry[],
    workMsMax: number,
    signal: AbortSignal,
  ): Promise<SelectionEffect> {
    const slice = new TimeSlice(this.#deps.platform.clock, signal)
    const change = { paths: changes.map(({ path }) => path), before, after }
    const read = ({ listing }: FolderIndex) => measureSelection(listing, change, slice, workMsMax)
    return (await this.#deps.query(folder, read)) ?? NO_EFFECT
  }

  #selectable(folder: FolderId): FolderConfig {
    const config = this.#deps.folders.configured(folder)
    const { hasIgnores, takesFiles } = FOLDER_POLICIES[config.type]
    if (!hasIgnores) throw new TwinfoldError('bad-request', 'of an encrypted folder, this device has all or nothing')
    if (!takesFiles) {
      const remedy = 'change its type to send and receive to select what is kept'
      throw new TwinfoldError('bad-request', `a send-only folder fetches nothing back; ${remedy}`)
    }
    return config
  }

  #file(config: FolderConfig): SelectionFile {
    const { platform, roots, folders } = this.#deps
    const { disk, system } = platform
    const deps = { disk, platform: system.platform, writing: roots.ignoreWriter(config.id) }
    return new SelectionFile(deps, folders.root(config))
  }
}

/** Parents first: a choice replaces those below it. */
function checkedChoices(choices: readonly PathChoice[]): readonly SelectionEntry[] {
  const checked = new Map<string, SelectionEntry>()
  for (const { path, state } of choices) {
    const clean = cleanSub(path)
    if (clean !== '' && (!isCanonical(clean) || isReserved(clean))) {
      throw new TwinfoldError('bad-request', `${JSON.stringify(path)} is not an item of the folder`)
    }
    if ((checked.get(clean)?.state ?? state) !== state) {
      throw new TwinfoldError('bad-request', `${JSON.stringify(path)} is to be kept and dropped`)
    }
    checked.set(clean, { path: clean, state, reason: 'chosen' })
  }
  return [...checked.values()].sort((a, b) => a.path.length - b.path.length)
}

/** Paths on which a line of the user decides, before the selection does. */
function overruledIn({ after }: PlannedSelection, changes: readonly SelectionEntry[]): readonly OverruledPath[] {
  return changes.flatMap(({ path, state }) => {
    if (path === '' || after.match(path).ignored === (state === 'dropped')) return []
    const line = after.decidingLine(path)
    return [{ path, line: line === undefined ? '' : (after.lines[line] ?? '') }]
  })
}
