import type { PastItem } from '../../core/history/entry.ts'
import type { Moment } from '../../core/rewind/moment.ts'
import { rewindStep, type RewindMode } from '../../core/rewind/step.ts'
import { FLAG_IGNORED } from '../../core/records/file-info.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { PastSources } from '../puller/past-sources.ts'
import { itemOf } from '../puller/rewind-items.ts'
import type { RewindGroup, RewindPreview } from './types.ts'

const NAMES_MAX = 20
/** Old versions are read for a preview up to this size in all. */
const VERIFIED_BYTES_MAX = 256 * 1_024 * 1_024

export interface PreviewDeps {
  readonly index: FolderIndex
  readonly sources: PastSources
  readonly moment: Moment
  readonly mode: RewindMode
  readonly beside: string
}

/** What a rewind would do now. Nothing is changed. */
export async function previewRewind(deps: PreviewDeps, slice: TimeSlice, signal: AbortSignal): Promise<RewindPreview> {
  const { beside, index, mode, moment } = deps
  const finder = new ContentFinder(deps.sources, mode, signal)
  const groups = { restorable: new Group(), gone: new Group(), kept: new Group(), removed: new Group() }
  const blocked = new Group()
  let replaced = 0
  for (const name of moment.names()) {
    const head = await index.records.head('local', name)
    if (slice.isDue) await slice.yield()
    if (head !== undefined && (head.localFlags & FLAG_IGNORED) !== 0) continue
    const step = rewindStep(moment.get(name)!, itemOf(head), mode) // one of its own names
    if (step.kind === 'keep') groups.kept.add(name, head?.sizeBytes)
    else if (step.kind === 'remove') groups.removed.add(name, head?.sizeBytes)
    else if (step.kind === 'blocked') blocked.add(name, step.past.sizeBytes)
    else if (step.kind === 'metadata') groups.restorable.add(name, 0)
    else if (step.kind === 'put') {
      const isFound = step.past.type !== 'file' || (await finder.isFound(name, step.past))
      groups[isFound ? 'restorable' : 'gone'].add(name, step.past.sizeBytes)
      if (isFound && step.replaces) replaced++
    }
  }
  return { ...groups, blocked, replaced, beside, isVerified: finder.isVerified }
}

class Group implements RewindGroup {
  items = 0
  bytes = 0
  readonly names: string[] = []

  add(name: string, sizeBytes = 0): void {
    this.items++
    this.bytes += sizeBytes
    if (this.names.length < NAMES_MAX) this.names.push(name)
  }
}

class ContentFinder {
  /** All versions that count as found were read. */
  isVerified = true
  readonly #sources: PastSources
  readonly #mode: RewindMode
  readonly #signal: AbortSignal
  #leftBytes = VERIFIED_BYTES_MAX

  constructor(sources: PastSources, mode: RewindMode, signal: AbortSignal) {
    this.#sources = sources
    this.#mode = mode
    this.#signal = signal
  }

  async isFound(name: string, past: PastItem): Promise<boolean> {
    for await (const source of this.#sources.of(name, past)) {
      if (source.kind === 'device' && this.#mode === 'beside') continue
      if (source.kind !== 'version') return true
      if (past.sizeBytes > this.#leftBytes) {
        this.isVerified = false
        return true
      }
      this.#leftBytes -= past.sizeBytes
      if (await this.#sources.isVerified(source.version, past, this.#signal)) return true
    }
    return false
  }
}
