import type { Config } from '../../core/config/config.ts'
import { configToJson } from '../../core/config/config-json.ts'
import { formatJson } from '../pipeline/json.ts'
import type { ZipFile } from '../formats/zip.ts'

const HIDDEN = 'REDACTED'
/** Shorter secrets occur by chance in other text, and are not redacted there. */
const SECRET_LENGTH_MIN = 4

export interface BundlePart {
  readonly name: string
  /** Called when the file is written. An error is written into the bundle instead. */
  read(): Promise<string> | string
}

/** The texts of a support bundle, one after the other, each without the secrets of the configuration. */
export async function* bundleFiles(parts: readonly BundlePart[], secrets: readonly string[]): AsyncGenerator<ZipFile> {
  for (const { name, read } of parts) {
    let content: string
    try {
      content = await read()
    } catch (error) {
      content = `could not be made: ${error instanceof Error ? error.message : String(error)}\n`
    }
    yield { name, content: withoutSecrets(content, secrets) }
  }
}

/** The configuration without credentials and user names. */
export function redactedConfig(config: Config): string {
  const { folders, devices, gui, ldap, options, defaults, ...rest } = config
  const hide = (text: string) => (text === '' ? '' : HIDDEN)
  const folder = (one: Config['folders'][number]) => ({
    ...one,
    devices: one.devices.map((device) => ({
      ...device,
      encryptionPassword: hide(device.encryptionPassword),
    })),
    versioning: {
      ...one.versioning,
      params: Object.fromEntries(
        Object.entries(one.versioning.params).map(([key, value]) => [key, key === 'command' ? hide(value) : value]),
      ),
    },
  })
  const shown: Config = {
    ...rest,
    folders: folders.map(folder),
    devices: devices.map((device) => ({
      ...device,
      addresses: device.addresses.map(withoutLogin),
    })),
    gui: { ...gui, user: hide(gui.user), password: hide(gui.password), apiKey: hide(gui.apiKey) },
    ldap: {
      ...ldap,
      bindDN: hide(ldap.bindDN),
      searchBaseDN: hide(ldap.searchBaseDN),
      searchFilter: hide(ldap.searchFilter),
    },
    options: {
      ...options,
      urUniqueId: hide(options.urUniqueId),
      listenAddresses: options.listenAddresses.map(withoutLogin),
      globalAnnounceServers: options.globalAnnounceServers.map(withoutLogin),
    },
    defaults: { ...defaults, folder: folder(defaults.folder) },
  }
  return formatJson(configToJson(shown))
}

/** All secrets of a configuration, and other API keys. */
export function secretsOf(config: Config, others: readonly (string | undefined)[]): readonly string[] {
  const { folders, defaults, gui } = config
  const passwords = [...folders, defaults.folder].flatMap(({ devices }) =>
    devices.map(({ encryptionPassword }) => encryptionPassword),
  )
  const all = [gui.apiKey, gui.password, ...passwords, ...addressesOf(config).flatMap(loginsOf), ...others]
  return [...new Set(all.filter((secret) => secret !== undefined))]
    .filter(({ length }) => length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length) // a secret that contains another comes first
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
      clean = clean.replaceAll(form, HIDDEN)
  }
  return clean
}

function addressesOf({ devices, options }: Config): readonly string[] {
  return [
    ...devices.flatMap(({ addresses }) => addresses),
    ...options.listenAddresses,
    ...options.globalAnnounceServers,
  ]
}

/** The password and the token of an address, as written and decoded: the log may contain either form. */
function loginsOf(address: string): readonly string[] {
  const password = /\/\/[^/@:]*:([^/@]*)@/.exec(address)?.[1]
  const tokens = [...address.matchAll(/[?&]token=([^&]*)/gi)].map(([, token]) => token)
  return [password, ...tokens].flatMap((secret) => (secret === undefined ? [] : [secret, decoded(secret)]))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // not an encoded text
  }
}

/** Addresses may contain a user name and a password, or the token of a relay. */
function withoutLogin(address: string): string {
  return address.replace(/\/\/[^/@]*@/, `//${HIDDEN}@`).replace(/([?&]token=)[^&]*/gi, `$1${HIDDEN}`)
}
