import { messageOf } from '../../core/errors.ts'

const NODE_MESSAGE = /^[A-Z0-9_]+: ([^,]+), [a-z]+/

/** What went wrong, without the call and the path that Node puts around it: `permission denied`. */
export function diskReason(error: unknown): string {
  const message = messageOf(error)
  return NODE_MESSAGE.exec(message)?.[1] ?? message
}
