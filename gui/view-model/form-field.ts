import type { AnyTable, Field } from '../../src/core/config/field.ts'
import type { FormField } from './form.ts'

export type FieldOptions = Partial<Omit<FormField, 'name' | 'group'>>

/** A field whose kind and choices are those that the config itself declares. */
export function formField(table: AnyTable, name: string, group: string, options: FieldOptions = {}): FormField {
  const base = { name, group, kind: 'text', choices: [], times: 1, asText: false, otherwise: '' } as const
  return { ...base, ...declared(fieldAt(table, name.split('.'))), ...options }
}

function fieldAt(table: AnyTable, [key = '', ...rest]: readonly string[]): Field<unknown> | undefined {
  const field = Object.hasOwn(table, key) ? table[key] : undefined
  if (rest.length === 0 || field?.kind.is !== 'section') return rest.length === 0 ? field : undefined
  return fieldAt(field.kind.table, rest)
}

function declared(field: Field<unknown> | undefined): FieldOptions {
  switch (field?.kind.is) {
    case 'bool':
      return { kind: 'check' }
    case 'int':
      return { kind: 'whole' }
    case 'float':
      return { kind: 'number' }
    case 'choice':
      return { kind: 'choice', choices: field.kind.values }
    case 'texts':
      return { kind: 'lines' }
    case 'size':
      return { kind: 'size' }
    default:
      return {}
  }
}
