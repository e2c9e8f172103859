import { TwinfoldError } from '../core/errors.ts'

/** One flag of a command, under every name it ever had. */
export interface Flag {
  /** The name we print, without dashes. */
  readonly name: string
  /** Older or newer spellings of the same thing. */
  readonly aliases?: readonly string[]
  /** One letter, used with one dash. */
  readonly short?: string
  /** What stands for the value in the help text; a flag without it is a switch. */
  readonly value?: string
  /** The variable that sets it when the command line does not. */
  readonly variable?: string
  /** Shown by `--help`; a flag without it is understood but not advertised. */
  readonly help?: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** What the words and the environment said, by the printed name of the flag. A switch is `true` or `false`. */
export interface FlagValues {
  readonly values: ReadonlyMap<string, string>
  /** The words that are no flags, in order. */
  readonly words: readonly string[]
}

const OFF = ['0', 'false', 'no', 'off']

/**
 * Reads flags as Syncthing does: `--name value`, `--name=value`, one dash instead of two, `--no-name` for a switch.
 * The command line wins over the environment, the last flag over those before it. Rejects what is in no table.
 */
export function readFlags(flags: readonly Flag[], words: readonly string[], environment: Environment): FlagValues {
  const values = new Map<string, string>()
  for (const flag of flags) {
    const set = flag.variable === undefined ? undefined : environment[flag.variable]
    if (set !== undefined && set !== '') values.set(flag.name, flag.value === undefined ? switchValue(set) : set)
  }
  const rest: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    if (word === '--') {
      rest.push(...words.slice(index + 1))
      break
    }
    if (!isFlagWord(word)) {
      rest.push(word)
      continue
    }
    const { flag, value, negated } = matchFlag(flags, word)
    if (flag.value === undefined) {
      values.set(flag.name, switchValue(value ?? (negated ? 'false' : 'true')))
      continue
    }
    if (value !== undefined) {
      values.set(flag.name, value)
      continue
    }
    const next = words[++index]
    if (next === undefined) throw new TwinfoldError('usage', `flag --${flag.name}: expected a value (${flag.value})`)
    values.set(flag.name, next)
  }
  return { values, words: rest }
}

/** Whether the word after this one is its value. False for a switch, for `--name=value` and for what no table has. */
export function takesNextWord(flags: readonly Flag[], word: string): boolean {
  if (!isFlagWord(word)) return false
  const found = findFlag(flags, word)
  return found !== undefined && found.flag.value !== undefined && found.value === undefined
}

/** `-` alone means standard input or output: a value, never a flag. */
export function isFlagWord(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && word !== '--'
}

interface Match {
  readonly flag: Flag
  readonly value: string | undefined
  readonly negated: boolean
}

function matchFlag(flags: readonly Flag[], word: string): Match {
  const found = findFlag(flags, word)
  if (found !== undefined) return found
  throw new TwinfoldError('usage', `unknown flag ${word.split('=')[0]}`)
}

function findFlag(flags: readonly Flag[], word: string): Match | undefined {
  if (!word.startsWith('--')) {
    const short = flags.find((flag) => flag.short !== undefined && word.startsWith(`-${flag.short}`))
    if (short !== undefined && (word.length === 2 || short.value !== undefined)) {
      const attached = word.slice(2).replace(/^=/, '')
      return { flag: short, value: word.length === 2 ? undefined : attached, negated: false }
    }
  }
  const [, name, value] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? []
  if (name === undefined || (!word.startsWith('--') && name.length === 1)) return undefined
  const flag = flags.find((candidate) => hasName(candidate, name))
  if (flag !== undefined) return { flag, value, negated: false }
  const positive = name.startsWith('no-') ? name.slice('no-'.length) : undefined
  const denied = flags.find(
    (candidate) => candidate.value === undefined && positive !== undefined && hasName(candidate, positive),
  )
  return denied === undefined || value !== undefined ? undefined : { flag: denied, value, negated: true }
}

function hasName(flag: Flag, name: string): boolean {
  return flag.name === name || (flag.aliases?.includes(name) ?? false)
}

/** Scripts set switches to `1`, `yes` or anything else; only a clear no is a no. */
function switchValue(text: string): 'true' | 'false' {
  return OFF.includes(text.trim().toLowerCase()) ? 'false' : 'true'
}

/** The lines of a help text, one flag each, in two columns. */
export function describeFlags(flags: readonly Flag[]): string {
  const rows = flags
    .filter((flag) => flag.help !== undefined)
    .map((flag) => {
      const short = flag.short === undefined ? '    ' : `-${flag.short}, `
      const variable = flag.variable === undefined ? '' : ` ($${flag.variable})`
      return [
        `  ${short}--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`,
        `${flag.help}${variable}`,
      ] as const
    })
  const width = Math.max(0, ...rows.map(([left]) => left.length)) + 2
  return rows.map(([left, right]) => `${left.padEnd(width)}${right}\n`).join('')
}
