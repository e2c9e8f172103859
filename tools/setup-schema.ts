/** Writes docs/twinfold.schema.json, the JSON Schema of a set-up file, from the tables of the configuration. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SCOPES } from '../src/core/access.ts'
import { DEVICE, FOLDER, GUI, LDAP, OPTIONS } from '../src/core/config/config-fields.ts'
import { FOLDER_EXTENSIONS } from '../src/core/config/extensions.ts'
import { MERGE_MODES } from '../src/core/config/merge-settings.ts'
import type { AnyTable, Kind } from '../src/core/config/field.ts'
import { HOOK_CONDITIONS, HOOK_FORMATS } from '../src/core/hooks/hook.ts'
import { WEEKDAYS } from '../src/core/schedule/rule.ts'
import { DEVICE_NAMES, SETUP_SWITCHES } from '../src/core/setup/setup-file.ts'
import type { HOOK_NAMES, RULE_NAMES } from '../src/core/setup/setup-parts.ts'

type Schema = Readonly<Record<string, unknown>>

const PATH = join(import.meta.dirname, '..', 'docs', 'twinfold.schema.json')
/** A text, or where it comes from. */
const TEXT: Schema = {
  anyOf: [
    { type: 'string' },
    strict({ file: { type: 'string' } }, ['file']),
    strict({ env: { type: 'string' } }, ['env']),
  ],
}
const list = (items: Schema): Schema => ({ type: 'array', items })

function strict(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false }
}

function kindSchema(kind: Kind): Schema {
  switch (kind.is) {
    case 'bool':
      return { type: 'boolean' }
    case 'int':
      return { type: 'integer' }
    case 'float':
      return { type: 'number' }
    case 'size':
      return strict({ value: { type: 'number' }, unit: { type: 'string' } })
    case 'params':
      return { type: 'object', additionalProperties: TEXT }
    case 'choice':
      return { enum: kind.values }
    case 'texts':
      return list(TEXT)
    case 'section':
      return strict(fields(kind.table))
    case 'sections':
      return list(strict(fields(kind.table)))
    default:
      return TEXT
  }
}

function fields(table: AnyTable, names = Object.keys(table)): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, kindSchema(table[name]!.kind)]))
}

const KBPS: Schema = { type: 'integer', minimum: 0 }
const RULE = {
  name: TEXT,
  days: list({ enum: WEEKDAYS }),
  from: TEXT,
  to: TEXT,
  folder: TEXT,
  device: TEXT,
  pause: { type: 'boolean' },
  maxSendKbps: KBPS,
  maxRecvKbps: KBPS,
} satisfies Record<(typeof RULE_NAMES)[number], Schema>
const HOOK = {
  name: TEXT,
  on: { enum: HOOK_CONDITIONS },
  folder: TEXT,
  device: TEXT,
  after: TEXT,
  url: TEXT,
  format: { enum: HOOK_FORMATS },
  secret: TEXT,
  allowPrivate: { type: 'boolean' },
  program: TEXT,
  args: list(TEXT),
} satisfies Record<(typeof HOOK_NAMES)[number], Schema>

/** The whole schema. */
export function setupSchema(): Schema {
  const share = { anyOf: [{ type: 'string' }, strict({ id: TEXT, encryptionPassword: TEXT }, ['id'])] }
  const settings = Object.entries({
    ...Object.fromEntries(Object.entries(FOLDER_EXTENSIONS).map(([name, value]) => [name, { type: typeof value }])),
    merge: { enum: MERGE_MODES },
    mergeUnion: list({ type: 'string' }),
    mergePrograms: { type: 'object', additionalProperties: list({ type: 'string' }) },
  })
  const { devices: _, ...folder } = fields(FOLDER)
  const deviceNames = DEVICE_NAMES.filter((name) => name !== 'id')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A set-up file of Twinfold',
    ...strict({
      identity: strict({ certificate: TEXT, key: TEXT }, ['certificate']),
      devices: list(strict({ id: TEXT, ...fields(DEVICE, deviceNames) }, ['id'])),
      folders: list(
        strict({ ...folder, devices: list(share), ignores: list(TEXT), ...Object.fromEntries(settings) }, ['id']),
      ),
      options: strict(fields(OPTIONS)),
      gui: strict(fields(GUI)),
      ldap: strict(fields(LDAP)),
      ...Object.fromEntries(SETUP_SWITCHES.map((name) => [name, { type: 'boolean' }])),
      schedule: list(strict(RULE, ['name', 'from', 'to'])),
      hooks: list(strict(HOOK, ['name', 'on'])),
      keys: list(
        strict({ name: TEXT, scope: { enum: SCOPES }, folders: list(TEXT), expires: TEXT, key: TEXT }, ['name', 'key']),
      ),
    }),
  }
}

if (process.argv[1] === import.meta.filename) writeFileSync(PATH, `${JSON.stringify(setupSchema(), undefined, 2)}\n`)
