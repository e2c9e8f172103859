import { NEVER } from '../../core/never.ts'
import { detach } from '../../core/errors.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { BlockReply, Contents } from '../content/contents.ts'
import type { PullProgress } from '../state/file-progress.ts'
import type { Sources } from '../state/sources.ts'
import type { Items, NewContent } from './items.ts'
import type { PullParts } from './pull-parts.ts'
import type { SpaceCheck } from './space.ts'

/** While one waits for the disk, what arrives gathers for the next. */
const PUTS_AT_ONCE = 2
/** Limit of files in a row that cannot be put: each costs a block. */
const FAILURES_MAX = 8
/** Until the first one is put: what arrives is in vain where none can be. */
const TRIED_MAX = 24

export type NewFileResult =
  | 'put'
  /** It must be pulled as any other file: it was not received. */
  | 'not-received'
  /** The same: it could not be put from memory. */
  | 'not-put'
  /** The pull is over. */
  | 'failed'

export interface NewFilesDeps extends Pick<PullParts, 'clock' | 'folder' | 'index' | 'records'> {
  readonly sources: Sources
  readonly contents: Contents
  readonly space: SpaceCheck
  readonly items: Items
  /** A file is requested. */
  onBegun(name: string, progress: PullProgress): void
  /** Its content has arrived: another one may be requested. */
  onArrived(): void
  onEnded(name: string, result: NewFileResult): void
  onFatal(error: unknown): void
}

interface BegunFile {
  readonly global: FileInfo
  readonly state: object | undefined
  readonly hash: Uint8Array
  readonly room: Disposable
  onPut(): void
}

interface ArrivedFile extends NewContent {
  readonly begun: BegunFile
  release(): void
}

/**
 * Pulls new files of one block, the commonest ones, many at a time: those that have arrived are put together, under one
 * lock, by one order to the disk. Where one is unusual, or would have to wait for something, it is left and nothing has
 * happened: the usual way is slower, and handles it.
 */
export class NewFiles {
  readonly #deps: NewFilesDeps
  readonly #signal: AbortSignal
  #arrived: ArrivedFile[] = []
  /** Requested, or on their way to the disk. */
  #open = 0
  #puts = 0
  #isScheduled = false
  #failures = 0
  #hasPut = false
  #onEnd: (() => void) | undefined

  constructor(deps: NewFilesDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
  }

  /** Whether others should wait until one of the first is put. */
  get isTrying(): boolean {
    return !this.#hasPut && this.#failures < FAILURES_MAX && this.#open >= TRIED_MAX
  }

  /** Requests the content of a file; false where the file is left. */
  begin(name: string): boolean {
    if (this.#failures >= FAILURES_MAX || this.#signal.aborted) return false
    const { contents, folder, index, items, sources, space } = this.#deps
    const state = index.records.localState
    const { local, global, holders = [] } = index.records.bothNow(name) ?? {}
    if (global === undefined || local !== undefined) return false
    const block = contents.onlyBlockOf(global)
    if (block === undefined || !items.isNewFile(global)) return false
    const device = sources.onlySource(folder.id, global, holders)
    if (device === undefined || !space.takesNow(global.sizeBytes)) return false
    const requested = contents.requestNow(name, block, device, this.#signal)
    if (requested === undefined) return false
    const progress = contents.progressOf(global, [block])
    progress.requested()
    this.#open++
    this.#deps.onBegun(name, progress)
    items.began(global, 'update')
    const { reply, room } = requested
    const begun = { global, state, hash: block.hash, room, onPut: () => progress.fetched(block) }
    reply.then(
      (received) => this.#receive(begun, received),
      (error: unknown) => this.#abort(begun, error),
    )
    return true
  }

  /** Resolves when every file that was begun has ended. */
  async ended(): Promise<void> {
    if (this.#open + this.#puts === 0) return
    await new Promise<void>((resolve) => (this.#onEnd = resolve))
  }

  #receive(begun: BegunFile, reply: BlockReply): void {
    this.#deps.onArrived()
    const { global, hash, state } = begun
    if (reply.kind !== 'received') return this.#end(begun, 'not-received')
    const { data, release } = reply
    this.#arrived.push({ begun, global, state, hash, data, release })
    if (this.#isScheduled || this.#puts >= PUTS_AT_ONCE) return
    this.#isScheduled = true
    this.#puts++
    detach(this.#putAll())
  }

  #abort(begun: BegunFile, error: unknown): void {
    this.#deps.onArrived()
    this.#deps.items.failed(begun.global, 'update', error)
    this.#end(begun, 'failed')
  }

  /** Puts what has arrived, and what arrives meanwhile. Never rejects. */
  async #putAll(): Promise<void> {
    if (this.#open > this.#arrived.length) await this.#deps.clock.sleep(0, NEVER) // several arrive in one turn
    this.#isScheduled = false
    while (this.#arrived.length > 0) {
      const files = this.#arrived
      this.#arrived = []
      await this.#put(files)
    }
    this.#puts--
    this.#checkEnd()
  }

  async #put(files: readonly ArrivedFile[]): Promise<void> {
    let isPut: readonly boolean[] = []
    let isOver = false
    try {
      isPut = await this.#deps.items.putNew(files)
    } catch (error) {
      isOver = true
      for (const { global } of files) this.#deps.items.failed(global, 'update', error)
      this.#deps.onFatal(error)
    }
    files.forEach(({ begun, release }, at) => {
      release()
      if (isPut[at] === true) begun.onPut()
      this.#hasPut ||= isPut[at] === true
      this.#failures = isPut[at] === true ? 0 : this.#failures + 1
      this.#end(begun, isPut[at] === true ? 'put' : isOver ? 'failed' : 'not-put')
    })
    try {
      await this.#deps.records.flushIfDue()
    } catch (error) {
      this.#deps.onFatal(error)
    }
  }

  #end({ global, room }: BegunFile, result: NewFileResult): void {
    room[Symbol.dispose]()
    this.#open--
    if (result === 'put') this.#deps.items.ended(global, 'update')
    this.#deps.onEnded(global.name, result)
    this.#checkEnd()
  }

  #checkEnd(): void {
    if (this.#open + this.#puts === 0) this.#onEnd?.()
  }
}
