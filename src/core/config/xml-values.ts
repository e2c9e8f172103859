import { choiceFromText, isTime } from './config-json.ts'
import { TIME_ZERO, type Kind } from './field.ts'
import type { XmlElement } from './xml-tree.ts'
import { parseDeviceIdOrEmpty } from '../device-id.ts'
import { TwinfoldError, messageOf, unreachable } from '../errors.ts'

/** The value of an attribute or element without children. Throws `config-invalid` with line and name. */
export function scalar(kind: Kind, source: XmlElement, name: string, text: string): unknown {
  switch (kind.is) {
    case 'bool':
      return truth(source, name, text)
    case 'int':
      return wholeNumber(source, name, text)
    case 'float':
      return decimal(source, name, text)
    case 'text':
      return text
    case 'choice':
      return choiceFromText(kind, text)
    case 'time':
      if (text === '') return TIME_ZERO
      if (isTime(text)) return text
      throw errorAt(source, `${name}="${shown(text)}" is no time like 2024-01-31T12:00:00Z`)
    case 'device':
      try {
        return parseDeviceIdOrEmpty(text)
      } catch (error) {
        throw errorAt(source, `${name}: ${messageOf(error)}`)
      }
    case 'size':
    case 'params':
    case 'texts':
    case 'section':
    case 'sections':
      throw new Error(`${name} is no single value`)
    default:
      return unreachable(kind)
  }
}

function truth(source: XmlElement, name: string, text: string): boolean {
  const trimmed = text.trim()
  if (/^(1|t|T|TRUE|true|True)$/.test(trimmed)) return true
  if (/^(0|f|F|FALSE|false|False|)$/.test(trimmed)) return false
  throw errorAt(source, `${name} is "${shown(text)}" and must be true or false`)
}

export function wholeNumber(source: XmlElement, name: string, text: string): number {
  const trimmed = text.trim()
  const value = trimmed === '' ? 0 : Number(trimmed)
  if (!/^([+-]?\d+)?$/.test(trimmed) || !Number.isSafeInteger(value)) {
    throw errorAt(source, `${name} is "${shown(text)}" and must be a whole number`)
  }
  return value
}

export function decimal(source: XmlElement, name: string, text: string): number {
  const trimmed = text.trim()
  const value = trimmed === '' ? 0 : Number(trimmed)
  if (!/^([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)?$/.test(trimmed) || !Number.isFinite(value)) {
    throw errorAt(source, `${name} is "${shown(text)}" and must be a number`)
  }
  return value
}

/** Truncates a value for error messages. */
function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** The error of an element, with its line. */
export function errorAt(source: XmlElement, message: string): TwinfoldError {
  return new TwinfoldError('config-invalid', `line ${source.line}: ${message}`)
}
