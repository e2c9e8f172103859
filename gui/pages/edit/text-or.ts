import { isTextKey, t } from '../../words/words.ts'

/** The text of a computed key, or a fallback where the tables have none. */
export function textOr(key: string, otherwise = ''): string {
  return isTextKey(key) ? t(key) : otherwise
}
