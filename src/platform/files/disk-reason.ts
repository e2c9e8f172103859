import { messageOf } from '../../core/errors.ts'

const NODE_MESSAGE = /^[A-Z0-9_]+: ([^,]+), [a-z]+/

/** The reason of an error without call and path: `permission denied`. */
export function diskReason(error: unknown): string {
  const message = messageOf(error)
  // Node gives only texts for the reason.
  return NODE_MESSAGE.exec(message)?.[1] ?? message
}
