import { setFlagsFromString } from 'node:v8'

/** V8 counts 400 and 3,000 calls. */
const CALLS_BEFORE_MAGLEV = 1_500
const CALLS_BEFORE_TURBOFAN = 30_000

/**
 * Has V8 wait longer before it optimizes a function, for good. Its own measure suits programs that do one thing in one
 * thread; here every thread compiles for itself, and most of what a transfer calls it has called often enough only when
 * it is over. With 10,000 small files V8's own threads took a quarter of the time of both ends and now take a seventh,
 * all together took a tenth less; scans do not notice.
 */
export function optimizeLater(): void {
  setFlagsFromString(`--invocation-count-for-maglev=${CALLS_BEFORE_MAGLEV}`)
  setFlagsFromString(`--invocation-count-for-turbofan=${CALLS_BEFORE_TURBOFAN}`)
}
