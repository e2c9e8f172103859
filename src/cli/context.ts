import { messageOf, systemCode, TwinfoldError } from '../core/errors.ts'
import type { DeviceConfig, FolderConfig } from '../core/config/config.ts'
import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { nearestTexts } from '../core/formats/nearest.ts'
import { escapeText } from './text.ts'

/** Exit codes of the commands that connect to the daemon. */
export const CLI_EXIT = {
  done: 0,
  failed: 1,
  different: 2,
  noDaemon: 3,
  doneWithProblems: 4,
  interrupted: 130,
} as const
export type CliExit = (typeof CLI_EXIT)[keyof typeof CLI_EXIT]

/** No home was found; the exit code is the same as for an unreachable daemon. */
const NO_HOME = 'ENOHOME'

/** The class marks it as an error of the system, not of the command line. */
export function noHome(message: string): Error {
  return Object.assign(new Error(message), { code: NO_HOME })
}

/** A daemon that a command may connect to, and its name in messages. */
export interface Connection {
  readonly client: Client
  readonly address: string
  /** Undefined when the address was given and no home was read. */
  readonly home: string | undefined
}

/** Everything that a command uses of its process. */
export interface CliContext {
  /** The name the program was started under. */
  readonly program: string
  /** Finds the daemon; rejects with a readable message when no home is found. */
  connect(): Promise<Connection>
  /** Standard output, whole lines. */
  print(line: string): void
  /** Standard output, as it is. Resolves when more can be written. */
  printBytes(bytes: Uint8Array): Promise<void>
  /** Standard error: errors and anything that is not a result. */
  printError(line: string): void
  /** Redraws the last line of the terminal; an empty text clears it. No effect if the output is not a terminal. */
  redraw(line: string): void
  /** Whether the output is a terminal. */
  readonly interactive: boolean
  /** Columns of a line; Infinity without a limit. */
  readonly columns: number
  /** Standard input, line by line. */
  inputLines(): AsyncIterable<string>
  /** The text of a file named on the command line. */
  readText(path: string): Promise<string>
  /** Creates a file that only its owner may read. Rejects if the file exists. */
  writeNew(path: string, bytes: Uint8Array): Promise<void>
  /** A variable of the environment. */
  environment(name: string): string | undefined
  /** Makes a path from the command line absolute. */
  absolutePath(path: string): string
  /** Monotonic. */
  nowMs(): number
  /** Of the wall clock. */
  timeMs(): number
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
  /** Random letters and digits, for new ids. */
  randomText(length: number): string
  /** Aborts on an interrupt. */
  readonly signal: AbortSignal
}

/** Finds a folder by its id, or by its label if the label is unique. */
export async function findFolder(client: Client, text: string): Promise<FolderConfig> {
  const folders = await client.folders()
  const byLabel = folders.filter((folder) => folder.label === text)
  const found = folders.find((folder) => folder.id === text) ?? (byLabel.length === 1 ? byLabel[0] : undefined)
  if (found !== undefined) return found
  const known = folders.map((folder) => folder.id)
  const near = nearestTexts(text, new Set([...known, ...folders.map(({ label }) => label)]), 1)
  const remedy =
    known.length === 0 ? 'there are none yet; add one with "folder add PATH"' : `known folders: ${known.join(', ')}`
  const reason = byLabel.length > 1 ? `more than one folder is labelled "${text}"` : `there is no folder "${text}"`
  throw new TwinfoldError('folder-missing', `${reason}; ${remedy}${byLabel.length > 1 ? '' : suggestion(near)}`)
}

/** The end of an error message that names what was probably meant; empty without candidates. */
export function suggestion(near: readonly string[]): string {
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
}

/** Finds a device by its id in any spelling, or by its name if the name is unique. */
export function findDevice(devices: readonly DeviceConfig[], text: string): DeviceConfig {
  const plain = (id: string) => id.replace(/[- ]/g, '').toUpperCase()
  const byName = devices.filter((device) => device.name === text)
  const found =
    devices.find((device) => plain(device.deviceID) === plain(text)) ?? (byName.length === 1 ? byName[0] : undefined)
  if (found !== undefined) return found
  const known = devices.map((device) => `${device.deviceID} (${device.name})`).join(', ')
  if (byName.length > 1) {
    const ids = byName.map(({ deviceID }) => deviceID).join(', ')
    throw new TwinfoldError('device-missing', `more than one device is named "${text}"; use the ID: ${ids}`)
  }
  const near = suggestion(
    nearestTexts(
      text,
      devices.map(({ name }) => name),
      1,
    ),
  )
  throw new TwinfoldError('device-missing', `there is no device "${text}"; known devices: ${known}${near}`)
}

/** The message and the exit code for an error of a command. */
export function explainFailure(
  error: unknown,
  program: string,
  connection: Connection | undefined,
): { message: string; code: CliExit } {
  if (systemCode(error) === NO_HOME) return { message: escapeText(messageOf(error)), code: CLI_EXIT.noDaemon }
  if (!(error instanceof ClientError)) {
    return { message: escapeText(messageOf(error)), code: CLI_EXIT.failed }
  }
  const address = connection?.address ?? 'the daemon'
  const home = connection?.home === undefined ? '' : ` (home ${escapeText(connection.home)})`
  switch (error.failure) {
    case 'unreachable': {
      const start = `${program} serve${connection?.home === undefined ? '' : ` --home ${escapeText(connection.home)}`}`
      const hint = `Start it with "${start}", or name another home with --home, or its address with --gui-address`
      const message = `no daemon responds at ${address}${home}: ${escapeText(error.message)}. ${hint}`
      return { message, code: CLI_EXIT.noDaemon }
    }
    case 'impostor': {
      const reason = 'the certificate is not the one in the home, so the API key was not sent'
      return { message: `${address}: ${reason}${home}`, code: CLI_EXIT.failed }
    }
    case 'timeout':
      return { message: `the daemon at ${address}${home} returned ${error.message}`, code: CLI_EXIT.noDaemon }
    case 'refused': {
      const remedy = 'another daemon may run at this address; give its home with --home, or its key with --gui-apikey'
      return {
        message: `the daemon at ${address} does not accept the API key${home}: ${remedy}`,
        code: CLI_EXIT.failed,
      }
    }
    case 'malformed':
      return { message: `${address}: ${escapeText(error.message)}`, code: CLI_EXIT.failed }
    case 'no-home':
      return { message: escapeText(error.message), code: CLI_EXIT.noDaemon }
    case 'status':
      return { message: escapeText(error.message), code: CLI_EXIT.failed }
  }
}
