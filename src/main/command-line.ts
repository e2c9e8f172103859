import { TwinfoldError } from '../core/errors.ts'
import { isFlagWord, readFlags, takesNextWord, type Environment, type Flag } from './flags.ts'
import { ACTION_FLAGS, DIRECTORY_FLAGS, GUI_FLAGS, SERVE_FLAGS } from './serve-flags.ts'
import { readDirectories, type DirectoryChoice } from './serve-options.ts'

/** The commands that need no running daemon. */
export const LOCAL_COMMANDS = [
  'serve',
  'demo',
  'generate',
  'device-id',
  'paths',
  'version',
  'browser',
  'upgrade',
  'service',
  'install-completions',
  'help',
] as const
/** The commands that ask one over REST. */
export const REMOTE_COMMANDS = [
  'folder',
  'device',
  'pending',
  'scan',
  'prio',
  'status',
  'why',
  'debug',
  'events',
  'logs',
  'network',
  'support',
] as const

export type LocalCommand = (typeof LOCAL_COMMANDS)[number]

export type CommandLine =
  | { readonly kind: 'local'; readonly command: LocalCommand; readonly words: readonly string[] }
  | { readonly kind: 'reset-database'; readonly words: readonly string[] }
  | { readonly kind: 'remote'; readonly words: readonly string[] }
  /** Syncthing's own command line: the words after `cli`, the flags that stood before it in front. */
  | { readonly kind: 'cli'; readonly words: readonly string[] }

/** Every flag that may stand before the command, so that its value is not taken for one. */
const FLAGS_BEFORE: readonly Flag[] = [...SERVE_FLAGS, ...ACTION_FLAGS]

/** Finds the command among the words. Without one it is `serve`, as service files of Syncthing expect. */
export function splitCommandLine(words: readonly string[]): CommandLine {
  let at = 0
  while (at < words.length && isFlagWord(words[at]!)) at += takesNextWord(FLAGS_BEFORE, words[at]!) ? 2 : 1
  const command = words[at]
  const others = [...words.slice(0, at), ...words.slice(at + 1)]
  if (command === undefined || command === '--') return { kind: 'local', command: 'serve', words }
  const local = LOCAL_COMMANDS.find((name) => name === command)
  if (local !== undefined) return { kind: 'local', command: local, words: others }
  if (command === 'debug' && words[at + 1] === 'reset-database') {
    return { kind: 'reset-database', words: others.toSpliced(at, 1) }
  }
  if (command === 'cli') return { kind: 'cli', words: others }
  // The flags that stood before go to the end of the command's path, where its own parser looks for them.
  if (REMOTE_COMMANDS.some((name) => name === command))
    return { kind: 'remote', words: [...words.slice(at), ...words.slice(0, at)] }
  throw new TwinfoldError('usage', `unexpected argument ${command}`)
}

/** How a command finds the daemon, taken out of its words. */
export interface DaemonChoice {
  readonly directories: DirectoryChoice
  readonly guiAddress?: string
  readonly guiApiKey?: string
}

/**
 * Takes the words that say where the daemon is from all the others, which stay as they are. Where `-` and a letter may
 * also be the beginning of a value, such a flag counts only in front of the first other word.
 */
export function takeDaemonChoice(
  words: readonly string[],
  environment: Environment,
  shortFlags: 'anywhere' | 'in-front' = 'anywhere',
): { readonly choice: DaemonChoice; readonly words: readonly string[] } {
  const flags = [...DIRECTORY_FLAGS, ...GUI_FLAGS]
  const mine: string[] = []
  const others: string[] = []
  let index = 0
  for (; index < words.length && words[index] !== '--'; index++) {
    const word = words[index]!
    const known = others.length === 0 || shortFlags === 'anywhere' ? flags : flags.map(withoutShort)
    if (takesNextWord(known, word)) mine.push(word, ...words.slice(++index, index + 1))
    else if (isFlagWord(word) && word.includes('=') && isOneOf(known, word)) mine.push(word)
    else others.push(word)
  }
  const { values } = readFlags(flags, mine, environment)
  const guiAddress = values.get('gui-address')
  const guiApiKey = values.get('gui-apikey')
  const choice = {
    directories: readDirectories(values),
    ...(guiAddress !== undefined && { guiAddress }),
    ...(guiApiKey !== undefined && { guiApiKey }),
  }
  return { choice, words: [...others, ...words.slice(index)] }
}

function withoutShort({ short: _short, ...flag }: Flag): Flag {
  return flag
}

function isOneOf(flags: readonly Flag[], word: string): boolean {
  const name = word.split('=')[0]!
  return takesNextWord(flags, name)
}
