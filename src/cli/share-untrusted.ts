import type { Client } from '../client/client.ts'
import type { DeviceConfig, FolderConfig } from '../core/config/config.ts'
import { groupedPassword, PASSWORD_BYTES, strengthOf, type Strength } from '../core/encryption/folder-password.ts'
import { readableCopy, type ReadableCopy } from '../core/encryption/readable-copy.ts'
import { TwinfoldError } from '../core/errors.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
import { PASSWORD_LINES, passwordInLines, passwordInText, passwordSheet } from './password-file.ts'
import { foundBoth, namesOf } from './share-commands.ts'
import { escapeText } from './text.ts'

export interface UntrustedOptions {
  readonly json?: boolean
  /** The file with the password; `-` is standard input. */
  readonly passwordFile?: string
  /** Where the password is saved. */
  readonly save?: string
}

const HINTS: Readonly<Record<Strength, string>> = {
  weak: 'Warning: the password is weak: easy to guess for who has the data.',
  fair: 'The password is fair; a longer one is safer.',
  strong: 'The password is strong.',
}

const SEES =
  'They see how many files there are, how large they are and when they change; no names, contents or times. ' +
  'They can lose or withhold data, but not change it.'

/** Shares a folder with devices that must not read it: they get encrypted data only. */
export async function folderShareUntrusted(
  context: CliContext,
  client: Client,
  text: string,
  names: readonly string[],
  options: UntrustedOptions,
): Promise<CliExit> {
  const { folder, devices } = await foundBoth(client, text, names)
  if (folder.type === 'receiveencrypted') {
    throw new TwinfoldError('refused', `folder "${folder.id}" is encrypted here already: share it without --untrusted`)
  }
  for (const device of devices) await refuseReadableCopy(context, client, folder, device)
  const { password, from } = await passwordFor(context, folder, options.passwordFile)
  // Before the password is used: without it the data cannot be restored.
  if (options.save !== undefined) {
    await context.writeNew(context.absolutePath(options.save), Buffer.from(sheetOf(folder, devices, password)))
  }
  const ids: readonly string[] = devices.map(({ deviceID }) => deviceID)
  const others = folder.devices.filter(({ deviceID }) => !ids.includes(deviceID))
  const shares = devices.map(({ deviceID }) => ({ deviceID, encryptionPassword: password }))
  await client.changeFolder(folder.id, { devices: [...others, ...shares] })
  const marked = await markUntrusted(client, folder, devices)
  if (options.json) {
    const shown = from === 'made' ? { password } : {}
    context.print(JSON.stringify({ folder: folder.id, devices: ids, untrusted: marked, ...shown }, undefined, 2))
  } else printDone(context, folder, devices, { password, from, save: options.save })
  return CLI_EXIT.done
}

async function refuseReadableCopy(
  { program }: CliContext,
  client: Client,
  folder: FolderConfig,
  device: DeviceConfig,
): Promise<void> {
  const copy = await readableCopyAt(client, folder, device)
  if (copy === 'none') return
  const name = namesOf([device])
  const id = escapeText(folder.id)
  const reason =
    copy === 'shared'
      ? `folder "${id}" is shared with ${name} in readable form`
      : `${name} has "${id}" in readable form`
  const unshare =
    copy === 'shared'
      ? `"${program} folder unshare ${id} ${escapeText(device.name) || device.deviceID}" here, then `
      : ''
  throw new TwinfoldError(
    'refused',
    `${reason}: a password would hide nothing of that copy, and disconnect the two devices. For an encrypted copy: ` +
      `${unshare}remove the folder and its files on ${name}, then run this command again`,
  )
}

async function readableCopyAt(client: Client, folder: FolderConfig, { deviceID }: DeviceConfig): Promise<ReadableCopy> {
  const share = folder.devices.find((each) => each.deviceID === deviceID)
  if (share === undefined) {
    const pending = await client.call('GET /rest/cluster/pending/folders', { query: { device: deviceID } })
    const offer = Object.hasOwn(pending, folder.id) ? pending[folder.id]?.offeredBy[deviceID] : undefined
    return readableCopy({ share, remoteState: undefined, offer })
  }
  const query = { folder: folder.id, device: deviceID }
  const { remoteState } = await client.call('GET /rest/db/completion', { query })
  return readableCopy({ share, remoteState, offer: undefined })
}

interface Password {
  readonly password: string
  readonly from: 'given' | 'folder' | 'made'
}

/** Given, or the one that the folder has for another device, or a new one. Never an argument: others would see it. */
async function passwordFor(context: CliContext, folder: FolderConfig, file: string | undefined): Promise<Password> {
  if (file !== undefined) {
    const password =
      file === '-' ? passwordInLines(await firstLines(context)) : passwordInText(await context.readText(file))
    return { password, from: 'given' }
  }
  const known = folder.devices.find(({ encryptionPassword }) => encryptionPassword !== '')?.encryptionPassword
  if (known !== undefined) return { password: known, from: 'folder' }
  return { password: groupedPassword(context.randomText(PASSWORD_BYTES)), from: 'made' }
}

async function firstLines(context: CliContext): Promise<readonly string[]> {
  if (context.interactive) context.printError('Password of the folder (it is shown while you type):')
  const lines: string[] = []
  for await (const line of context.inputLines()) {
    lines.push(line)
    if (context.interactive || lines.length === PASSWORD_LINES) break
  }
  return lines
}

/** They never get plain data then; not those that have some other folder in plain form. */
async function markUntrusted(
  client: Client,
  { id }: FolderConfig,
  devices: readonly DeviceConfig[],
): Promise<readonly string[]> {
  const folders = await client.folders()
  const hasPlain = ({ deviceID }: DeviceConfig): boolean =>
    folders.some(
      (folder) =>
        folder.id !== id &&
        folder.type !== 'receiveencrypted' &&
        folder.devices.some((device) => device.deviceID === deviceID && device.encryptionPassword === ''),
    )
  const marked = devices.filter((device) => !device.untrusted && !hasPlain(device)).map(({ deviceID }) => deviceID)
  for (const deviceID of marked) {
    await client.call('PATCH /rest/config/devices/:id', { id: deviceID, body: { untrusted: true } })
  }
  return marked
}

function printDone(
  context: CliContext,
  folder: FolderConfig,
  devices: readonly DeviceConfig[],
  { password, from, save }: Password & { readonly save: string | undefined },
): void {
  const id = escapeText(folder.id)
  context.print(`Folder "${id}" is shared with ${namesOf(devices)}, encrypted. ${SEES}`)
  if (from === 'folder') context.print('The password is the one that the folder has for another device.')
  else if (from === 'given') context.print(HINTS[strengthOf(password)])
  else if (save === undefined) context.print(`The password is ${password}`)
  context.print(
    save === undefined
      ? 'You need the password to get the data back: save it outside of these devices.'
      : `The password is saved in ${escapeText(save)}. You need it to get the data back: keep it elsewhere.`,
  )
  context.print(`On the other device: "pending accept ${id} --path DIRECTORY".`)
}

function sheetOf({ id }: FolderConfig, devices: readonly DeviceConfig[], password: string): string {
  return passwordSheet(password, [
    `The first line is the password of folder "${escapeText(id)}", which is encrypted on ${namesOf(devices)}.`,
    'This restores the files from a copy of the encrypted directory:',
    `twinfold decrypt DIRECTORY --folder-id ${escapeText(id)} --to DIRECTORY --password-file THIS-FILE`,
  ])
}
