import { UNSAFE } from '../core/formats/escape-output.ts'

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text from a disk or another device, made safe for a terminal: unprintable characters become escapes. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0)!
    return (
      SHORT[character] ??
      (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`)
    )
  })
}

const WIDE_RANGES = [
  '\\u{1100}-\\u{115F}\\u{A960}-\\u{A97F}\\u{AC00}-\\u{D7A3}', // Hangul
  '\\u{2E80}-\\u{303E}\\u{3041}-\\u{33FF}\\u{3400}-\\u{4DBF}\\u{4E00}-\\u{9FFF}', // CJK
  '\\u{F900}-\\u{FAFF}\\u{FE30}-\\u{FE6F}\\u{20000}-\\u{3FFFD}', // CJK, less common
  '\\u{A000}-\\u{A4CF}', // Yi
  '\\u{FF00}-\\u{FF60}\\u{FFE0}-\\u{FFE6}', // full-width forms
].join('')
const WIDE = new RegExp(`[${WIDE_RANGES}]|\\p{Emoji_Presentation}|\\u{FE0F}`, 'u')
const PLAIN = /^[\x20-\x7E]*$/

/** Columns of a text on a terminal: two for full-width characters, none for combining marks. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    width += WIDE.test(segment) ? 2 : /^\p{M}+$/u.test(segment) ? 0 : 1
  }
  return width
}

/** At most `width` columns; an ellipsis replaces what is cut off, at the end or at the start. */
export function fitText(text: string, width: number, cut: 'start' | 'end' = 'end'): string {
  if (textWidth(text) <= width) return text
  if (width < 1) return ''
  const segments = Array.from(
    new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text),
    (part) => part.segment,
  )
  if (cut === 'start') segments.reverse()
  const kept: string[] = []
  let room = width - 1
  for (const segment of segments) {
    room -= textWidth(segment)
    if (room < 0) break
    kept.push(segment)
  }
  return cut === 'start' ? `…${kept.reverse().join('')}` : `${kept.join('')}…`
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** Three significant digits at most: `999 B`, `1.50 KiB`, `12.3 GiB`. */
export function formatBytes(sizeBytes: number): string {
  let value = sizeBytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toFixed(digits)} ${UNITS[unit]}`
}

/** The two largest units: `2 d 3 h`, `4 min 10 s`, `0.4 s`. */
export function formatDuration(durationS: number): string {
  if (durationS < 10) return `${durationS.toFixed(1)} s`
  const seconds = Math.round(durationS)
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** `1 file`, `2 files`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`
}
