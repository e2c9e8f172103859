/** Resource usage of the process. Counters only grow. */
export interface ProcessFigures {
  readonly cpuS: number
  /** Of that, time in the kernel. */
  readonly cpuSystemS: number
  readonly residentBytes: number
  readonly heapUsedBytes: number
  readonly heapTotalBytes: number
  /** Buffers and the like, outside of the heap. */
  readonly externalBytes: number
  /** Undefined where the system does not provide it. */
  readonly openFiles: number | undefined
  /** Busy and idle time of the event loop, and how often it went round. A histogram of its delay would need a timer. */
  readonly loopBusyS: number
  readonly loopIdleS: number
  readonly loopCount: number
  /** Unhandled failures. */
  readonly unhandledRejections: number
  readonly unhandledExceptions: number
}

/** An unhandled failure: of a promise, or thrown out of a callback of the runtime. */
export interface UnhandledFailure {
  readonly kind: 'rejection' | 'exception'
  readonly error: unknown
}

/** One call frame with its callers. Its cost excludes callees. */
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

/** Diagnostics of the running process. */
export interface ProcessView {
  /**
   * While it is in use, an unhandled failure does not end the process; each is counted and given to the
   * listener. Where that returns `end`, the process ends at the latest after some seconds.
   */
  onUnhandled(listener: (failure: UnhandledFailure) => 'end' | 'go-on'): Disposable
  figures(): ProcessFigures
  /** Samples for that long. Rejects with `signal.reason` when that aborts, with `EBUSY` while another one runs. */
  profile(kind: Profile['kind'], durationMs: number, signal: AbortSignal): Promise<Profile>
}
