/** W-14: secrets of the configuration, found by the tables of its fields. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceConfig } from '../../../src/core/config/config-edit.ts'
import { configToJson } from '../../../src/core/config/config-json.ts'
import type { AnyTable } from '../../../src/core/config/field.ts'
import { CONFIG_FIELDS, redactConfig, restoreRedacted, secretsIn } from '../../../src/core/config/redact.ts'
import { REDACTED, redactAddress } from '../../../src/core/redact-address.ts'
import { fullConfig, LOCAL_ID } from '../../support/config.ts'
import { plantSecrets } from '../../support/planted-secrets.ts'

/** Settings with any text that are no secrets. A new one has to be added here, or declared with its secrecy. */
const PUBLIC = `
  folders: id label group filesystemType path markerName versioning.type versioning.fsPath versioning.fsType
    xattrFilter.entries.match
  devices: name group certName allowedNetworks ignoredFolders.id ignoredFolders.label
  gui: address unixSocketPermissions theme sessionCookiePath
  options: localAnnounceMCAddr alwaysLocalNets unackedNotificationIDs featureFlags auditFile
  remoteIgnoredDevices: name address
  defaults: ignores.lines`

function publicNames(): ReadonlySet<string> {
  let part = ''
  const names = new Set<string>()
  for (const word of PUBLIC.trim().split(/\s+/)) {
    if (word.endsWith(':')) part = word.slice(0, -1)
    else names.add(`${part}.${word}`)
    if (part === 'folders' && !word.endsWith(':')) names.add(`defaults.folder.${word}`)
    if (part === 'devices' && !word.endsWith(':')) names.add(`defaults.device.${word}`)
  }
  return names
}

function* texts(table: AnyTable, path: string): Generator<readonly [path: string, secrecy: string | undefined]> {
  for (const [key, { kind, secrecy }] of Object.entries(table)) {
    const place = path === '' ? key : `${path}.${key}`
    if ('table' in kind) yield* texts(kind.table, place)
    else if (kind.is === 'text' || kind.is === 'texts' || kind.is === 'params') yield [place, secrecy]
  }
}

test('W-14: every setting that holds a text is declared as secret, or listed as public', () => {
  const known = publicNames()
  const found = [...texts(CONFIG_FIELDS, '')]
  const undeclared = found.filter(([path, secrecy]) => secrecy === undefined && !known.has(path))
  assert.deepEqual(undeclared, [])
  const wrong = found.filter(([path, secrecy]) => secrecy !== undefined && known.has(path))
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    [...known].filter((path) => !found.some(([one]) => one === path)),
    [],
    'listed, and no setting',
  )
})

test('W-14: a redacted configuration has the same form, and none of the secrets planted in every such setting', () => {
  const { config, secrets, personal } = plantSecrets(fullConfig())
  assert.ok(secrets.size > 40, `${secrets.size} secrets`)
  const plain = JSON.stringify(config)
  const shown = redactConfig(config, { personal: false })
  const hidden = JSON.stringify(redactConfig(config, { personal: true }))
  for (const [secret, path] of secrets) {
    assert.ok(plain.includes(secret), path)
    assert.ok(!JSON.stringify(shown).includes(secret), path)
    assert.ok(!hidden.includes(secret), path)
  }
  for (const [name, path] of personal) {
    assert.ok(JSON.stringify(shown).includes(name), path)
    assert.ok(!hidden.includes(name), path)
  }
  const all = secretsIn(config)
  for (const [secret, path] of secrets)
    assert.ok(
      all.some((one) => one.includes(secret)),
      path,
    )
  const formOf = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, formOf(inner)]))
      : typeof value
  assert.deepEqual(formOf(configToJson(shown)), formOf(configToJson(config)))
  const bare = redactConfig(fullConfig(), { personal: true })
  assert.equal(bare.folders[0]?.devices[0]?.encryptionPassword, '', 'an empty one is shown as empty')
})

test('W-14: what was redacted and comes back changes nothing, and a redacted secret that is unknown is refused', () => {
  const { config } = plantSecrets(fullConfig())
  const shown = redactConfig(config, { personal: false })
  assert.deepEqual(restoreRedacted(config, shown), config)
  assert.deepEqual(restoreRedacted(config, config), config)
  const sent = replaceConfig(config, configToJson(shown), config.devices[0]?.deviceID ?? LOCAL_ID)
  assert.deepEqual(restoreRedacted(config, sent).folders, config.folders)

  const [folder] = shown.folders
  assert.ok(folder !== undefined)
  const renamed = { ...shown, folders: [{ ...folder, id: 'other' as never }] }
  assert.throws(() => restoreRedacted(config, renamed), {
    code: 'bad-request',
    message: /^folders\[other\].*: is redacted; load the configuration again/,
  })
  const moved = { ...shown, options: { ...shown.options, releasesURL: `https://${REDACTED}@elsewhere.example/` } }
  assert.throws(() => restoreRedacted(config, moved), /^TwinfoldError: options\.releasesURL: is redacted/)
  const without = { ...config, gui: { ...config.gui, password: '' } }
  assert.throws(() => restoreRedacted(without, shown), /gui\.password: is redacted/)
  const [device] = folder.devices
  const changed = { ...shown, folders: [{ ...folder, devices: [{ ...device!, encryptionPassword: 'new' }] }] }
  assert.equal(restoreRedacted(config, changed).folders[0]?.devices[0]?.encryptionPassword, 'new')
})

const ADDRESSES: readonly (readonly [address: string, shown: string])[] = [
  ['dynamic', 'dynamic'],
  ['tcp://192.0.2.1:22000', 'tcp://192.0.2.1:22000'],
  ['relay://h:1/?id=A&token=t&pingInterval=1m', 'relay://h:1/?id=A&token=REDACTED&pingInterval=1m'],
  ['relay://h:1/?TOKEN=t&Id=A', 'relay://h:1/?TOKEN=REDACTED&Id=A'],
  ['https://u:p@h/v2/?noannounce&id=A', 'https://REDACTED@h/v2/?noannounce&id=A'],
  ['https://u@h/', 'https://REDACTED@h/'],
  ['https://u:p@p@h/', 'https://REDACTED@h/'],
  ['tcp://u:p/p@h', 'tcp://REDACTED@h'],
  ['https://h/@scope/name', 'https://h/@scope/name'],
  ['dynamic+https://h/e?t#f', 'dynamic+https://h/e?REDACTED#REDACTED'],
  ['https://h/?a=1=2&&b=', 'https://h/?a=REDACTED&&b=REDACTED'],
  ['not a url ? x', 'not a url ?REDACTED'],
]

for (const [address, shown] of ADDRESSES)
  test(`W-14: ${address} is shown as ${shown}`, () => assert.equal(redactAddress(address), shown))

test('restoring secrets leaves every unchanged part the same object', () => {
  const { config: now } = plantSecrets(fullConfig())
  assert.equal(restoreRedacted(now, now), now)
  const next = { ...now, options: { ...now.options, maxFolderConcurrency: 7 } }
  assert.equal(restoreRedacted(now, next).folders, now.folders)
  assert.equal(restoreRedacted(now, next).gui, now.gui)
})
