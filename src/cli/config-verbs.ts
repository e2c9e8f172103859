import type { AnyTable } from '../core/config/field.ts'
import type { Json } from '../core/config/config-json.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import { settingName } from './config-names.ts'
import { valueForm, type ConfigNode, type ListNode, type ParamsNode, type ValueForm } from './config-tree.ts'
import { canonicalArgs } from './args/canonical.ts'
import type { Topic, Verb } from './topic.ts'

/** A node of the configuration as a topic of the command tree. */
export function configTopic(node: ConfigNode, about: Pick<Topic, 'summary' | 'examples'> = { summary: '' }): Topic {
  const below = node.is === 'object' ? node.settings : node.is === 'list' ? node.items : new Map<string, never>()
  return {
    ...about,
    verbs: verbsOf(node),
    title: node.is === 'list' ? 'Items' : 'Properties',
    topics: new Map([...below].map(([name, open]) => [name, { open: () => configTopic(open()) }])),
    ...(node.is === 'list' && node.names !== undefined && { names: node.names }),
  }
}

function verbsOf(node: ConfigNode): ReadonlyMap<string, Verb> {
  const verbs = new Map(ownVerbs(node))
  const remove = 'remove' in node ? node.remove : undefined
  if (remove !== undefined) {
    verbs.set('delete', {
      summary: 'Remove this item from the list',
      run: (args) => quiet(expectArgs(args, 0), remove),
    })
  }
  return verbs
}

function ownVerbs(node: ConfigNode): readonly (readonly [string, Verb])[] {
  switch (node.is) {
    case 'object':
      return [
        [
          'dump-json',
          {
            summary: 'Print everything in here as JSON',
            run: (args) => (expectArgs(args, 0), JSON.stringify(node.value, undefined, 2).split('\n')),
          },
        ],
      ]
    case 'value':
      return [
        ['get', { summary: 'Print the value', run: (args) => (expectArgs(args, 0), [String(node.value)]) }],
        [
          'set',
          {
            summary: 'Change the value',
            takes: 'VALUE',
            run: (args) => quiet(expectArgs(args, 1), ([text = '']) => node.set(parseValue(node.form, text))),
          },
        ],
      ]
    case 'list':
      return listVerbs(node)
    case 'params':
      return paramsVerbs(node)
  }
}

function listVerbs(node: ListNode): readonly (readonly [string, Verb])[] {
  const list: Verb = { summary: 'Print the keys', run: (args) => (expectArgs(args, 0), [...node.items.keys()]) }
  const { table } = node
  if (table === undefined) {
    const add = (args: readonly string[]) => quiet(expectArgs(args, 1), ([text = '']) => node.add(text))
    return [
      ['list', list],
      ['add', { summary: 'Add a value', takes: 'VALUE', run: add }],
    ]
  }
  return [
    ['list', list],
    [
      'add',
      {
        summary: 'Add an item',
        takes: attributeUsage(table),
        run: (args) => quiet(args, () => node.add(parseAttributes(table, args))),
      },
    ],
    [
      'add-json',
      {
        summary: 'Add an item given as JSON',
        takes: 'JSON',
        run: (args) => quiet(expectArgs(args, 1), ([text = '']) => node.add(parseObject(text))),
      },
    ],
  ]
}

function paramsVerbs(node: ParamsNode): readonly (readonly [string, Verb])[] {
  const get = ([key = '']: readonly string[]): readonly string[] => {
    const value = node.value.get(key)
    if (value === undefined) throw new TwinfoldError('refused', `there is no value for "${key}"`)
    return [value]
  }
  return [
    [
      'dump',
      {
        summary: 'Print all keys and their values',
        run: (args) => (expectArgs(args, 0), [...node.value].map(([key, value]) => `${key}  =  ${value}`)),
      },
    ],
    ['get', { summary: 'Print the value of a key', takes: 'KEY', run: (args) => get(expectArgs(args, 1)) }],
    [
      'set',
      {
        summary: 'Give a key a value',
        takes: 'KEY VALUE',
        run: (args) => quiet(expectArgs(args, 2), ([key = '', value = '']) => node.set(key, value)),
      },
    ],
    [
      'unset',
      {
        summary: 'Remove a key',
        takes: 'KEY',
        run: (args) => quiet(expectArgs(args, 1), ([key = '']) => node.unset(key)),
      },
    ],
  ]
}

