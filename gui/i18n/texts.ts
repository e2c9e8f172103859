import { Store } from '../base/store.ts'
import { fillText, type TextValues } from './fill.ts'
import { language, type Language } from './language.ts'
import type { TEXTS } from './tables.ts'

export type TextKey = keyof typeof TEXTS

type Texts = Readonly<Record<string, string>>

/** One file for each language, made of the tables when the page is built. */
const LOADERS: Readonly<Record<Language, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('virtual:texts/en'),
  de: () => import('virtual:texts/de'),
  es: () => import('virtual:texts/es'),
  fr: () => import('virtual:texts/fr'),
  zh: () => import('virtual:texts/zh'),
}

/** The texts that the page uses now. Replaced when another language is loaded. */
export const currentTexts = new Store<{ readonly language: Language; readonly texts: Texts }>({
  language: 'en',
  texts: {},
})

/** Loads the texts of the chosen language. The page is rendered after the first time, and again for each other one. */
export async function loadLanguage(): Promise<void> {
  const chosen = language.get()
  const { texts } = await LOADERS[chosen]()
  if (language.get() === chosen) currentTexts.set({ language: chosen, texts })
}

/** Without the daemon another language cannot be loaded: the page keeps the current one. */
language.subscribe(() => {
  loadLanguage().catch(() => undefined)
})

export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(currentTexts.get().texts, key)
}

/** Whether a language is loaded. */
export function hasTexts(): boolean {
  return Object.keys(currentTexts.get().texts).length > 0
}

/** The text of a key in the chosen language; empty before it is loaded: a key is no text. */
export function t(key: TextKey, values: TextValues = {}): string {
  const { language: chosen, texts } = currentTexts.get()
  return fillText(texts[key] ?? '', values, chosen)
}
