import { t } from '../words/words.ts'
import { formatDuration } from './format.ts'
import type { OverallStatus } from './overall-status.ts'

/** The sentence itself. */
export function overallStatusText({ key, values, leftS }: OverallStatus): string {
  const text = t(key, values)
  return leftS === undefined ? text : `${text} ${t('time.left', { time: formatDuration(leftS) })}`
}
