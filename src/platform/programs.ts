export interface ProgramRun {
  readonly program: string
  /** As they are: no shell looks at them. */
  readonly words: readonly string[]
  /** Added to our own environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Left out of it: what concerns nobody but us. */
  readonly hidden: readonly string[]
  readonly timeLimitMs: number
}

/** How a program ended. What it wrote is cut after a few thousand characters. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly output: string }
  | { readonly kind: 'killed'; readonly reason: string; readonly output: string }
  | { readonly kind: 'not-started'; readonly reason: string }

/** Other programs of the machine. */
export interface Programs {
  /** Resolves when it has ended, by itself or because its time was up or the signal aborted. Never rejects. */
  run(run: ProgramRun, signal: AbortSignal): Promise<ProgramEnd>
}
