import type {
  Config,
  DefaultsConfig,
  DeviceConfig,
  FolderConfig,
  GuiConfig,
  LdapConfig,
  OptionsConfig,
} from '../core/config/config.ts'
import {
  DEFAULT_IGNORES,
  DEVICE,
  FOLDER,
  GUI,
  LDAP,
  OBSERVED_DEVICE,
  OPTIONS,
  type DEFAULTS,
} from '../core/config/config-fields.ts'
import type { AnyTable, Kind } from '../core/config/field.ts'
import { unreachable } from '../core/errors.ts'
import type { Change } from './config.ts'
import { FILE_ENTRY, TREE_ENTRY, type FileEntryJson, type TreeEntryJson } from './db.ts'
import { eventSchema, type EventJson } from './event-data.ts'
import {
  BOOLEAN,
  COUNT,
  INTEGER,
  NUMBER,
  TEXT,
  TIME,
  described,
  list,
  map,
  nullable,
  object,
  ref,
  type Schema,
} from './schema.ts'

/** The named schemas of the OpenAPI document and their types. */
export interface ComponentTypes {
  readonly FileEntry: FileEntryJson
  readonly TreeEntry: TreeEntryJson
  readonly Event: EventJson
  readonly Config: Config
  readonly ConfigChange: Change<Config>
  readonly Folder: FolderConfig
  readonly FolderChange: Change<FolderConfig>
  readonly Device: DeviceConfig
  readonly DeviceChange: Change<DeviceConfig>
  readonly Gui: GuiConfig
  readonly GuiChange: Change<GuiConfig>
  readonly Ldap: LdapConfig
  readonly LdapChange: Change<LdapConfig>
  readonly Options: OptionsConfig
  readonly OptionsChange: Change<OptionsConfig>
  readonly DefaultIgnores: DefaultsConfig['ignores']
  readonly DefaultIgnoresChange: Change<DefaultsConfig['ignores']>
}

/** All named schemas. Those of the configuration are derived from its table of fields. */
export function componentSchemas(): Readonly<Record<keyof ComponentTypes, Schema>> {
  return {
    FileEntry: FILE_ENTRY,
    TreeEntry: TREE_ENTRY,
    Event: eventSchema(),
    Config: described(object(configFields('')), 'The whole configuration.'),
    ConfigChange: described(partial(configFields('Change')), 'The whole configuration, as a client sends it.'),
    ...both('Folder', FOLDER, 'The settings of a folder.'),
    ...both('Device', DEVICE, 'The settings of a device.'),
    ...both('Gui', GUI, 'The settings of this interface.'),
    ...both('Ldap', LDAP, 'The settings for LDAP.'),
    ...both('Options', OPTIONS, 'Options of the daemon as a whole.'),
    ...both('DefaultIgnores', DEFAULT_IGNORES, 'The ignore patterns a new folder starts with.'),
  }
}

type Fields = Record<string, Schema>

function configFields(suffix: '' | 'Change'): Fields {
  const folder = ref(`Folder${suffix}`)
  const device = ref(`Device${suffix}`)
  const part = suffix === '' ? object : partial
  return {
    version: COUNT,
    folders: list(folder),
    devices: list(device),
    gui: ref(`Gui${suffix}`),
    ldap: ref(`Ldap${suffix}`),
    options: ref(`Options${suffix}`),
    remoteIgnoredDevices: list(part(fieldsOf(OBSERVED_DEVICE, suffix === ''))),
    defaults: part({ folder, device, ignores: ref(`DefaultIgnores${suffix}`) } satisfies Record<
      keyof typeof DEFAULTS,
      Schema
    >),
  }
}

/** The schema of a part in replies, with all fields, and in requests, where every field is optional. */
function both<Name extends string>(name: Name, table: AnyTable, text: string) {
  return {
    [name]: described(object(fieldsOf(table, true)), text),
    [`${name}Change`]: described(partial(fieldsOf(table, false)), `${text} All fields are optional.`),
  } as Record<Name | `${Name}Change`, Schema>
}

function partial(fields: Fields): Schema {
  return object(fields, Object.keys(fields))
}

function fieldsOf(table: AnyTable, whole: boolean): Fields {
  return Object.fromEntries(Object.entries(table).map(([name, { kind }]) => [name, kindSchema(kind, whole)]))
}

function kindSchema(kind: Kind, whole: boolean): Schema {
  switch (kind.is) {
    case 'bool':
      return BOOLEAN
    case 'int':
      return INTEGER
    case 'float':
      return NUMBER
    case 'text':
      return TEXT
    case 'device':
      return described(TEXT, 'A device id, or empty.')
    case 'time':
      return TIME
    case 'size':
      return whole ? object({ value: NUMBER, unit: TEXT }) : partial({ value: NUMBER, unit: TEXT })
    case 'params':
      return map(TEXT)
    case 'choice':
      // An unknown value is read as the first one, so a request may contain any.
      return whole ? { enum: kind.values } : described(TEXT, `One of ${kind.values.join(', ')}.`)
    case 'texts':
      return whole ? list(TEXT) : nullable(list(TEXT))
    case 'section':
      return whole ? object(fieldsOf(kind.table, true)) : partial(fieldsOf(kind.table, false))
    case 'sections':
      return whole ? list(object(fieldsOf(kind.table, true))) : nullable(list(partial(fieldsOf(kind.table, false))))
    default:
      return unreachable(kind)
  }
}
