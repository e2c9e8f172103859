import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fillText } from '../../gui/i18n/fill.ts'
import { TEXTS } from '../../gui/i18n/tables.ts'
import { textsOf } from '../../gui/i18n/texts-of.ts'
import { perLanguage } from '../../gui/i18n/per-language.ts'
import { visibleName } from '../../gui/base/visible-name.ts'

const root = join(import.meta.dirname, '..', '..')
const LANGUAGES = ['de', 'en', 'es', 'fr', 'zh'] as const
type Texts = Readonly<Record<(typeof LANGUAGES)[number], string>>
const ENTRIES = Object.entries<Texts>(TEXTS)

const placesIn = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort()
const wrong = (isWrong: (texts: Texts, key: string) => boolean) =>
  ENTRIES.filter(([key, texts]) => isWrong(texts, key)).map(([key]) => key)

/** The sources without comments and tables. */
const sources = globSync('gui/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !file.startsWith(join('gui', 'i18n', 'tables')))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n')

describe('the texts of the page', () => {
  it('are there in five languages, each with a text', () => {
    assert.deepEqual(
      wrong(
        (texts) =>
          Object.keys(texts).sort().join() !== LANGUAGES.join() ||
          Object.values(texts).some((text) => text.trim() === '' || text !== text.trim()),
      ),
      [],
    )
  })

  it('have the same places to fill in all languages, and in both forms', () => {
    assert.deepEqual(
      wrong((texts) => {
        const forms = LANGUAGES.flatMap((language) => texts[language].split('||'))
        const expected = placesIn(texts.en)
          .filter((name) => name !== 'n')
          .join()
        return forms.some(
          (form) =>
            placesIn(form)
              .filter((name) => name !== 'n')
              .join() !== expected,
        )
      }),
      [],
    )
  })

  it('have two forms at most, neither of them empty', () => {
    assert.deepEqual(
      wrong((texts) =>
        LANGUAGES.some((language) => {
          const forms = texts[language].split('||')
          return forms.length > 2 || forms.some((form) => form.trim() === '')
        }),
      ),
      [],
    )
  })

  it('have a plural in German, Spanish and French where English has one', () => {
    assert.deepEqual(
      wrong(
        (texts) =>
          texts.en.includes('||') && (['de', 'es', 'fr'] as const).some((language) => !texts[language].includes('||')),
      ),
      [],
    )
  })

  it('have one form in Chinese, which has no plural', () => {
    assert.deepEqual(
      wrong((texts) => texts.zh.includes('||')),
      [],
    )
  })

  it('have no straight apostrophes between letters, and no double spaces', () => {
    assert.deepEqual(
      wrong((texts) => LANGUAGES.some((language) => /\p{L}'\p{L}| {2}/u.test(texts[language]))),
      [],
    )
  })

  it('are all used', () => {
    const isBuilt = (key: string) =>
      [...key.matchAll(/\./g)].some(({ index }) => sources.includes(`\`${key.slice(0, index + 1)}\${`))
    assert.deepEqual(
      wrong((_, key) => !sources.includes(`'${key}'`) && !sources.includes(`"${key}"`) && !isBuilt(key)),
      [],
    )
  })

  it('are defined once', () => {
    const tables = globSync('gui/i18n/tables/*.ts', { cwd: root })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
    const keys = [...tables.matchAll(/^ {2}'([\w.-]+)': \{/gm)].map(([, key = '']) => key)
    assert.deepEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      [],
    )
  })
})

const NAMES: readonly [name: string, shown: string][] = [
  ['plain.txt', 'plain.txt'],
  ['invoice\u202Efdp.exe', 'invoice⟨202E⟩fdp.exe'],
  ['\u2066a\u2069', '⟨2066⟩a⟨2069⟩'],
  ['zero\u200Bwidth\uFEFF', 'zero⟨200B⟩width⟨FEFF⟩'],
  ['line\nbreak\u0007', 'line⟨000A⟩break⟨0007⟩'],
  ['a\u200Db', 'a⟨200D⟩b'],
  ['👩\u200D👧 family', '👩\u200D👧 family'],
  ['עברית عربي 日本語', 'עברית عربي 日本語'],
]

for (const [name, shown] of NAMES)
  it(`hidden characters of a name are visible: ${JSON.stringify(shown)}`, () => assert.equal(visibleName(name), shown))

describe('texts', () => {
  it('are filled in, in the form of their number', () => {
    assert.equal(fillText('{n} file||{n} files', { n: 1 }, 'en'), '1 file')
    assert.equal(fillText('{n} file||{n} files', { n: 1234 }, 'en'), '1,234 files')
    assert.equal(fillText('{n} fichier||{n} fichiers', { n: 0 }, 'fr'), '0 fichier')
    assert.equal(fillText('{n} 个文件', { n: 2 }, 'zh'), '2 个文件')
  })

  it('make each formatter once for each language', () => {
    const made: string[] = []
    const formatters = perLanguage((language) => ({ order: made.push(language) }))
    assert.equal(formatters('en'), formatters('en'))
    assert.notEqual(formatters('fr'), formatters('en'))
    assert.deepEqual(made, ['en', 'fr'])
  })

  it('take names as they are, also those that look like places or patterns', () => {
    assert.equal(fillText('{a} and {b}', { a: '{b}', b: '$& <b>' }, 'en'), '{b} and $& <b>')
    assert.equal(fillText('{a} {unknown}', { a: 'x' }, 'en'), 'x {unknown}')
  })

  it('of one language are all texts of it', () => {
    for (const language of LANGUAGES) assert.equal(Object.keys(textsOf(language)).length, ENTRIES.length)
    assert.throws(() => textsOf('toString'), /has no text in/)
  })
})
