import type { FolderId } from '../core/ids.ts'
import type { FileInfo } from '../core/records/file-info.ts'

/**
 * A typed notification from one part of the model to another. It is made before both, so that neither needs the other.
 * Listeners only set marks or enqueue work.
 */
export class Signal<T> {
  readonly #listeners: ((value: T) => void)[] = []

  /** Calls the listener for every later value, in the order of registration. */
  listen(listener: (value: T) => void): void {
    this.#listeners.push(listener)
  }

  emit(value: T): void {
    for (const listener of this.#listeners) listener(value)
  }
}

/** A file on disk that differs from its record in our index. */
export interface DifferingItem {
  readonly folder: FolderId
  readonly record: FileInfo
  /** Size and time do not show the difference. */
  readonly contentOnly: boolean
}

/** A folder whose index or token could not be read or written, with the error. */
export interface ExchangeFailure {
  readonly folder: FolderId
  readonly error: unknown
}

/** The signals between folders, peers and queries. */
export class ModelSignals {
  /** Records of our own were stored in the index of a folder. */
  readonly localIndexChanged = new Signal<FolderId>()
  /** A connected device may have items that the folder needs. */
  readonly pullWanted = new Signal<FolderId>()
  /** The index of a folder was lost, with the records of other devices, and is empty now. */
  readonly indexLost = new Signal<FolderId>()
  /** The exchange with a device could not use the index or the token of a folder. */
  readonly exchangeFailed = new Signal<ExchangeFailure>()
  /** A folder can no longer be exchanged with other devices because of its index or token, or can again. */
  readonly usabilityChanged = new Signal<FolderId>()
  /** The index of a folder has a new ID: only new connections announce it. */
  readonly indexRestarted = new Signal<FolderId>()
  /** The counts of a folder changed. */
  readonly countsChanged = new Signal<FolderId>()
  readonly summaryPublished = new Signal<FolderId>()
  readonly pullStarted = new Signal<FolderId>()
  readonly itemDiffers = new Signal<DifferingItem>()
}
