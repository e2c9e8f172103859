import { shortIdOf } from '../../core/device-id.ts'
import { messageOf } from '../../core/errors.ts'
import { isMassLoss } from '../../core/guard/net-loss.ts'
import { isMassRewrite, looksEncrypted, SAMPLE_BYTES, SAMPLES_MAX } from '../../core/guard/rewritten.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { isAtOrBelow, joinPath, type ScanScope, WHOLE_FOLDER } from '../../core/paths.ts'
import { hashKey } from '../../core/records/block-diff.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { FolderIndex, KeyValue } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'
import { LossReview, type GoingItem, type ReviewOutcome } from './loss-review.ts'
import { LossWindow } from './loss-window.ts'
import {
  encodeGuard,
  guardKey,
  parseGuard,
  type GuardNotice,
  type GuardSide,
  type HeldLoss,
} from '../../core/guard/guard-state.ts'

export interface FolderGuardDeps {
  readonly clock: Clock
  readonly disk: Pick<Disk, 'open'>
  readonly keyValue: Pick<KeyValue, 'get' | 'set'>
  readonly events: EventSink
  readonly log: Logger
  index(): Promise<FolderIndex>
  /** The setting of the folder; it may change while the folder runs. */
  isEnabled(): boolean
}

export interface FolderGuardOptions {
  readonly folder: FolderId
  readonly root: string
  readonly devices: readonly DeviceId[]
  /** What other devices delete becomes an old version. */
  readonly hasTrash: boolean
  readonly isEncrypted: boolean
}

interface Hold extends HeldLoss {
  /** Unknown after a restart, until the first scan or pull finds them again. */
  readonly names: Map<string, GoingItem>
}

/** One of each kind for a few devices; the newest stay. */
const NOTICES_MAX = 10

type Approval = ReadonlySet<string> | 'all'

/** The time to decide about a mass deletion, before the share of the disk is in force again. */
const VERSIONS_KEPT_MS = 7 * 86_400_000

/**
 * The deletion guard of one folder. It holds an unusual loss of files: this device's own before it is announced, that
 * of others before it is applied, unless old versions are kept here. A hold survives a restart, and ends when the user
 * decides or nothing is missing any more.
 */
export class FolderGuard {
  readonly window = new LossWindow()
  readonly #deps: FolderGuardDeps
  readonly #options: FolderGuardOptions
  readonly #holds = new Map<GuardSide, Hold>()
  readonly #approved = new Map<GuardSide, Approval>()
  #notices: readonly GuardNotice[] = []
  #loaded: Promise<void> | undefined
  /** Sides whose names are known since the start. */
  readonly #found = new Set<GuardSide>()
  #isCaughtUp = false

