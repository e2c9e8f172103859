import type { FlagSpec } from './flag-spec.ts'

/** Where the home is: accepted by every command that has one, before or after the name of the command. */
export const DIRECTORY_FLAGS: readonly FlagSpec[] = [
  { name: 'home', short: 'H', value: 'DIR', env: 'STHOMEDIR', description: 'Directory of configuration and data' },
  {
    name: 'config',
    short: 'C',
    value: 'DIR',
    env: 'STCONFDIR',
    description: 'Directory of configuration and keys; needs --data',
  },
  {
    name: 'data',
    short: 'D',
    value: 'DIR',
    env: 'STDATADIR',
    description: 'Directory of index, log and lock; needs --config',
  },
]

/** How the daemon is reached: an override for `serve`, an address for the commands that connect to it. */
export const GUI_FLAGS: readonly FlagSpec[] = [
  {
    name: 'gui-address',
    value: 'URL',
    env: 'STGUIADDRESS',
    description: 'Address of GUI and REST instead of the configured one',
  },
  {
    name: 'gui-apikey',
    value: 'KEY',
    env: 'STGUIAPIKEY',
    description: 'API key; for serve, in addition to the configured one',
  },
]

/** How a command finds the daemon it connects to. */
export const FINDING_FLAGS: readonly FlagSpec[] = [...DIRECTORY_FLAGS, ...GUI_FLAGS]

/** Accepted by every command. */
export const HELP_FLAG: FlagSpec = { name: 'help', short: 'h', description: 'Show this help' }

export const JSON_FLAG: FlagSpec = { name: 'json', description: 'Print JSON' }

export function checkCount(text: string): string | undefined {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? undefined : 'it must be a whole number, 0 or more'
}

const SECONDS_MAX = 365 * 86_400

export function checkSeconds(text: string): string | undefined {
  return checkCount(text) ?? (Number(text) > SECONDS_MAX ? 'it must not be longer than a year' : undefined)
}
