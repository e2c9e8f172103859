import { Store } from '../live/store.ts'
import { fill, type Values } from './fill.ts'
import { language, type Language } from './language.ts'
import type { WORDS } from './tables.ts'

export type WordKey = keyof typeof WORDS

type Texts = Readonly<Record<string, string>>

/** One file for each language, made of the tables when the page is built. */
const LOADERS: Readonly<Record<Language, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('virtual:words/en'),
  de: () => import('virtual:words/de'),
  es: () => import('virtual:words/es'),
  fr: () => import('virtual:words/fr'),
  zh: () => import('virtual:words/zh'),
}

/** The texts that the page uses now. Another language takes their place once it is here. */
export const spoken = new Store<{ readonly language: Language; readonly texts: Texts }>({ language: 'en', texts: {} })

/** Brings the texts of the language chosen. The page is drawn after the first time, and again whenever another is chosen. */
export async function learnLanguage(): Promise<void> {
  const chosen = language.get()
  const { texts } = await LOADERS[chosen]()
  if (language.get() === chosen) spoken.set({ language: chosen, texts })
}

/** A daemon that is away cannot bring another language: the page goes on in the one it has. */
language.subscribe(() => void learnLanguage().catch(() => undefined))

export function isWord(key: string): key is WordKey {
  return Object.hasOwn(spoken.get().texts, key)
}

/** What the page says in the language chosen. */
export function t(key: WordKey, values: Values = {}): string {
  const { language: chosen, texts } = spoken.get()
  return fill(texts[key] ?? key, values, chosen)
}
