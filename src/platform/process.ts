/** What the process has used so far and holds now. Counters only grow. */
export interface ProcessFigures {
  readonly cpuS: number
  /** Of that, what the system did for us. */
  readonly cpuSystemS: number
  readonly residentBytes: number
  readonly heapUsedBytes: number
  readonly heapTotalBytes: number
  /** Buffers and the like, outside of the heap. */
  readonly externalBytes: number
  /** Undefined where the system does not tell. */
  readonly openFiles: number | undefined
  /** How long the main loop was at work, and how long it waited for some. */
  readonly loopBusyS: number
  readonly loopIdleS: number
}

/** How late the main loop was, over the time since somebody last asked. */
export interface LoopDelay {
  readonly meanS: number
  readonly medianS: number
  readonly p99S: number
  readonly maxS: number
}

/** One place in the program, reached by the frames above it. What it cost is its own, without what it called. */
export interface ProfileNode {
  readonly name: string
  readonly file: string
  readonly line: number
  /** Index of the caller; undefined for the outermost. Callers come before those they call. */
  readonly parent: number | undefined
  /** Samples and microseconds of a CPU profile; objects and bytes of a heap profile. */
  readonly count: number
  readonly amount: number
}

export interface Profile {
  readonly kind: 'cpu' | 'heap'
  readonly durationMs: number
  readonly nodes: readonly ProfileNode[]
}

/** The running process seen from inside, for people who look for the reason of something. */
export interface ProcessView {
  figures(): ProcessFigures
  /** Undefined at the first question: measuring costs wakeups, so it runs only while somebody keeps asking. */
  loopDelay(): LoopDelay | undefined
  /** Watches for that long. Rejects with `signal.reason` when that aborts, with `EBUSY` while another one runs. */
  profile(kind: Profile['kind'], durationMs: number, signal: AbortSignal): Promise<Profile>
}
