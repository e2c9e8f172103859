import type { Size } from './config.ts'

/** The time that means "never". */
export const TIME_ZERO = '0001-01-01T00:00:00Z'

export type Kind =
  | { readonly is: 'bool' | 'int' | 'float' | 'text' | 'device' | 'time' | 'size' | 'params' }
  | { readonly is: 'choice'; readonly values: readonly string[]; readonly old?: Readonly<Record<string, string>> }
  | { readonly is: 'texts' }
  | { readonly is: 'section'; readonly table: AnyTable }
  | { readonly is: 'sections'; readonly table: AnyTable; readonly identity?: string }

/** One setting, declared once. Its JSON name is its key in the table. */
export interface Field<V> {
  readonly kind: Kind
  readonly xml: string
  readonly attribute: boolean
  readonly default: V
  /** Left out of the file while it is empty, zero, false or the first choice. */
  readonly omitEmpty: boolean
  /** Supported by Syncthing 2.x only, or by 1.x only; undefined for both. */
  readonly only?: '1.x' | '2.x'
  readonly secrecy?: Secrecy
}

/**
 * What must not leave the configuration: the whole value, the login and the query of an address, or some parameters;
 * `personal` is left out of support bundles only.
 */
type Secrecy = 'whole' | 'address' | 'params' | 'personal'

/** Every field of a part, in the order of the JSON form; the file has the same order, attributes first. */
export type Table<T> = { readonly [K in keyof T]-?: Field<T[K]> }
export type AnyTable = Readonly<Record<string, Field<unknown>>>

export type Fields = Readonly<Record<string, unknown>>

type FieldOptions = Partial<Pick<Field<unknown>, 'xml' | 'attribute' | 'omitEmpty' | 'only' | 'secrecy'>>

export function field<V>(kind: Kind, value: V, options: FieldOptions): Field<V> {
  // The name in the file defaults to the JSON name; `named` fills it in.
  return { xml: '', attribute: false, omitEmpty: false, ...options, kind, default: value }
}

export const bool = (value: boolean, options: FieldOptions = {}) => field({ is: 'bool' }, value, options)
export const int = (value: number, options: FieldOptions = {}) => field({ is: 'int' }, value, options)
export const float = (value: number, options: FieldOptions = {}) => field({ is: 'float' }, value, options)
export const text = (value: string, options: FieldOptions = {}) => field({ is: 'text' }, value, options)
export const texts = (value: readonly string[], xml: string, options: FieldOptions = {}) =>
  field({ is: 'texts' }, value, { ...options, xml })
export const time = (options: FieldOptions = {}) => field({ is: 'time' }, TIME_ZERO, options)
export const size = (value: Size) => field({ is: 'size' }, value, {})

/** The first value is the default, also for unknown values. */
export function choice<V extends string>(
  values: readonly [V, ...V[]],
  options: FieldOptions & { readonly old?: Readonly<Record<string, V>> } = {},
): Field<V> {
  const { old, ...rest } = options
  return field<V>({ is: 'choice', values, ...(old && { old }) }, values[0], rest)
}

export function sections<T>(table: Table<T>, xml: string, identity?: string): Field<readonly T[]> {
  return field<readonly T[]>({ is: 'sections', table, ...(identity !== undefined && { identity }) }, [], { xml })
}

export function section<T>(table: Table<T>): Field<T> {
  return field<T>({ is: 'section', table }, defaultsOf(table), {})
}

/** The hard defaults of a part, as a value. */
export function defaultsOf<T>(table: Table<T>): T {
  const entries = Object.entries<Field<unknown>>(table).map(([key, one]) => [key, one.default])
  return Object.fromEntries(entries) as T
}

/** A part as fields by name, for code that works with every table. */
export function fieldsOf(value: unknown): Fields {
  return Object(value)
}

/** Gives every field its name in the file, once, when the program starts. */
export function withNames<T>(table: Table<T>): Table<T> {
  const entries = Object.entries<Field<unknown>>(table)
  return Object.fromEntries(entries.map(([key, one]) => [key, { ...one, xml: one.xml || key }])) as Table<T>
}
