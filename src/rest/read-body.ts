import type { Json } from '../core/config/config-json.ts'
import { TwinfoldError } from '../core/errors.ts'
import { faultOf } from './check.ts'
import type { DeclaredBody } from './declaration.ts'
import type { Schema, Static } from './schema.ts'

/** The type of a parsed body: if it is lenient, fields may be missing. */
export type ParsedBody<B> = B extends { readonly schema: infer S; readonly lenient: true }
  ? Partial<Static<S>>
  : B extends { readonly schema: infer S }
    ? Static<S>
    : never

/**
 * Reads a body by its declaration. Field names are case-insensitive, the last of several is used, and undeclared fields
 * are dropped. Throws `bad-request` for any other difference from the declaration.
 */
export function readBody<const B extends DeclaredBody>(body: B, value: Json): ParsedBody<B> {
  const { schema, lenient = false } = body
  const folded = withDeclaredNames(schema, value, lenient)
  const fault = faultOf(lenient && 'properties' in schema ? { ...schema, required: [] } : schema, folded)
  if (fault !== undefined) throw new TwinfoldError('bad-request', fault)
  return folded as ParsedBody<B>
}

/** The fields of the outermost object under the names that are declared. In a lenient body null means absent. */
function withDeclaredNames(schema: Schema, value: Json, lenient: boolean): Json {
  if (!('properties' in schema) || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const names = new Map(Object.keys(schema.properties).map((name) => [name.toLowerCase(), name]))
  const fields = new Map<string, Json>()
  for (const [given, item] of Object.entries(value)) {
    const name = names.get(given.toLowerCase())
    if (name === undefined) continue
    if (lenient && item === null) fields.delete(name)
    else fields.set(name, item)
  }
  return Object.fromEntries(fields)
}
