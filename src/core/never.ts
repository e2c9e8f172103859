/** A signal that is never aborted, for calls that take one and that nothing ends. */
export const NEVER: AbortSignal = new AbortController().signal
