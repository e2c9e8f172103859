import type { FolderConfig } from '../../core/config/config.ts'
import { versionPolicy } from '../../core/records/version-policy.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { WHOLE_FOLDER } from '../../core/paths.ts'
import type { FolderGuard } from '../state/folder-guard.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { GuardSide } from '../../core/guard/guard-state.ts'
import type { GuardDecision, GuardView } from '../types.ts'
import type { FolderRequests, FolderTask } from './folder-requests.ts'
import type { Pulls } from './pulls.ts'
import type { ScanWork } from './scan-work.ts'

const SCANNING = { waiting: 'scan-waiting', working: 'scanning' } as const
const SIDES: readonly GuardSide[] = ['local', 'remote']
const EXAMPLES_MAX = 20

export interface GuardDecisionsDeps {
  readonly guard: FolderGuard
  readonly requests: FolderRequests
  readonly work: Pick<ScanWork, 'overrideItems' | 'scan'>
  readonly pulls: Pick<Pulls, 'change' | 'request'>
  isEnabled(): boolean
}

/** What users see of the deletion guard of one folder, and decide. */
export class GuardDecisions {
  readonly #deps: GuardDecisionsDeps
  readonly #folder: FolderConfig

  constructor(deps: GuardDecisionsDeps, folder: FolderConfig) {
    this.#deps = deps
    this.#folder = folder
  }

  /** Which loss of an item is held, and how many files go with it. */
  heldBecause(name: string): { readonly side: GuardSide; readonly files: number } | undefined {
    const { guard } = this.#deps
    const side = guard.sideOf(name)
    const held = side && guard.held(side)
    return held && { side, files: held.deletions + held.truncations }
  }

  async view(): Promise<GuardView> {
    const { guard } = this.#deps
    await guard.load()
    const held = SIDES.flatMap((side) => {
      const loss = guard.held(side)
      if (loss === undefined) return []
      const files = [...guard.names(side)].filter(([, kind]) => kind !== 'beside').map(([name]) => name)
      return [{ ...loss, side, examples: files.sort().slice(0, EXAMPLES_MAX) }]
    })
    return {
      enabled: this.#deps.isEnabled(),
      trash: versionPolicy(this.#folder.versioning) !== undefined,
      held,
      notices: guard.notices,
    }
  }

  /** Decides on what is held, by this device or by others, or on both. Rejects with `refused` and the reason. */
  async decide(decision: GuardDecision, only: GuardSide | undefined): Promise<void> {
    const { guard } = this.#deps
    await guard.load()
    const sides = SIDES.filter((side) => (only ?? side) === side && guard.held(side) !== undefined)
    if (sides.length === 0) throw new TwinfoldError('refused', 'the deletion guard holds nothing in this folder')
    for (const side of sides) {
      if (decision === 'apply') await this.#apply(side)
      else await this.#refuse(side)
    }
  }

  async dismiss(): Promise<void> {
    await this.#deps.guard.dismiss()
  }

  /** Announces the deletions of this device; those of others are applied by the next pull, which begins at once. */
  async #apply(side: GuardSide): Promise<void> {
    const { guard, pulls, requests, work } = this.#deps
    if (side === 'remote') {
      await guard.approve(side)
      pulls.request()
      requests.wake()
      return
    }
    await this.#perform(async (check, signal) => {
      await guard.approve(side)
      try {
        await work.scan(WHOLE_FOLDER, check, signal)
      } finally {
        guard.withdraw(side)
      }
    })
  }

  async #refuse(side: GuardSide): Promise<void> {
    const policy = FOLDER_POLICIES[this.#folder.type]
    if (side === 'remote' && !policy.announcesChanges) {
      const remedy = 'apply the deletions, or pause the device and copy the files to a folder that sends'
      throw new TwinfoldError('refused', `a receive-only folder sends nothing to other devices; ${remedy}`)
    }
    if (side === 'local' && !policy.takesFiles) {
      const remedy = 'put them back here, or apply the deletions'
      throw new TwinfoldError('refused', `a send-only folder fetches no files from other devices; ${remedy}`)
    }
    if (side === 'remote') await this.#bringBack()
    else await this.#fetchAgain()
  }

  /** Our versions win on all devices. */
  async #bringBack(): Promise<void> {
    const { guard, work } = this.#deps
    await this.#perform(async (check, signal) => {
      const names = [...guard.names('remote').keys()].sort()
      await work.overrideItems(names, check, signal)
      await guard.settled('remote', names)
    })
  }

  async #fetchAgain(): Promise<void> {
    const { guard, pulls, requests } = this.#deps
    let found: readonly string[] = []
    await this.#perform(async (check, signal) => {
      const names = guard.names('local').keys()
      const { rescan } = await pulls.change(
        async (puller, request) => {
          const outcome = await puller.refetch(names, request, signal)
          found = outcome.refetched
          return outcome
        },
        check,
        signal,
      )
      await guard.settled('local', found)
      requests.scanPaths(rescan)
    })
    pulls.request()
    requests.wake()
    const left = guard.held('local')
    if (left === undefined) return
    const files = left.deletions + left.truncations
    const remedy = 'connect a device that has them, put them back here, or apply the deletions'
    throw new TwinfoldError('refused', `${files} files are not fetched: no connected device has them; ${remedy}`)
  }

  async #perform(run: FolderTask['run']): Promise<void> {
    await this.#deps.requests.perform({ states: SCANNING, run })
  }
}
