import { Store } from '../live/store.ts'

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', zh: '中文' } as const

export type Language = keyof typeof LANGUAGES

/** One text in every language. Two forms, parted by `||`, are one and many; `{name}` is filled in. */
export type Entry = Readonly<Record<Language, string>>

const KEPT = 'twinfold-language'

/** The daemon has chosen the language of the page by what the browser asked for; a choice in the menu goes before. */
export const language = new Store<Language>(parse(kept()) ?? parse(document.documentElement.lang) ?? 'en')

export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(KEPT, chosen)
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
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
