import type { FolderId } from '../../core/ids.ts'
import type { EventSink, FileProgress } from '../../events/types.ts'
import type { DownloadUpdate } from '../../protocol/types.ts'
import type { Service } from '../../sync/supervisor.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PullProgress } from '../state/file-progress.ts'

/** A folder whose files may be in the process of being pulled. */
export interface PullingFolder {
  readonly id: FolderId
  /** Blocks of unfinished files are announced to other devices. */
  readonly shared: boolean
  /** True also while a pull plans or waits, when no file is in progress. */
  readonly isPulling: boolean
  readonly pulling: ReadonlyMap<string, PullProgress>
}

/**
 * Announcements to other devices come at least this often, whatever the interval of events is: with the usual 5 s,
 * devices behind one line of 100 Mbit/s would have fetched 60 MB before they know of each other's blocks.
 */
const ANNOUNCED_MS_MAX = 500

interface AnnouncedFile {
  readonly progress: PullProgress
  readonly blocks: Set<number>
}

export interface DownloadPublisherDeps {
  readonly clock: Clock
  readonly events: EventSink
  folders(): readonly PullingFolder[]
  /** 0 or less: nothing is published. */
  intervalMs(): number
  /** Files of no more blocks than this are not announced. */
  blocksMin(): number
  broadcast(folder: FolderId, updates: readonly DownloadUpdate[]): Promise<void>
}

/** Publishes download progress: as events, and to other devices so that they can fetch finished blocks from here. */
export class DownloadPublisher implements Service {
  readonly name = 'model/downloads'
  readonly #deps: DownloadPublisherDeps
  readonly #wakeup = new Wakeup()
  #lastEvent = '{}'
  #eventDueMs = 0
  /** What was announced to other devices, by folder and file. */
  readonly #announced = new Map<FolderId, Map<string, AnnouncedFile>>()

  constructor(deps: DownloadPublisherDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const intervalMs = this.#deps.intervalMs()
      // An idle device has no timer here.
      if (intervalMs <= 0 || !this.#isActive()) {
        await this.#wakeup.wait(signal)
        this.#eventDueMs = this.#deps.clock.monotonicMs() + this.#deps.intervalMs()
        continue
      }
      await this.#deps.clock.sleep(Math.min(intervalMs, ANNOUNCED_MS_MAX), signal)
      await this.#publish(intervalMs)
    }
  }

  /** To be called when a pull starts or the interval changes. */
  wake(): void {
    this.#wakeup.ring()
  }

  /** The end of the last pull is still to be published when no pull runs any more. */
  #isActive(): boolean {
    if (this.#lastEvent !== '{}') return true
    return this.#deps.folders().some(({ id, isPulling }) => isPulling || (this.#announced.get(id)?.size ?? 0) > 0)
  }

  async #publish(intervalMs: number): Promise<void> {
    const folders = this.#deps.folders()
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs >= this.#eventDueMs) {
      this.#emit(folders)
      this.#eventDueMs = nowMs + intervalMs
    }
    for (const folder of folders) {
      const updates = this.#updatesFor(folder)
      if (updates.length > 0) await this.#deps.broadcast(folder.id, updates)
    }
  }

  /** Only on change; the last event reports that nothing is in progress any more. */
  #emit(folders: readonly PullingFolder[]): void {
    const data: Record<string, Record<string, FileProgress>> = Object.create(null)
    for (const { id, pulling } of folders) {
      if (pulling.size === 0) continue
      const files: Record<string, FileProgress> = Object.create(null)
      for (const [name, progress] of pulling) files[name] = progress.view()
      data[id] = files
    }
    const text = JSON.stringify(data)
    if (text === this.#lastEvent) return
    this.#lastEvent = text
    this.#deps.events.emit('DownloadProgress', data)
  }

  #updatesFor({ id, pulling, shared }: PullingFolder): readonly DownloadUpdate[] {
    const announced = this.#announced.get(id) ?? new Map<string, AnnouncedFile>()
    this.#announced.set(id, announced)
    const updates: DownloadUpdate[] = []
    for (const [name, { progress }] of announced) {
      if (shared && pulling.get(name) === progress) continue
      announced.delete(name)
      updates.push(updateOf('forget', progress, []))
    }
    if (!shared) return updates
    for (const [name, progress] of pulling) {
      if (progress.blockCount <= this.#deps.blocksMin()) continue
      const known = announced.get(name) ?? { progress, blocks: new Set<number>() }
      announced.set(name, known)
      const added = [...progress.present].filter((block) => !known.blocks.has(block))
      if (added.length === 0) continue
      for (const block of added) known.blocks.add(block)
      updates.push(updateOf('append', progress, added))
    }
    return updates
  }
}

function updateOf(
  kind: DownloadUpdate['kind'],
  { file }: PullProgress,
  blockIndexes: readonly number[],
): DownloadUpdate {
  return { kind, name: file.name, version: file.version, blockIndexes, blockSizeBytes: file.blockSizeBytes }
}
