import type { ComponentTypes } from './components.ts'

/**
 * The subset of JSON Schema that this interface uses: plain values that go into the OpenAPI document as they are,
 * and from which `Static` derives the TypeScript type, so that every structure is declared once.
 */
export type Schema =
  | { readonly type: 'string'; readonly format?: string; readonly pattern?: string; readonly description?: string }
  | {
      readonly type: 'integer' | 'number'
      readonly minimum?: number
      readonly maximum?: number
      readonly description?: string
    }
  | { readonly type: 'boolean' | 'null'; readonly description?: string }
  | { readonly const: string | number | boolean; readonly description?: string }
  | { readonly enum: readonly string[]; readonly description?: string }
  | { readonly anyOf: readonly Schema[]; readonly description?: string }
  | { readonly type: 'array'; readonly items: Schema; readonly description?: string }
  | MapSchema
  | ObjectSchema
  | { readonly $ref: string; readonly description?: string }
  | { readonly description: string }

interface MapSchema {
  readonly type: 'object'
  readonly additionalProperties: Schema
  readonly description?: string
}

interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  readonly description?: string
}

const REF = '#/components/schemas/'

/** The value that a schema describes. */
export type Static<S> = S extends { readonly $ref: `${typeof REF}${infer Name extends keyof ComponentTypes}` }
  ? ComponentTypes[Name]
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly anyOf: readonly (infer Each)[] }
        ? Static<Each>
        : S extends { readonly properties: infer Fields; readonly required: readonly (infer Key)[] }
          ? StaticObject<Fields, Extract<Key, keyof Fields>>
          : S extends { readonly additionalProperties: infer Value }
            ? Readonly<Record<string, Static<Value>>>
            : S extends { readonly type: 'array'; readonly items: infer Item }
              ? readonly Static<Item>[]
              : StaticScalar<S>

type StaticObject<Fields, Key extends keyof Fields> = {
  readonly [K in Key]: Static<Fields[K]>
} & { readonly [K in Exclude<keyof Fields, Key>]?: Static<Fields[K]> }

type StaticScalar<S> = S extends { readonly type: infer Type }
  ? { string: string; integer: number; number: number; boolean: boolean; null: null }[Extract<
      Type,
      'string' | 'integer' | 'number' | 'boolean' | 'null'
    >]
  : unknown

export const TEXT = { type: 'string' } as const
export const BOOLEAN = { type: 'boolean' } as const
export const INTEGER = { type: 'integer' } as const
export const NUMBER = { type: 'number' } as const
export const COUNT = { type: 'integer', minimum: 0 } as const
export const TIME = { type: 'string', format: 'date-time' } as const
const NULL = { type: 'null' } as const

/** The same schema with a description. */
export function described<const S extends Schema>(
  schema: S,
  description: string,
): S & { readonly description: string } {
  return { ...schema, description }
}

/** An object whose fields are required, except those named as optional. */
export function object<const Fields extends Readonly<Record<string, Schema>>, const Key extends keyof Fields = never>(
  properties: Fields,
  optional: readonly Key[] = [],
): {
  readonly type: 'object'
  readonly properties: Fields
  readonly required: readonly Exclude<keyof Fields & string, Key>[]
} {
  const missing: ReadonlySet<keyof Fields> = new Set(optional)
  const isRequired = (key: keyof Fields & string): key is Exclude<keyof Fields & string, Key> => !missing.has(key)
  return { type: 'object', properties, required: Object.keys(properties).filter(isRequired) }
}

export function list<const Item extends Schema>(items: Item): { readonly type: 'array'; readonly items: Item } {
  return { type: 'array', items }
}

/** Values by a key that is not fixed: a device, a folder, a path. */
export function map<const Value extends Schema>(
  value: Value,
): { readonly type: 'object'; readonly additionalProperties: Value } {
  return { type: 'object', additionalProperties: value }
}

export function nullable<const S extends Schema>(schema: S): { readonly anyOf: readonly [S, typeof NULL] } {
  return { anyOf: [schema, NULL] }
}

export function ref<Name extends keyof ComponentTypes & string>(
  name: Name,
): { readonly $ref: `#/components/schemas/${Name}` } {
  return { $ref: `${REF}${name}` }
}
