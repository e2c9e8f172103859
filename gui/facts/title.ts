import type { Tone } from './tone.ts'

/** Told by shape, because a tab shows no colour. */
const MARKS: Readonly<Record<Tone, string>> = { good: '', busy: '↻', wait: '●', bad: '▲', off: '‖' }

/** What the tab of the browser says: how things stand if there is anything to say, then whose page it is. */
export function titleOf(tone: Tone, status: string, device: string): string {
  const [sentence = ''] = status.split(/(?<=[.。])(?:\s|$)|[:：]/u)
  const state = tone === 'good' ? '' : `${MARKS[tone]} ${sentence.replace(/[.。]$/u, '')}`
  return [state, device, 'Twinfold'].filter((part) => part !== '').join(' – ')
}
