export interface UnstableFile {
  readonly file: string
  /** What makes it fail by chance, as far as known. */
  readonly cause: string
  /** The day on which it was listed. */
  readonly since: string
}

/**
 * Test files that may fail once and pass in the second run (decision 019). An entry lets others go on while the cause
 * is looked for; `npm run nightly` and a release need an empty list.
 */
export const UNSTABLE_FILES: readonly UnstableFile[] = []
