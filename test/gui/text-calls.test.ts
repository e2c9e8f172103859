/** Every text that the page asks for exists in all languages, and gets a value for each of its places. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseSync, Visitor, type Expression } from 'oxc-parser'
import { textsOf } from '../../gui/i18n/texts-of.ts'
import { TEXTS } from '../../gui/i18n/tables.ts'

const LANGUAGES = ['de', 'en', 'es', 'fr', 'zh'] as const
const root = join(import.meta.dirname, '..', '..')
const KEYS = Object.keys(TEXTS)
const TEXTS_OF = new Map(LANGUAGES.map((language) => [language, textsOf(language)]))

interface TextCall {
  /** Matches the keys that it may ask for. */
  readonly keys: RegExp
  /** The values that it gives; undefined where they cannot be told. */
  readonly values: ReadonlySet<string> | undefined
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Both forms of a choice, the parts of a template, a literal. */
function keysOf(node: Expression | undefined): readonly string[] {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [escaped(node.value)] : []
    case 'TemplateLiteral':
      return [node.quasis.map(({ value }) => escaped(value.cooked ?? '')).join('[\\w-]+')]
    case 'ConditionalExpression':
      return [...keysOf(node.consequent), ...keysOf(node.alternate)]
    default:
      return []
  }
}

function valuesOf(node: Expression | undefined): ReadonlySet<string> | undefined {
  if (node === undefined) return new Set()
  if (node.type !== 'ObjectExpression') return undefined
  const names = node.properties.map((each) =>
    each.type === 'Property' && each.key.type === 'Identifier' ? each.key.name : undefined,
  )
  return names.includes(undefined) ? undefined : new Set(names as string[])
}

export function textCalls(file: string, text: string): readonly TextCall[] {
  const { program } = parseSync(file, text)
  const calls: TextCall[] = []
  new Visitor({
    CallExpression: ({ callee, arguments: [key, values] }) => {
      if (callee.type !== 'Identifier' || callee.name !== 't') return
      for (const pattern of keysOf(key as Expression))
        calls.push({ keys: new RegExp(`^${pattern}$`), values: valuesOf(values as Expression | undefined) })
    },
  }).visit(program)
  return calls
}

const calls = globSync('gui/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
  textCalls(file, readFileSync(join(root, file), 'utf8')).map((call) => ({ file, ...call })),
)

const placesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

describe('the texts that the page asks for', () => {
  it('are many, and each is there in every language', () => {
    assert.ok(calls.length > 400, `${calls.length}`)
    for (const language of LANGUAGES) {
      const keys = Object.keys(TEXTS_OF.get(language) ?? {})
      const missing = calls.filter((call) => !keys.some((key) => call.keys.test(key)))
      assert.deepEqual(
        missing.map(({ file, keys: { source } }) => `${file}: ${source}`),
        [],
      )
    }
  })

  it('get a value for each of their places, in every language', () => {
    const found = calls.flatMap(({ file, keys, values }) => {
      const isOne = !keys.source.includes('[\\w-]+')
      if (values === undefined || !isOne) return []
      return LANGUAGES.flatMap((language) =>
        KEYS.filter((key) => keys.test(key)).flatMap((key) =>
          placesIn(TEXTS_OF.get(language)?.[key] ?? '')
            .filter((place) => !values.has(place))
            .map((place) => `${file}: ${key} in ${language} has no value for {${place}}`),
        ),
      )
    })
    assert.deepEqual([...new Set(found)], [])
  })

  it('are found by the check itself', () => {
    const [call] = textCalls('x.ts', "t(a ? 'one.x' : `two.${b}`, { n })")
    assert.deepEqual([call?.keys.test('one.x'), [...(call?.values ?? [])]], [true, ['n']])
  })

  it('are empty before a language is loaded: a key is never shown or read out', async () => {
    Object.assign(globalThis, { document: { documentElement: { lang: 'en' } } }) // of a browser, only this
    const { currentTexts, hasTexts, t } = await import('../../gui/i18n/texts.ts')
    assert.equal(hasTexts(), false)
    assert.equal(t('status.upToDate'), '')
    currentTexts.set({ language: 'en', texts: { 'status.upToDate': 'Fine' } })
    assert.equal(t('status.upToDate'), 'Fine')
    assert.equal(t('status.noFolders'), '')
  })
})
