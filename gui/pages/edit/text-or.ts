import { isTextKey, t } from '../../words/words.ts'

/** The word of a key that is put together, or something else where the table has none. */
export function textOr(key: string, otherwise = ''): string {
  return isTextKey(key) ? t(key) : otherwise
}
