import { StoredChoice } from '../base/stored-choice.ts'

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', zh: '中文' } as const

export type Language = keyof typeof LANGUAGES

/** One text in every language. Two forms, separated by `||`, are singular and plural; `{name}` is filled in. */
export type TextEntry = Readonly<Record<Language, string>>

/** The daemon sets the language of the page by the browser's preference; a choice in the menu takes precedence. */
export const language = new StoredChoice<Language>(
  'twinfold-language',
  (stored) => parse(stored) ?? parse(document.documentElement.lang) ?? 'en',
)
language.subscribe(() => (document.documentElement.lang = language.get()))

function parse(text: string): Language | undefined {
  const [short = ''] = text.toLowerCase().split('-')
  return Object.hasOwn(LANGUAGES, short) ? (short as Language) : undefined
}
