/** `Accept-Language` by descending weight. An entry with an invalid weight is dropped. */
export function acceptedLanguages(header: string | readonly string[] | undefined): readonly string[] {
  const entries = (typeof header === 'string' ? header : (header?.join() ?? '')).split(',').slice(0, 100)
  const weighted = entries.flatMap((entry) => {
    const [code = '', parameter = ''] = entry.split(';', 2).map((part) => part.trim())
    const q = /^q=(.*)$/.exec(parameter)?.[1]
    const weight = q === undefined ? 1 : /^\d*\.?\d+$|^\d+\.$/.test(q) ? Number(q) : undefined
    return weight === undefined ? [] : [{ code: code.toLowerCase(), weight }]
  })
  return weighted.toSorted((a, b) => b.weight - a.weight).map(({ code }) => code)
}