/** A successful change prints nothing. */
async function quiet(
  args: readonly string[],
  change: (args: readonly string[]) => Promise<void>,
): Promise<readonly string[]> {
  await change(args)
  return []
}

/** The arguments of a command, without the `--` that lets a value begin with a dash. */
export function expectArgs(args: readonly string[], count: number): readonly string[] {
  const given = args[0] === '--' ? args.slice(1) : args
  if (given.length === count) return given
  throw new TwinfoldError('usage', `expected ${count} ${count === 1 ? 'argument' : 'arguments'}, got ${given.length}`)
}

const TRUE = ['true', '1', 't']
const FALSE = ['false', '0', 'f']

/** The text as the JSON that the daemon accepts. Throws `usage` with the expected form. */
function parseValue(form: ValueForm, text: string): Json {
  switch (form) {
    case 'text':
      return text
    case 'bool': {
      const lower = text.toLowerCase()
      if (TRUE.includes(lower) || FALSE.includes(lower)) return TRUE.includes(lower)
      throw wrongForm(text, 'true or false')
    }
    case 'int':
      if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
      throw wrongForm(text, 'a whole number')
    case 'float':
      if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))) return Number(text)
      throw wrongForm(text, 'a number')
  }
}

function wrongForm(text: string, wanted: string): TwinfoldError {
  return new TwinfoldError('usage', `"${text}" is not ${wanted}`)
}

function parseObject(text: string): Json {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new TwinfoldError('usage', `invalid JSON: ${messageOf(error)}`, { cause: error })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new TwinfoldError('usage', 'an item is a JSON object: {"name": "value", …}')
}

interface Attribute {
  readonly name: string
  readonly key: string
  readonly form: ValueForm
  readonly repeats: boolean
}

/** The fields of an item that flags can set; the rest comes from the defaults, or with `add-json`. */
function attributesOf(table: AnyTable): readonly Attribute[] {
  return Object.entries(table)
    .filter(([, { kind }]) => !['section', 'sections', 'params', 'size'].includes(kind.is))
    .map(([key, { kind }]) => ({
      name: settingName(table, key),
      key,
      form: valueForm(kind),
      repeats: kind.is === 'texts',
    }))
}

function attributeUsage(table: AnyTable): string {
  return attributesOf(table)
    .map(({ name, form }) => (form === 'bool' ? `[--${name}]` : `[--${name} VALUE]`))
    .join(' ')
}

/** Reads the settings of a new item: a switch alone means true, a list is one flag per value. */
function parseAttributes(table: AnyTable, args: readonly string[]): Json {
  const attributes = attributesOf(table)
  const known = attributes.map(({ name, form }) => ({ name, ...(form !== 'bool' && { value: 'VALUE' }) }))
  const { flags, operands, unknown } = canonicalArgs(known, args)
  if (unknown[0] !== undefined) throw new TwinfoldError('usage', `unknown flag ${unknown[0]}`)
  if (operands[0] !== undefined) throw new TwinfoldError('usage', `unexpected argument ${operands[0]}`)
  const values = new Map<string, Json>()
  for (const { name, value } of flags) {
    const { key, form, repeats } = attributes.find((each) => each.name === name)!
    const before = values.get(key)
    values.set(key, repeats ? [...(Array.isArray(before) ? before : []), value] : parseValue(form, value))
  }
  if (values.size === 0) throw new TwinfoldError('usage', 'no properties specified')
  return Object.fromEntries(values)
}
