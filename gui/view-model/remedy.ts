import type { TextKey } from '../i18n/texts.ts'
import { causeOf, diskCauseOf } from '../../src/core/remedies/cause.ts'

/** Warnings of the device. The order matters: the system reports an exceeded watch limit as a full disk. */
const WITH_DEVICE: readonly (readonly [RegExp, TextKey])[] = [
  [/not watched|inotify|max_user_watches/i, 'notice.watch'],
  [/address already in use|EADDRINUSE/i, 'notice.port'],
  [/wrong credentials/i, 'notice.credentials'],
  [/untrusted device/i, 'notice.untrusted'],
  [/changed by another program|kept copy/i, 'notice.configCopy'],
]

/** The remedy for the error of an item or a folder. */
export function remedyFor(error: string): TextKey {
  return `remedy.${causeOf(error)}`
}

/** The remedy for a warning; undefined where the message is sufficient. */
export function warningRemedy(message: string): TextKey | undefined {
  const cause = diskCauseOf(message)
  return WITH_DEVICE.find(([pattern]) => pattern.test(message))?.[1] ?? (cause && `remedy.${cause}`)
}
