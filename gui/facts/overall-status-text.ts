import { t } from '../words/words.ts'
import { formatDuration } from './format.ts'
import type { OverallStatus } from './overall-status.ts'

/** The line itself. */
export function overallStatusText({ parts, leftS }: OverallStatus): string {
  const texts = parts.map(({ key, values }) => t(key, values))
  const left = leftS === undefined ? [] : [t('time.left', { time: formatDuration(leftS) })]
  return [...texts, ...left].join(' · ')
}
