/** Plain data both ways, so that the same job can cross to a thread or stay here. */
export interface HashJob {
  readonly path: string
  /** As the walk saw the file. A file that has another size or time before or after hashing counts as changed. */
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly blockSizeBytes: number
  /** As the walk saw it. Undefined: the hasher looks at the file before reading it as well as after. */
  readonly changeStamp?: number | undefined
}

export type HashResult =
  /** `blocksHash` is the SHA-256 over `blockHashes`. Both may be views into a larger buffer. */
  | { readonly kind: 'hashed'; readonly blockHashes: Uint8Array; readonly blocksHash: Uint8Array }
  | { readonly kind: 'changed' }
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string }

export interface HashOptions {
  /** How much of this call may be under way at the same time. */
  readonly tasksMax?: number
}

/** platform/node spreads jobs over threads; platform/sim runs them inline, in order. */
export interface Hasher {
  /** One result per job, in order. `onBytes` reports progress as it is made. Small jobs should come many at a time. */
  hash(
    jobs: readonly HashJob[],
    onBytes: (count: number) => void,
    signal: AbortSignal,
    options?: HashOptions,
  ): Promise<readonly HashResult[]>
}
