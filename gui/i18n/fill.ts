import { perLanguage } from './per-language.ts'
import { visibleName } from '../base/visible-name.ts'

export type TextValues = Readonly<Record<string, string | number>>

const plurals = perLanguage((language) => new Intl.PluralRules(language))
const numbers = perLanguage((language) => new Intl.NumberFormat(language))

/** The text with its places filled; of two forms the one that the language uses for the number `n`. */
export function fillText(text: string, values: TextValues, language: string): string {
  const [one = '', many] = text.split('||')
  const n = Number(values['n'] ?? 0)
  const form = many === undefined || plurals(language).select(n) === 'one' ? one : many
  return form.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name]
    if (value === undefined) return place
    return typeof value === 'number' ? numbers(language).format(value) : visibleName(value)
  })
}
