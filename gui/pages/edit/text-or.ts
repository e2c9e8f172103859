import { isTextKey, t } from '../../i18n/texts.ts'

/** The text of a computed key, or a fallback where the tables have none. */
export function textOr(key: string, otherwise = ''): string {
  return isTextKey(key) ? t(key) : otherwise
}
