import { systemCode } from './errors.ts'

/** What is known of an unhandled failure. */
export interface Unhandled {
  readonly kind: 'rejection' | 'exception'
  readonly error: unknown
}

/**
 * Whether the process can no longer rely on its own state after an unhandled failure (decision 022). A
 * rejection ends the work of one function at an `await`, as if its caller had logged it: it loses nothing, unless it is
 * a failed assertion. An exception interrupts a callback of the runtime between any two lines: it does, unless it is an
 * error of the system, which an object without a listener for errors reports before any of our lines ran.
 */
export function losesInvariant({ kind, error }: Unhandled): boolean {
  const code = systemCode(error) ?? ''
  if (code === 'ERR_ASSERTION' || code === 'ERR_INTERNAL_ASSERTION') return true
  return kind === 'exception' && !(isSystemError(error) && /^E[A-Z\d]+$/.test(code))
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

/** The first line of our own in a stack, or the first of any: failures of one place are reported together. */
export function placeOf(error: unknown): string {
  const frames = (error instanceof Error ? (error.stack ?? '') : '').split('\n').filter((line) => /^\s+at /.test(line))
  const own = frames.find((line) => !/node:|node_modules/.test(line)) ?? frames[0]
  return own?.trim().slice('at '.length) ?? 'an unknown place'
}
