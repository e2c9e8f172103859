/** Credentials of our API, which other programs do not get. */
export const PRIVATE_VARIABLES: readonly string[] = ['STGUIAUTH', 'STGUIAPIKEY', 'STGUIPASSWORD']

export interface ProgramRun {
  readonly program: string
  /** Passed without a shell. */
  readonly args: readonly string[]
  /** Added to our own environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Removed from it: private variables. */
  readonly hidden: readonly string[]
  readonly timeLimitMs: number
}

/** How a program ended. Its output is truncated after a few thousand characters. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly output: string }
  | { readonly kind: 'killed'; readonly reason: string; readonly output: string }
  | { readonly kind: 'not-started'; readonly reason: string }

/** Runs other programs of the machine. */
export interface Programs {
  /** Resolves when it has ended, by itself, by timeout or by the signal. Never rejects. */
  run(run: ProgramRun, signal: AbortSignal): Promise<ProgramEnd>
}
