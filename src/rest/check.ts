import { isTime } from '../core/config/config-json.ts'
import type { Schema } from './schema.ts'

/**
 * Returns the error text for a value that does not match its schema, undefined for one that does. The value itself is
 * not quoted: it may be a password. A `$ref` is not checked; such bodies have parsers of their own.
 */
export function faultOf(schema: Schema, value: unknown, path = ''): string | undefined {
  if ('anyOf' in schema) {
    const faults = schema.anyOf.map((each) => faultOf(each, value, path))
    return faults.includes(undefined) ? undefined : faults[0]
  }
  if ('const' in schema) return value === schema.const ? undefined : wrong(path, JSON.stringify(schema.const))
  if ('enum' in schema) {
    return schema.enum.some((each) => each === value) ? undefined : wrong(path, `one of ${schema.enum.join(', ')}`)
  }
  if (!('type' in schema)) return undefined
  switch (schema.type) {
    case 'null':
      return value === null ? undefined : wrong(path, 'null')
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrong(path, 'true or false')
    case 'integer':
    case 'number':
      return isNumber(schema, value) ? undefined : wrong(path, numberText(schema))
    case 'string':
      return isText(schema, value) ? undefined : wrong(path, stringText(schema))
    case 'array':
      if (!Array.isArray(value)) return wrong(path, 'a list')
      return firstFault(value.entries(), ([at, item]) => faultOf(schema.items, item, `${path}[${at}]`))
    case 'object':
      return faultOfObject(schema, value, path)
  }
}

type OfType<Type extends string> = Extract<Schema, { readonly type: Type }>
type NumberSchema = Extract<Schema, { readonly type: 'integer' | 'number' }>

function faultOfObject(schema: OfType<'object'>, value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(path, 'an object')
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`)
  if ('additionalProperties' in schema) {
    return firstFault(Object.entries(value), ([, item]) => faultOf(schema.additionalProperties, item, inside('…')))
  }
  const missing = schema.required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${inside(missing)} is missing`
  return firstFault(Object.entries(schema.properties), ([name, field]) =>
    Object.hasOwn(value, name) ? faultOf(field, Reflect.get(value, name), inside(name)) : undefined,
  )
}

function isNumber({ type, minimum, maximum }: NumberSchema, value: unknown): boolean {
  if (typeof value !== 'number' || !(type === 'integer' ? Number.isInteger(value) : Number.isFinite(value)))
    return false
  return value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)
}

function isText({ format, pattern }: OfType<'string'>, value: unknown): boolean {
  if (typeof value !== 'string' || (format === 'date-time' && !isTime(value))) return false
  return pattern === undefined || new RegExp(pattern, 'u').test(value)
}

function numberText({ type, minimum, maximum }: NumberSchema): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`
  if (maximum !== undefined) return `${kind}, at most ${maximum}`
  return minimum === undefined ? kind : `${kind}, ${minimum} or more`
}

/** A schema with a pattern has a description, which is readable where the pattern is not. */
function stringText({ format, description }: OfType<'string'>): string {
  return format === 'date-time' ? 'a time like 2024-01-31T12:00:00Z' : (description ?? 'a text')
}

function wrong(path: string, expected: string): string {
  return `${path === '' ? 'the body' : path} must be ${expected}`
}

function firstFault<T>(items: Iterable<T>, faultIn: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultIn(item)
    if (fault !== undefined) return fault
  }
  return undefined
}
