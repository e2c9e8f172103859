/** The address and the key of a daemon, in the `config.xml` of its home. */
import { TwinfoldError } from '../core/errors.ts'

export interface HomeAddress {
  readonly address: string
  readonly useTls: boolean
  readonly apiKey: string
  readonly isEnabled: boolean
}

/** What a running daemon writes while its address is not the configured one. */
export interface RunningAddress {
  /** In the form of `--gui-address`. */
  readonly address: string
  /** The number of its process, by which a file that it could not remove is detected. */
  readonly processId: number
}

/** Undefined for a text that no daemon has written. */
export function parseRunningAddress(text: string): RunningAddress | undefined {
  try {
    const { address, processId } = Object(JSON.parse(text)) as Partial<Record<string, unknown>>
    return typeof address === 'string' && Number.isInteger(processId)
      ? { address, processId: Number(processId) }
      : undefined
  } catch {
    return undefined // no JSON
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads the element `gui` of a configuration that a daemon has written, which has no comments and no CDATA. Throws
 * `config-invalid` where it is missing.
 */
export function readHomeAddress(configXml: string): HomeAddress {
  const [, attributes = '', inside] = /<gui\b([^>]*)>(.*?)<\/gui>/s.exec(configXml) ?? []
  if (inside === undefined) throw new TwinfoldError('config-invalid', 'config.xml has no element gui')
  const textOf = (name: string): string => {
    const [, text = ''] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(inside) ?? []
    return text.trim().replace(/&(#x?[\da-f]+|\w+);/gi, (all, entity: string) => decoded(entity) ?? all)
  }
  return {
    address: textOf('address'),
    useTls: /\btls="true"/.test(attributes),
    apiKey: textOf('apikey'),
    isEnabled: !/\benabled="false"/.test(attributes),
  }
}

function decoded(entity: string): string | undefined {
  if (!entity.startsWith('#')) return Object.hasOwn(ENTITIES, entity) ? ENTITIES[entity] : undefined
  const code = Number(entity.toLowerCase().startsWith('#x') ? `0x${entity.slice(2)}` : entity.slice(1))
  return Number.isInteger(code) && code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined
}
