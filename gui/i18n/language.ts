import { Store } from '../base/store.ts'

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', zh: '中文' } as const

export type Language = keyof typeof LANGUAGES

/** One text in every language. Two forms, separated by `||`, are singular and plural; `{name}` is filled in. */
export type Entry = Readonly<Record<Language, string>>

const KEPT = 'twinfold-language'

/** The daemon sets the language of the page by the browser's preference; a choice in the menu takes precedence. */
export const language = new Store<Language>(parse(kept()) ?? parse(document.documentElement.lang) ?? 'en')

export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(KEPT, chosen)
  } catch {
    // Without local storage the choice lasts as long as the page.
  }
  document.documentElement.lang = chosen
  language.set(chosen)
}

function kept(): string {
  try {
    return localStorage.getItem(KEPT) ?? ''
  } catch {
    return ''
  }
}

function parse(text: string): Language | undefined {
  const [short = ''] = text.toLowerCase().split('-')
  return Object.hasOwn(LANGUAGES, short) ? (short as Language) : undefined
}
