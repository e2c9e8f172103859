import { messageOf, systemCode } from '../../core/errors.ts'

const NODE_MESSAGE = /^[A-Z0-9_]+: ([^,]+), [a-z]+/

/** The reason of an error without call and path: `permission denied`. */
export function diskReason(error: unknown): string {
  const message = messageOf(error)
  // Node gives only texts for the reason.
  return NODE_MESSAGE.exec(message)?.[1] ?? message
}

/** Windows does not change an item that another program has open: what to do then. */
const REMEDIES: Readonly<Record<string, string>> = {
  EBUSY: ': another program has it open; close it there, and it is tried again',
  EACCES: '; if another program has it open, close it there: it is tried again',
  EPERM: '; if another program has it open, close it there: it is tried again',
}

/** The reason why an item was not changed, with a remedy where the system is one that needs it. */
export function itemReason(error: unknown, platform: string): string {
  const cause = error instanceof Error && error.cause !== undefined ? systemCode(error.cause) : undefined
  return withRemedy(
    diskReason(error),
    REMEDIES[systemCode(error) ?? ''] === undefined ? cause : systemCode(error),
    platform,
  )
}

export function withRemedy(reason: string, code: string | undefined, platform: string): string {
  return platform === 'win32' ? `${reason}${REMEDIES[code ?? ''] ?? ''}` : reason
}
