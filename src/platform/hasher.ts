/** Plain data both ways, so that a job can be posted to a thread. */
export interface HashJob {
  readonly path: string
  /** As found by the walk. A file with another size or time before or after hashing counts as changed. */
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly blockSizeBytes: number
  /** As found by the walk. Undefined: the hasher stats the file before reading as well as after. */
  readonly changeStamp?: number | undefined
}

export type HashResult =
  /** `blocksHash` is the SHA-256 over `blockHashes`. Both may be views into a larger buffer. */
  | { readonly kind: 'hashed'; readonly blockHashes: Uint8Array; readonly blocksHash: Uint8Array }
  | { readonly kind: 'changed' }
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string }

export interface HashOptions {
  /** Limit of concurrent tasks of this call. */
  readonly tasksMax?: number
}

/** platform/node spreads jobs over threads; platform/sim runs them inline, in order. */
export interface Hasher {
  /** One result per job, in order. `onBytes` reports progress. Small jobs should be batched. */
  hash(
    jobs: readonly HashJob[],
    onBytes: (count: number) => void,
    signal: AbortSignal,
    options?: HashOptions,
  ): Promise<readonly HashResult[]>
}
