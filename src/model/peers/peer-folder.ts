import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { detach, messageOf } from '../../core/errors.ts'
import type { DeviceId, FolderId, ShortId } from '../../core/ids.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Connection, DownloadUpdate, IndexData } from '../../protocol/types.ts'
import { slept } from '../../sync/slept.ts'
import {
  decryptIndex,
  encryptIndex,
  isEncryptedRecord,
  isKnownBlock,
  withoutEncrypted,
} from '../encryption/encrypted-index.ts'
import { outrankAll } from '../encryption/outrank.ts'
import { isIndexUnusable } from '../state/exchange-failure.ts'
import { isContinued, startOfSending, wentBack, type IndexPosition } from '../../core/records/index-position.ts'
import type { FolderVerdict } from './cluster-config.ts'
import { IndexReceiver } from './index-receiver.ts'
import { IndexSender } from './index-sender.ts'
import type { PeersDeps } from './peer-deps.ts'
import { Refusal } from './refusal.ts'
import { RemoteDownloads, type DownloadMemory } from './remote-downloads.ts'
import { NEVER } from '../../core/never.ts'

/**
 * Pulls wait this long for the rest of an announced index: one pass over all records is quicker than two. Of a very
 * large folder some is pulled while the rest is still being received.
 */
const INITIAL_INDEX_WAIT_MS = 500

const RESTART_INTERVAL_MS = 3_600_000

export interface PeerFolderDeps extends PeersDeps {
  readonly ownShortId: ShortId
  /** When the index of a folder was last restarted, by the monotonic clock. */
  readonly restartedMs: Map<FolderId, number>
}

export interface PeerFolderOptions {
  readonly device: DeviceId
  readonly folder: FolderId
  readonly verdict: Extract<FolderVerdict, { kind: 'exchange' }>
  /** The position sent over this connection before the exchange was interrupted. */
  readonly sentSequence: IndexPosition | undefined
  /** Shared by the folders of the device. */
  readonly downloadMemory: DownloadMemory
}

/** The index exchange of one folder with one device over one connection, in both directions. */
export class PeerFolder {
  readonly downloads: RemoteDownloads
  readonly #deps: PeerFolderDeps
  readonly #options: PeerFolderOptions
  readonly #receiver: IndexReceiver
  readonly #sender: IndexSender
  readonly #stop = new AbortController()
  readonly #sending: Promise<void>
  /** Set once a part of the announced index was received. */
  #initialWait: Promise<void> | undefined
  #awaitsInitialIndex = true
  #strangeReported = false

  private constructor(
    deps: PeerFolderDeps,
    options: PeerFolderOptions,
    parts: { receiver: IndexReceiver; sender: IndexSender; connection: Connection },
  ) {
    this.#deps = deps
    this.#options = options
    this.downloads = new RemoteDownloads(options.downloadMemory)
    this.#receiver = parts.receiver
    this.#sender = parts.sender
    this.#sending = this.#send(parts.connection)
  }

  static async start(deps: PeerFolderDeps, connection: Connection, options: PeerFolderOptions): Promise<PeerFolder> {
    const { clock, events, log } = deps
    const { device, folder, verdict, sentSequence } = options
    const index = await deps.store.folder(folder)
    const receiver = await IndexReceiver.begin(
      { clock, events, index, log },
      { device, folder, theirs: verdict.theirs },
    )
    if (sentSequence === undefined && (await restartIfWentBack(deps, index, options)))
      detach(connection.close('the index of a folder was restarted')) // it was announced with its old ID
    const own = await ownPosition(index)
    const start = startOfSending(own, sentSequence ?? verdict.knownToThem)
    const target = encryptingFor(deps, connection, options)
    const sender = new IndexSender(
      { clock, connection: target, device, index, log },
      { folder, indexId: own.indexId, start, isEncrypted: verdict.isEncrypted },
    )
    return new PeerFolder(deps, options, { receiver, sender, connection })
  }

  /** What the exchange encrypts with. */
  get cipher(): FolderCipher | undefined {
    return this.#options.verdict.cipher
  }

  /** The folder is stored encrypted here. */
  get isEncrypted(): boolean {
    return this.#options.verdict.isEncrypted
  }

  get position(): IndexPosition {
    return this.#sender.position
  }

  /** Our own index changed. */
  localIndexChanged(): void {
    this.#sender.changed()
  }

  async index(received: IndexData, whole: boolean): Promise<void> {
    const data = await this.#plain(received)
    this.downloads.discard(data.files.map(({ name }) => name))
    if (whole) await this.#receiver.index(data)
    else await this.#receiver.indexUpdate(data)
    if (this.cipher !== undefined) await outrankAll(this.#deps, this.#options, data.files)
  }

  async #plain(received: IndexData): Promise<IndexData> {
    const { folder, verdict } = this.#options
    if (verdict.isEncrypted) {
      if (received.files.every(isEncryptedRecord)) return received
      throw new Refusal(`${folder}: plain data for an encrypted folder`)
    }
    if (verdict.cipher === undefined) return withoutEncrypted(received)
    const index = await this.#deps.store.folder(folder)
    const data = await decryptIndex(
      {
        clock: this.#deps.clock,
        isBlock: (name, plain) => isKnownBlock(index, name, plain),
        onStrange: (name) => this.#warnOfStrange(name),
      },
      verdict.cipher,
      received,
    )
    if (data === undefined) throw new Refusal(`${folder}: a record that was not encrypted as one with the password`)
    return data
  }

