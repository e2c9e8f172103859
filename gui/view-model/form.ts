import { fieldsOf, type Fields } from '../../src/core/config/field.ts'

/** The kind of input of a setting. `rules`: one per line, `+` permits and `-` refuses. */
type FormKind = 'text' | 'whole' | 'number' | 'check' | 'choice' | 'lines' | 'size' | 'rules'

/** One setting of a form. Its label and help text are in the tables of texts, under its name. */
export interface FormField {
  /** The way to it from the part of the config that the form is about: `versioning.params.keep`. */
  readonly name: string
  readonly kind: FormKind
  readonly group: string
  readonly choices: readonly string[]
  readonly unit?: FormUnit | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** What is stored is what is shown times this. */
  readonly times: number
  /** A number that is stored as text. */
  readonly asText: boolean
  /** Shown while nothing is stored. */
  readonly otherwise: string
  /** Makes sense only while another field has one of these values. */
  readonly when?: { readonly name: string; readonly is: readonly string[] } | undefined
}

type FormUnit = 's' | 'min' | 'h' | 'd' | 'KiB' | 'KiB/s' | '%'

/** The edits so far, by name; other fields are unchanged. */
export type FormEdits = Readonly<Record<string, string | boolean>>

/** Why a field cannot be saved; the text is `form.wrong.<kind>`. */
export interface FieldError {
  readonly kind: 'whole' | 'number' | 'min' | 'max' | 'size' | 'rules'
  readonly limit?: number
}

const SIZE_UNITS = ['%', 'kB', 'MB', 'GB', 'TB']
const SIZE = /^(\d+(?:[.,]\d+)?)\s*(%|[kKmMgGtT]?[bB]?)$/
const RULE = /^([+-])\s*(\S.*)$/

/** What the field shows: the edit, or else what is stored. */
export function shownValue(field: FormField, part: unknown, edits: FormEdits): string | boolean {
  return edits[field.name] ?? storedValue(field, part)
}

/** The stored value as text for an input field. */
export function storedValue(field: FormField, part: unknown): string | boolean {
  const value = valueAt(part, field.name)
  switch (field.kind) {
    case 'check':
      return value === true
    case 'lines':
      return Array.isArray(value) ? value.join('\n') : ''
    case 'rules':
      return Array.isArray(value) ? value.map(ruleText).join('\n') : ''
    case 'size':
      return sizeText(fieldsOf(value))
    case 'whole':
    case 'number': {
      const text = value === undefined || value === '' ? field.otherwise : String(value)
      return Number.isFinite(Number(text)) ? String(Number(text) / field.times) : text
    }
    default:
      return value === undefined ? field.otherwise : String(value)
  }
}

function ruleText(rule: unknown): string {
  const { match, permit } = fieldsOf(rule)
  return `${permit === true ? '+' : '-'} ${String(match)}`
}

function sizeText({ value, unit }: Fields): string {
  return `${String(value ?? 0)} ${String(unit ?? '')}`.trim()
}

/** What is wrong with a value as it was typed; undefined when nothing is. */
export function wrongIn(field: FormField, typed: string | boolean): FieldError | undefined {
  if (typeof typed === 'boolean') return undefined
  const text = typed.trim()
  switch (field.kind) {
    case 'whole':
      return /^-?\d{1,15}$/.test(text) ? outside(field, Number(text)) : { kind: 'whole' }
    case 'number':
      return /^-?\d{1,12}(\.\d{1,9})?$/.test(text) ? outside(field, Number(text)) : { kind: 'number' }
    case 'size':
      return SIZE.test(text) ? undefined : { kind: 'size' }
    case 'rules':
      return linesOf(text).every((line) => RULE.test(line)) ? undefined : { kind: 'rules' }
    default:
      return undefined
  }
}

function outside({ min, max }: FormField, value: number): FieldError | undefined {
  if (min !== undefined && value < min) return { kind: 'min', limit: min }
  return max !== undefined && value > max ? { kind: 'max', limit: max } : undefined
}

/** Everything that keeps a form from being saved, by field. Hidden fields are not checked. */
export function wrongsIn(
  fields: readonly FormField[],
  part: unknown,
  edits: FormEdits,
): ReadonlyMap<string, FieldError> {
  const wrongs = new Map<string, FieldError>()
  for (const field of visibleFields(fields, part, edits)) {
    const typed = edits[field.name]
    const wrong = typed === undefined ? undefined : wrongIn(field, typed)
    if (wrong !== undefined) wrongs.set(field.name, wrong)
  }
  return wrongs
}

/** The fields that make sense with what is typed so far. */
export function visibleFields(fields: readonly FormField[], part: unknown, edits: FormEdits): readonly FormField[] {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return fields.filter(({ when }) => {
    const other = when === undefined ? undefined : byName.get(when.name)
    return when === undefined || other === undefined || when.is.includes(String(shownValue(other, part, edits)))
  })
}

/** Only what was changed, in the structure of the config: what a PATCH sends. Empty when nothing was. */
export function changesIn(
  fields: readonly FormField[],
  part: unknown,
  edits: FormEdits,
): Readonly<Record<string, unknown>> {
  const changes: Record<string, unknown> = {}
  for (const field of visibleFields(fields, part, edits)) {
    const typed = edits[field.name]
    if (typed === undefined || typed === storedValue(field, part)) continue
    setAt(changes, field.name.split('.'), typedValue(field, typed))
  }
  return changes
}

function typedValue(field: FormField, typed: string | boolean): unknown {
  if (typeof typed === 'boolean') return typed
  const text = typed.trim()
  switch (field.kind) {
    case 'whole':
    case 'number': {
      const value = Number(text) * field.times
      return field.asText ? String(value) : value
    }
    case 'lines':
      return linesOf(text)
    case 'rules':
      return linesOf(text).map(ruleOf)
    case 'size':
      return sizeOf(text)
    default:
      return field.name === 'path' ? text : typed
  }
}

/** Blank lines and blanks around a line are dropped. */
export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function ruleOf(line: string): { readonly match: string; readonly permit: boolean } {
  const [, sign = '-', match = ''] = RULE.exec(line) ?? []
  return { match, permit: sign === '+' }
}

function sizeOf(text: string): { readonly value: number; readonly unit: string } {
  const [, digits = '0', word = ''] = SIZE.exec(text) ?? []
  const [start = ''] = word.toLowerCase()
  const unit = SIZE_UNITS.find((one) => one.toLowerCase().startsWith(start) && start !== '') ?? ''
  return { value: Number(digits.replace(',', '.')), unit }
}

function valueAt(part: unknown, name: string): unknown {
  return name.split('.').reduce((value, key) => {
    const fields = fieldsOf(value)
    return Object.hasOwn(fields, key) ? fields[key] : undefined
  }, part)
}

function setAt(target: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[key] = value
    return
  }
  const inner: Record<string, unknown> = { ...fieldsOf(target[key]) }
  setAt(inner, rest, value)
  target[key] = inner
}
