import { DEFAULTS, DEVICE, FOLDER, GUI, LDAP, OBSERVED_DEVICE, OPTIONS } from './config-fields.ts'
import type { Config } from './config.ts'
import type { AnyTable, Field } from './field.ts'
import type { XmlNode } from './xml-tree.ts'

/** Unknown nodes of one element of the file: kept, and written back in their place. */
export interface UnknownNodes {
  readonly attributes: readonly (readonly [string, string])[]
  readonly nodes: readonly { readonly node: XmlNode; readonly before: string | undefined }[]
}

/** By place: `configuration`, `configuration/folder:photos`, `configuration/options`, … */
export type UnknownNodesByPlace = ReadonlyMap<string, UnknownNodes>

export interface ConfigDocument {
  readonly config: Config
  readonly unknowns: UnknownNodesByPlace
}

export const ROOT = 'configuration'

/** The whole file as a table: its parts are sections. */
export const CONFIGURATION: AnyTable = {
  version: { kind: { is: 'int' }, xml: 'version', attribute: true, default: 0, omitEmpty: false },
  folders: list(FOLDER, 'folder', 'id'),
  devices: list(DEVICE, 'device', 'deviceID'),
  gui: part(GUI, 'gui'),
  ldap: part(LDAP, 'ldap'),
  options: part(OPTIONS, 'options'),
  remoteIgnoredDevices: list(OBSERVED_DEVICE, 'remoteIgnoredDevice', 'deviceID'),
  defaults: part(DEFAULTS, 'defaults'),
}

function list(table: AnyTable, xml: string, identity: string): Field<unknown> {
  return { kind: { is: 'sections', table, identity }, xml, attribute: false, default: [], omitEmpty: false }
}

function part(table: AnyTable, xml: string): Field<unknown> {
  return { kind: { is: 'section', table }, xml, attribute: false, default: undefined, omitEmpty: false }
}
