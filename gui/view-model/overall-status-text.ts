import { t } from '../i18n/texts.ts'
import { formatDuration } from '../i18n/format.ts'
import type { OverallStatus } from './overall-status.ts'

/** The line itself. */
export function overallStatusText(status: OverallStatus): string {
  return overallStatusTexts(status).join(' · ')
}

/** Its parts, the most severe first. */
export function overallStatusTexts({ parts, leftS }: OverallStatus): readonly string[] {
  const texts = parts.map(({ key, values }) => t(key, values))
  return leftS === undefined ? texts : [...texts, t('time.left', { time: formatDuration(leftS) })]
}
