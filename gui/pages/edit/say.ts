import { isWord, t } from '../../words/words.ts'

/** The word of a key that is put together, or something else where the table has none. */
export function say(key: string, otherwise = ''): string {
  return isWord(key) ? t(key) : otherwise
}
