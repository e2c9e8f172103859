import type { Tone } from '../base/tone.ts'

/** Symbols that differ by shape, because a tab shows no colour. */
const MARKS: Readonly<Record<Tone, string>> = {
  good: '',
  busy: '↻',
  wait: '●',
  bad: '▲',
  off: '‖',
  paused: '‖',
  away: '○',
}

/** The title of the browser tab: the count of what needs attention, the status unless all is well, the device. */
export function titleOf(tone: Tone, status: string, device: string, attention: number): string {
  const [first = ''] = status.split(' · ')
  const [sentence = ''] = first.split(/(?<=[.。])(?:\s|$)|[:：]/u)
  const state = tone === 'good' ? '' : `${MARKS[tone]} ${sentence.replace(/[.。]$/u, '')}`
  const count = attention === 0 ? '' : `(${attention}) `
  return count + [state, device, 'Twinfold'].filter((part) => part !== '').join(' – ')
}
