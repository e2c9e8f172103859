import type { TextEntry } from './language.ts'
import { TEXTS } from './tables.ts'

/** All texts of the page in one language. Throws for a language that the tables do not hold. */
export function textsOf(language: string): Readonly<Record<string, string>> {
  const texts = Object.entries<TextEntry>(TEXTS).map(([key, entry]) => {
    const text = Object.hasOwn(entry, language) ? entry[language as keyof TextEntry] : undefined
    if (text === undefined) throw new Error(`${key} has no text in ${language}`)
    return [key, text] as const
  })
  return Object.fromEntries(texts)
}
