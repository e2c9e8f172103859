import { t } from '../words/words.ts'
import { formatDuration } from './format.ts'
import type { Truth } from './overall-status.ts'

/** The sentence itself. */
export function truthText({ key, values, leftS }: Truth): string {
  const text = t(key, values)
  return leftS === undefined ? text : `${text} ${t('time.left', { time: formatDuration(leftS) })}`
}
