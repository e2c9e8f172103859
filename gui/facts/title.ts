import type { Tone } from './tone.ts'

/** Symbols that differ by shape, because a tab shows no colour. */
const MARKS: Readonly<Record<Tone, string>> = { good: '', busy: '↻', wait: '●', bad: '▲', off: '‖' }

/** The title of the browser tab: the status unless all is well, then the name of the device. */
export function titleOf(tone: Tone, status: string, device: string): string {
  const [sentence = ''] = status.split(/(?<=[.。])(?:\s|$)|[:：]/u)
  const state = tone === 'good' ? '' : `${MARKS[tone]} ${sentence.replace(/[.。]$/u, '')}`
  return [state, device, 'Twinfold'].filter((part) => part !== '').join(' – ')
}
