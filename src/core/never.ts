/** A signal that is never aborted, for calls that take one and that nothing ends. */
export const NEVER: AbortSignal = new AbortController().signal

/** The reason of an abort after the work, when no caller waits any more. One for all: each would have a stack. */
export const WORK_ENDED = new Error('the work has ended')