  /** Logged once per exchange: a newer release has such records throughout. */
  #warnOfStrange(name: string): void {
    const { device, folder } = this.#options
    if (this.#strangeReported) return
    this.#strangeReported = true
    const text = `folder ${folder}: records of ${device} are not used, because they have unknown fields: `
    this.#deps.log.warn(
      `${text}${JSON.stringify(name)}, and maybe others. Connect directly to a device that can read it`,
    )
  }

  /** Requests a pull, or waits for the rest of the initial index. */
  schedulePull(): void {
    const { folder, verdict } = this.#options
    if (this.#awaitsInitialIndex && this.#receiver.receivedSequence < verdict.theirs.sequence) {
      this.#initialWait ??= this.#waitForInitialIndex()
      return
    }
    this.#awaitsInitialIndex = false
    this.#deps.signals.pullWanted.emit(folder)
  }

  get acceptsDownloadProgress(): boolean {
    return this.#options.verdict.tempIndexes
  }

  downloadProgress(updates: readonly DownloadUpdate[]): void {
    const { device, folder } = this.#options
    if (!this.acceptsDownloadProgress) return
    this.downloads.update(updates)
    this.#deps.events.emit('RemoteDownloadProgress', { device, folder, state: this.downloads.counts() })
  }

  /** Resolves when nothing is being sent any more. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.downloads.clear()
    await Promise.all([this.#sending, this.#initialWait])
  }

  async #waitForInitialIndex(): Promise<void> {
    const isOver = await slept(this.#deps.clock, INITIAL_INDEX_WAIT_MS, this.#stop.signal)
    if (!isOver || !this.#awaitsInitialIndex) return
    this.#awaitsInitialIndex = false
    this.#deps.signals.pullWanted.emit(this.#options.folder)
  }

  async #send(connection: Connection): Promise<void> {
    const { device, folder } = this.#options
    try {
      await this.#sender.run(this.#stop.signal)
    } catch (error) {
      if (connection.closed.aborted) return // the reason is reported elsewhere
      this.#deps.log.warn(`folder ${folder}: sending the index to ${device} failed: ${messageOf(error)}`)
      if (isIndexUnusable(error)) return this.#deps.signals.exchangeFailed.emit({ folder, error })
      // A partial index would look like a complete one: the device requests it again over a new connection.
      detach(connection.close('internal error'))
    }
  }
}

/** Where the index is sent to: encrypted on the way if the device must not read it. */
function encryptingFor(
  deps: PeerFolderDeps,
  connection: Connection,
  options: PeerFolderOptions,
): Pick<Connection, 'index' | 'indexUpdate'> {
  const { cipher } = options.verdict
  if (cipher === undefined) return connection
  const send = (how: 'index' | 'indexUpdate') => async (data: IndexData) => {
    await connection[how](await encryptIndex(deps, cipher, data))
    await outrankAll(deps, options, data.files)
  }
  return { index: send('index'), indexUpdate: send('indexUpdate') }
}

/**
 * After a restored backup or snapshot the device has records of ours that we no longer know. Ours are sent again in
 * full, under a new index ID; what was made since counts under a new ID as well, and is concurrent with what was lost.
 */
async function restartIfWentBack(
  { clock, ownShortId, restartedMs, roots, signals, log }: PeerFolderDeps,
  index: FolderIndex,
  { device, folder, verdict: { knownToThem } }: PeerFolderOptions,
): Promise<boolean> {
  const sentSequence = await index.exchange.sentSequence(device)
  const own = await ownPosition(index)
  roots.continuity(folder).note(device, isContinued(own, sentSequence, knownToThem))
  if (!wentBack(own, sentSequence, knownToThem)) return false
  // Restores are rare, and a device must not cause endless restarts.
  const nowMs = clock.monotonicMs()
  if (nowMs - (restartedMs.get(folder) ?? Number.NEGATIVE_INFINITY) < RESTART_INTERVAL_MS) return false
  restartedMs.set(folder, nowMs)
  const afterSequence = Math.min(sentSequence ?? own.sequence, own.sequence)
  using _lock = await roots.lock(folder).exclusive(NEVER)
  await index.exchange.restart({ afterSequence, ownShortId, temporaryId: roots.continuity(folder).temporaryId })
  log.warn(
    `folder ${folder}: ${device} has ${knownToThem.sequence} changes of this index, which sent it ${afterSequence}: ` +
      'it was restored from an earlier state, and is sent again in full',
  )
  signals.indexRestarted.emit(folder)
  return true
}

async function ownPosition(index: FolderIndex): Promise<IndexPosition> {
  return { indexId: await index.exchange.indexId(), sequence: await index.exchange.sequence('local') }
}
