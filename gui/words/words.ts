import { COMMON } from './common.ts'
import { fill, type Values } from './fill.ts'
import { language, type Entry } from './language.ts'
import { ADD } from './add.ts'
import { DEVICE } from './device.ts'
import { FOLDER } from './folder.ts'
import { LOG } from './log.ts'
import { OVERVIEW } from './overview.ts'
import { SETTINGS } from './settings.ts'

/** Everything the page says, by key. */
export const WORDS = { ...COMMON, ...OVERVIEW, ...FOLDER, ...DEVICE, ...ADD, ...SETTINGS, ...LOG } as const satisfies Readonly<Record<string, Entry>>

export type WordKey = keyof typeof WORDS

/** What the page says in the language chosen. */
export function t(key: WordKey, values: Values = {}): string {
  const chosen = language.get()
  return fill(WORDS[key][chosen], values, chosen)
}
