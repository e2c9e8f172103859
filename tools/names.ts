/** Finds names that say nothing in a list of imports, and words of this project only, for the tests of the tree. */
import { parseSync, Visitor } from 'oxc-parser'

/** Words for which the field has others: idle or healthy, equal or in sync, no device. */
export const PRIVATE_WORDS: readonly string[] = ['calm', 'alike', 'nobody']

/** Words that need a noun beside them: `readOne` and `StoredChoice` stand alone, `one` and `Kept` do not. */
const BARE_WORDS: ReadonlySet<string> = new Set(
  (
    'about above added after again ago all any asked at away back before behind below beside between ' +
    'both by calm each ending ends every failed few first for found from go going gone held here hold ' +
    'how if in into kept last later less locked many more most named next nobody none nothing now of off ' +
    'on one only other others out over own past ran same seen settled so some such taken than that then ' +
    'there these this those through to told too two under until up upon walked way what when where which ' +
    'who why with without wrong'
  ).split(' '),
)

/** The exported names of a source that are a single bare word. */
export function bareExports(file: string, text: string): readonly string[] {
  if (!text.includes('export')) return [] // before it is parsed, which takes most of the time
  const names: string[] = []
  const add = (id: { readonly type: string; readonly name?: string } | null) => names.push(id?.name ?? '')
  new Visitor({
    ExportNamedDeclaration: ({ declaration, specifiers }) => {
      if (declaration?.type === 'VariableDeclaration') for (const { id } of declaration.declarations) add(id)
      else if (declaration !== null && 'id' in declaration) add(declaration.id)
      for (const { exported } of specifiers) if (exported.type === 'Identifier') add(exported)
    },
  }).visit(parseSync(file, text).program)
  return names
    .filter((name) => BARE_WORDS.has(name.toLowerCase()))
    .map((name) => `"${name}" says nothing in a list of imports`)
}

/** Uses of private words, alone or in a name. An account of the system is written in double quotes. */
export function privateWords(text: string): readonly string[] {
  return PRIVATE_WORDS.flatMap((word) => {
    const capital = `${word[0]!.toUpperCase()}${word.slice(1)}`
    const found = new RegExp(
      `(?<![A-Za-z"])${word}(?![a-z])|${capital}(?![a-z])|(?<![A-Za-z])${word.toUpperCase()}(?![A-Za-z])`,
      'g',
    )
    return text.match(found) ?? []
  })
}
