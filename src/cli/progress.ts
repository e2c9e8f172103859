import { fitText, formatBytes, formatDuration, padText, textWidth } from './text.ts'

export interface Progress {
  readonly currentBytes: number
  readonly totalBytes: number
  /** Whether the total is final; without it neither a share nor a time left is shown. */
  readonly counted: boolean
  readonly bytesPerSecond: number
}

const BAR_WIDTH_MAX = 40
const BAR_WIDTH_MIN = 10

/** One line of at most `width` columns: name, bar, percent, amounts, rate, time left. A narrow one has no bar. */
export function progressLine(name: string, progress: Progress, width: number): string {
  const facts = progressText(progress)
  const label = fitText(name, Math.max(8, Math.floor(width / 4)))
  const room = width - textWidth(label) - textWidth(facts) - 6
  if (room < BAR_WIDTH_MIN || !progress.counted) return fitText(`${label}  ${facts}`, width)
  const barWidth = Math.min(BAR_WIDTH_MAX, room)
  const full = Math.floor(shareOf(progress) * barWidth)
  return `${label}  [${padText('#'.repeat(full), barWidth)}]  ${facts}`
}

/** Percent, amounts, rate and time left, if it is a second or more; without a bar. */
export function progressText(progress: Progress): string {
  const rate = progress.bytesPerSecond >= 1 ? `, ${formatBytes(progress.bytesPerSecond)}/s` : ''
  if (!progress.counted) return `${formatBytes(progress.currentBytes)} hashed${rate}, counting`
  const amounts = `${formatBytes(progress.currentBytes)} of ${formatBytes(progress.totalBytes)}`
  if (shareOf(progress) === 1) return `100 %  ${amounts}, finishing`
  const left = secondsLeft(progress)
  const percent = String(Math.floor(shareOf(progress) * 100)).padStart(3)
  return `${percent} %  ${amounts}${rate}${left === undefined ? '' : `, ${formatDuration(left)} left`}`
}

/** From 0 to 1. An empty folder is complete; a total that grows late is capped at 1. */
export function shareOf(progress: Progress): number {
  if (progress.totalBytes <= 0) return 1
  return Math.min(1, Math.max(0, progress.currentBytes / progress.totalBytes))
}

function secondsLeft(progress: Progress): number | undefined {
  const remaining = progress.totalBytes - progress.currentBytes
  const seconds = progress.bytesPerSecond >= 1 ? remaining / progress.bytesPerSecond : 0
  return seconds >= 1 ? seconds : undefined
}
