import { t } from '../i18n/texts.ts'
import { errorKey, withoutCodes } from './error-key.ts'

/** An error for the user: translated where it is known, never with a code of the system. */
export function errorText(message: string): string {
  const key = errorKey(message)
  return key === undefined ? withoutCodes(message) : t(key)
}