  constructor(deps: FolderGuardDeps, options: FolderGuardOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** To be awaited before anything else. */
  load(): Promise<void> {
    this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return this.#loaded
  }

  async #load(): Promise<void> {
    const { holds, notices } = parseGuard(await this.#deps.keyValue.get(guardKey(this.#options.folder)))
    for (const [side, hold] of holds) this.#holds.set(side, { ...hold, names: new Map() })
    this.#notices = notices
  }

  held(side: GuardSide): HeldLoss | undefined {
    return this.#holds.get(side)
  }

  /** The names of what is held, files and what is beside them, as far as they are known. */
  names(side: GuardSide): ReadonlyMap<string, GoingItem> {
    return this.#holds.get(side)?.names ?? new Map()
  }

  /** Which loss of an item is held. */
  sideOf(name: string): GuardSide | undefined {
    for (const [side, { names }] of this.#holds) if (names.has(name)) return side
    return undefined
  }

  get notices(): readonly GuardNotice[] {
    return this.#notices
  }

  /** Old versions are not cleaned up: files of the folder may have been encrypted by ransomware. */
  async isFrozenNow(): Promise<boolean> {
    await this.load()
    return this.#isFrozen
  }

  /**
   * No old version may be removed: those of a mass deletion that was just applied are needed to undo it, whatever
   * space they take.
   */
  get keepsVersions(): boolean {
    const nowMs = this.#deps.clock.nowMs()
    return this.#isFrozen || this.#notices.some(({ sinceMs }) => nowMs - sinceMs < VERSIONS_KEPT_MS)
  }

  get #isFrozen(): boolean {
    return this.#notices.some(({ kind }) => kind === 'rewritten')
  }

  async dismiss(): Promise<void> {
    await this.load()
    this.#notices = []
    this.window.forgetReplaced()
    await this.#store()
  }

  /** The review of one scan or pull; undefined where the guard is off. */
  async begin(side: GuardSide, scope: ScanScope = WHOLE_FOLDER): Promise<LossReview | undefined> {
    await this.load()
    if (!this.#deps.isEnabled()) {
      if (this.#holds.has(side)) await this.#release(side, 'resolved')
      return undefined
    }
    const { records } = await this.#deps.index()
    const approval = this.#approved.get(side)
    return new LossReview({
      records,
      window: this.window,
      nowMs: this.#deps.clock.nowMs(),
      isEncrypted: this.#options.isEncrypted,
      isApproved: (name) => approval === 'all' || approval?.has(name) === true,
      conclude: (outcome) => this.#conclude(side, scope, outcome),
    })
  }

  /**
   * Pulled files under names that had none, before they are stored: new ones have other content than any file here.
   * What a first synchronization brings is as old as it is elsewhere.
   */
  async noteNew(files: readonly FileHead[]): Promise<void> {
    if (files.length === 0 || !this.#isCaughtUp || !this.#deps.isEnabled()) return
    const { records } = await this.#deps.index()
    for (const { blocksHash, name, type } of files) {
      if (type !== 'file') continue
      const isKnown =
        blocksHash !== undefined &&
        (this.window.hasLost(hashKey(blocksHash)) || (await records.localByBlocks(blocksHash, 1)).length > 0)
      if (!isKnown) this.window.make(name, this.#deps.clock.nowMs())
    }
  }

  /** Records that were stored: content that was lost exists again, and what others deleted is not held as ours. */
  stored(records: readonly FileHead[]): void {
    const missing = this.#holds.get('local')?.names
    if (missing !== undefined) for (const { deleted, name } of records) if (deleted) missing.delete(name)
    if (!this.window.hasLosses) return
    for (const { blocksHash, deleted } of records)
      if (!deleted && blocksHash !== undefined) this.window.regain(hashKey(blocksHash))
  }

  /** The user accepts the loss of what is held: the next scan or pull lets it pass. */
  async approve(side: GuardSide): Promise<void> {
    await this.load()
    const names = this.#holds.get(side)?.names
    if (names === undefined) return
    this.window.forgetLosses()
    this.#approved.set(side, this.#found.has(side) ? new Set(names.keys()) : 'all')
  }

  /** The user refused the loss of these names: they are brought back. */
  async settled(side: GuardSide, names: readonly string[]): Promise<void> {
    const hold = this.#holds.get(side)
    if (hold === undefined) return
    const left = new Map(hold.names)
    for (const name of names) left.delete(name)
    if (hasFiles(left)) await this.#hold(side, left, hold.origin)
    else await this.#release(side, 'refused')
  }

  /** An approval is for what was found at that time only. */
  withdraw(side: GuardSide): void {
    this.#approved.delete(side)
  }

  /** Nothing of other devices is needed any more. */
  async nothingNeeded(): Promise<void> {
    await this.load()
    await this.pulled()
    if (this.#holds.has('remote')) await this.#release('remote', 'resolved')
  }

  /** Everything that can be pulled now is here. */
  async pulled(): Promise<void> {
    this.withdraw('remote')
    if (this.#isCaughtUp || !this.#deps.isEnabled()) return
    this.#isCaughtUp = (await (await this.#deps.index()).exchange.remoteSequences()).size > 0
  }

  async #conclude(side: GuardSide, scope: ScanScope, outcome: ReviewOutcome): Promise<ReadonlySet<string>> {
    const { clock } = this.#deps
    const nowMs = clock.nowMs()
    for (const name of outcome.replaced) this.window.replace(name, outcome.beganMs)
    const hold = this.#holds.get(side)
    const outside = new Map([...(hold?.names ?? [])].filter(([name]) => !isWithin(name, scope)))
    const { lost, excused } = outcome
    const earlier = this.window.lostCount(nowMs)
    const files = hold === undefined ? (await (await this.#deps.index()).needs.counts()).local.files : 0
    const isMass = hold !== undefined || isMassLoss({ lost: lost.size, earlier, excused, files })
    const isApplied = side === 'remote' && this.#options.hasTrash
    const isHeld = isMass && !isApplied && (lost.size > 0 || hasFiles(outside))
    if (isMass && isApplied && lost.size > 0) await this.#noticeLoss(outcome)
    else if (!isHeld) for (const content of outcome.contents) this.window.lose(content, nowMs)
    if (!isHeld) {
      if (hold !== undefined) await this.#release(side, this.#approved.has(side) ? 'applied' : 'resolved')
      return new Set()
    }
    const here: [string, GoingItem][] = [...lost, ...outcome.beside.map((name) => [name, 'beside'] as const)].map(
      ([name, kind]) => [name, kind],
    )
    await this.#hold(side, new Map([...outside, ...here]), this.#originOf(side, outcome, hold))
    return new Set(here.map(([name]) => name))
  }

  #originOf(side: GuardSide, { author }: ReviewOutcome, hold: Hold | undefined): HeldLoss['origin'] {
    if (side === 'local') return 'local'
    const device = this.#options.devices.find((id) => shortIdOf(id) === author)
    return device ?? hold?.origin ?? this.#options.devices[0] ?? 'local'
  }

  async #hold(side: GuardSide, names: Map<string, GoingItem>, origin: HeldLoss['origin']): Promise<void> {
    const before = this.#holds.get(side)
    const kinds = [...names.values()]
    const deletions = kinds.filter((kind) => kind === 'deleted').length
    const truncations = kinds.filter((kind) => kind === 'emptied').length
    const sinceMs = before?.sinceMs ?? this.#deps.clock.nowMs()
    this.#holds.set(side, { sinceMs, origin, deletions, truncations, names })
    this.#found.add(side)
    if (before?.deletions === deletions && before.truncations === truncations) return
    await this.#store()
    const { folder } = this.#options
    if (before === undefined) {
      const whose = side === 'local' ? 'of this device' : `by ${origin}`
      this.#deps.log.warn(
        `folder ${folder}: the deletion guard holds ${deletions} deletions and ${truncations} emptied files ${whose}`,
      )
    }
    const since = new Date(sinceMs).toISOString()
    this.#deps.events.emit('FolderGuardHeld', { folder, deletions, truncations, since, origin })
  }

  async #release(side: GuardSide, outcome: 'applied' | 'refused' | 'resolved'): Promise<void> {
    const hold = this.#holds.get(side)
    if (hold === undefined) return
    this.#holds.delete(side)
    await this.#store()
    const { folder } = this.#options
    this.#deps.log.info(`folder ${folder}: the deletion guard holds no more: ${outcome}`)
    this.#deps.events.emit('FolderGuardReleased', { folder, origin: hold.origin, outcome })
  }

  async #noticeLoss({ author, beganMs: sinceMs, lost }: ReviewOutcome): Promise<void> {
    const origin = this.#options.devices.find((id) => shortIdOf(id) === author) ?? this.#options.devices[0] ?? 'local'
    const truncations = [...lost.values()].filter((kind) => kind === 'emptied').length
    this.window.forgetLosses()
    await this.#notice({ kind: 'deleted', sinceMs, origin, deletions: lost.size - truncations, truncations })
  }

  /** Whether most files were replaced by encrypted ones; to be called after a scan and after a pull. */
  async checkRewritten(): Promise<void> {
    if (!this.#deps.isEnabled() || this.#isFrozen) return
    const nowMs = this.#deps.clock.nowMs()
    const replaced = this.window.replaced(nowMs)
    if (replaced.size === 0) return
    const { files } = (await (await this.#deps.index()).needs.counts()).local
    if (!isMassRewrite(replaced.size, files)) return
    const names = [...replaced.keys()].slice(0, SAMPLES_MAX)
    const samples = await Promise.all(names.map((name) => this.#sample(name)))
    if (!looksEncrypted(samples)) return
    const sinceMs = Math.min(...[...replaced.values()].slice(0, SAMPLES_MAX)) // at most 32
    await this.#notice({ kind: 'rewritten', sinceMs, origin: 'local', deletions: replaced.size, truncations: 0 })
  }

  async #sample(name: string): Promise<Uint8Array> {
    const data = new Uint8Array(SAMPLE_BYTES)
    try {
      await using file = await this.#deps.disk.open(joinPath(this.#options.root, name), 'read')
      return data.subarray(0, await fillBuffer(file, data, 0))
    } catch (error) {
      this.#deps.log.debug(() => `folder ${this.#options.folder}: ${name} is not sampled: ${messageOf(error)}`)
      return data.subarray(0, 0)
    }
  }

  async #notice(notice: GuardNotice): Promise<void> {
    const earlier = this.#notices.find(({ kind, origin }) => kind === notice.kind && origin === notice.origin)
    const merged =
      earlier === undefined || notice.kind === 'rewritten'
        ? notice
        : {
            ...notice,
            sinceMs: earlier.sinceMs,
            deletions: earlier.deletions + notice.deletions,
            truncations: earlier.truncations + notice.truncations,
          }
    const others = this.#notices.filter((each) => each !== earlier)
    this.#notices = [...others.slice(-NOTICES_MAX + 1), merged]
    await this.#store()
    const { folder } = this.#options
    const { deletions, kind, origin, sinceMs, truncations } = merged
    const what =
      kind === 'deleted'
        ? `${deletions} files were deleted and ${truncations} emptied by ${origin}; they are old versions now`
        : `${deletions} files were replaced by files that look encrypted; old versions are not cleaned up`
    this.#deps.log.warn(`folder ${folder}: ${what}`)
    const since = new Date(sinceMs).toISOString()
    this.#deps.events.emit('FolderGuardNoticed', { folder, kind, deletions, truncations, since, origin })
  }

  async #store(): Promise<void> {
    const data = encodeGuard(this.#holds, this.#notices)
    await this.#deps.keyValue.set(guardKey(this.#options.folder), data)
  }
}

function hasFiles(names: ReadonlyMap<string, GoingItem>): boolean {
  for (const kind of names.values()) if (kind !== 'beside') return true
  return false
}

function isWithin(name: string, scope: ScanScope): boolean {
  return scope.some((path) => path === '' || isAtOrBelow(name, path))
}
