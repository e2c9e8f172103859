import type { Config } from '../../src/core/config/config.ts'
import { fieldsOf, type AnyTable, type Field, type Fields } from '../../src/core/config/field.ts'
import { CONFIG_FIELDS } from '../../src/core/config/redact.ts'

/** A configuration with a text of its own in every place that may hold a secret, found by the tables of its fields. */
export interface PlantedSecrets {
  readonly config: Config
  /** Each secret with the setting that holds it. */
  readonly secrets: ReadonlyMap<string, string>
  /** What is personal, and only left out of support bundles. */
  readonly personal: ReadonlyMap<string, string>
}

/** An address without a listener. */
const CLOSED_ADDRESS = '127.0.0.1:1'

export function plantSecrets(config: Config): PlantedSecrets {
  const secrets = new Map<string, string>()
  const personal = new Map<string, string>()
  const mark = (path: string, into = secrets): string => {
    const text = `planted${secrets.size + personal.size}x${path.replaceAll(/[^a-z]/gi, '').slice(-20)}`
    into.set(text, path)
    return text
  }
  const address = (path: string) =>
    `https://user:${mark(path)}@${CLOSED_ADDRESS}/path?id=7&password=${mark(path)}#${mark(path)}`
  const addresses = (path: string) => [
    address(path),
    `relay://${CLOSED_ADDRESS}/?id=${config.devices[0]?.deviceID ?? ''}&token=${mark(path)}`,
    `dynamic+http://${CLOSED_ADDRESS}/endpoint?${mark(path)}&key=${mark(path)}`,
    `tcp://user:${mark(path)}/@@${CLOSED_ADDRESS}`,
  ]
  const plant = ({ kind, secrecy }: Field<unknown>, value: unknown, path: string): unknown => {
    if (secrecy === 'whole') return mark(path)
    if (secrecy === 'personal') return mark(path, personal)
    if (secrecy === 'params') return { ...fieldsOf(value), command: `/no/program ${mark(path)}`, other: mark(path) }
    if (secrecy !== 'address') return value
    return kind.is === 'texts' ? [...listOf(value), ...addresses(path)] : address(path)
  }
  const planted = (table: AnyTable, value: Fields, path: string): Fields =>
    Object.fromEntries(
      Object.entries(table).map(([key, field]) => {
        const place = path === '' ? key : `${path}.${key}`
        const { kind } = field
        if (kind.is === 'section') return [key, planted(kind.table, fieldsOf(value[key]), place)]
        if (kind.is !== 'sections') return [key, plant(field, value[key], place)]
        return [key, listOf(value[key]).map((item, i) => planted(kind.table, fieldsOf(item), `${place}[${i}]`))]
      }),
    )
  const full = planted(CONFIG_FIELDS, fieldsOf(config), '')
  return { config: full as unknown as Config, secrets, personal }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
