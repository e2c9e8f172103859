import type { FolderConfig } from '../../core/config/config.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { ShortId } from '../../core/ids.ts'
import { scanScope, WHOLE_FOLDER } from '../../core/paths.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { KeptFiles } from '../state/kept-files.ts'
import type { KeptPage, Paging } from '../types.ts'
import type { FolderRequests } from './folder-requests.ts'
import type { Pulls } from './pulls.ts'

const SCANNING = { waiting: 'scan-waiting', working: 'scanning' } as const
/** More paths than this are brought back by a scan of the whole folder. */
const PATHS_MAX = 1_000
const NOT_KEPT = 'it is not kept'

export interface FolderKeptDeps {
  readonly kept: KeptFiles
  readonly requests: FolderRequests
  readonly pulls: Pick<Pulls, 'change' | 'exclude'>
}

/** What users request of the kept files of one folder. */
export class FolderKept {
  readonly #deps: FolderKeptDeps
  readonly #type: FolderConfig['type']

  constructor(deps: FolderKeptDeps, { type }: Pick<FolderConfig, 'type'>) {
    this.#deps = deps
    this.#type = type
  }

  async page(paging: Paging): Promise<KeptPage> {
    return await this.#deps.kept.page(paging)
  }

  /** Who deleted a file that is kept, as far as the list is loaded. */
  deleterOf(name: string): ShortId | undefined {
    return this.#deps.kept.find(name)?.deletedBy
  }

  async names(): Promise<readonly string[]> {
    await this.#deps.kept.load()
    return this.#deps.kept.names()
  }

  /**
   * Announces kept files again: all devices get them. Resolves with the reason for each that stays kept. Durable before
   * the scan, which a restart repeats.
   */
  async bringBack(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!FOLDER_POLICIES[this.#type].announcesChanges) {
      const remedy = 'change its type to bring them back, or copy them to a folder that sends'
      throw new TwinfoldError('bad-request', `a receive-only folder sends nothing to other devices; ${remedy}`)
    }
    const { kept, pulls, requests } = this.#deps
    const failures = new Map<string, string>()
    await requests.perform({
      states: SCANNING,
      run: async (_check, signal) => {
        using _lock = await pulls.exclude(signal)
        await kept.load()
        for (const name of names) {
          const found = kept.find(name)
          if (found === undefined) failures.set(name, NOT_KEPT)
          else kept.set({ ...found, isReturning: true })
        }
        await kept.store()
      },
    })
    if (failures.size === names.length) return failures
    await requests.scan(names.length > PATHS_MAX ? WHOLE_FOLDER : scanScope(names), undefined)
    for (const name of names) {
      if (kept.find(name) !== undefined) failures.set(name, 'it could not be read, or is ignored here')
    }
    return failures
  }

  /** Deletes kept files here. Resolves with the reason for each that stays. */
  async delete(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { pulls, requests } = this.#deps
    let failures: ReadonlyMap<string, string> = new Map()
    await requests.perform({
      states: SCANNING,
      run: async (check, signal) => {
        const outcome = await pulls.change((puller, ...rest) => puller.deleteKept(names, ...rest), check, signal)
        failures = outcome.failures
        requests.scanPaths(outcome.rescan)
      },
    })
    return failures
  }
}
