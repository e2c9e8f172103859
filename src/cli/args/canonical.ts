import { TwinfoldError } from '../../core/errors.ts'
import type { FlagSpec } from './flag-spec.ts'

/** A flag under its canonical name. A switch without a value has `true`, a negated one `false`. */
export interface GivenFlag {
  readonly name: string
  readonly value: string
}

/** A command line with every known spelling of a flag replaced by the canonical one. */
export interface CanonicalArgs {
  /** The arguments that are not flags, in order. */
  readonly operands: readonly string[]
  readonly flags: readonly GivenFlag[]
  /** Flags that no command has, without their values; with two dashes unless they are one letter. */
  readonly unknown: readonly string[]
  /** What follows `--` or the command that takes its arguments as they are. */
  readonly rest: readonly string[]
}

/**
 * Rewrites the spellings that Syncthing accepts and no parser library supports: one dash instead of two, older names,
 * `--no-name` and `--name=false` for a switch, values that begin with a dash. Stops after the operand `until`.
 */
export function canonicalArgs(flags: readonly FlagSpec[], args: readonly string[], until?: string): CanonicalArgs {
  const operands: string[] = []
  const given: GivenFlag[] = []
  const unknown: string[] = []
  let index = 0
  while (index < args.length) {
    const arg = args[index++]!
    if (arg === '--') break
    if (!isFlag(arg)) {
      operands.push(arg)
      if (operands.length === 1 && arg === until) break
      continue
    }
    const match = matchFlag(flags, arg)
    if (match === undefined) unknown.push(unknownFlag(arg))
    else if (match.flag.onOff === true && arg === `--${match.flag.name}` && isOnOff(args[index]))
      given.push({ name: match.flag.name, value: args[index++]! })
    else given.push({ name: match.flag.name, value: match.value ?? valueAfter(match.flag, args, index++) })
  }
  return { operands, flags: given, unknown, rest: args.slice(index) }
}

/**
 * Takes some flags out of arguments that otherwise stay as they are. A dash and a letter may also be the beginning of a
 * value there, so the short form of a flag counts only in front of the first other argument.
 */
export function takeFlags(
  flags: readonly FlagSpec[],
  args: readonly string[],
): { readonly flags: readonly GivenFlag[]; readonly others: readonly string[] } {
  const given: GivenFlag[] = []
  const others: string[] = []
  let index = 0
  while (index < args.length && args[index] !== '--') {
    const arg = args[index++]!
    const known = others.length === 0 ? flags : flags.map(({ short: _short, ...flag }) => flag)
    const match = isFlag(arg) ? matchFlag(known, arg) : undefined
    if (match === undefined) others.push(arg)
    else given.push({ name: match.flag.name, value: match.value ?? valueAfter(match.flag, args, index++) })
  }
  return { flags: given, others: [...others, ...args.slice(index)] }
}

/** A flag as errors name it, without its value, which may be a secret. */
export function unknownFlag(arg: string): string {
  return arg.split('=')[0]!.replace(/^-(?=[^-]{2})/, '--')
}

function isOnOff(arg: string | undefined): boolean {
  return arg === 'on' || arg === 'off'
}

/** `-` alone means standard input or output: a value, never a flag. */
function isFlag(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-') && arg !== '--'
}

interface Match {
  readonly flag: FlagSpec
  /** Undefined when the next argument is the value. */
  readonly value: string | undefined
}

function matchFlag(flags: readonly FlagSpec[], arg: string): Match | undefined {
  const [, name, attached] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? []
  if (name !== undefined && (name.length > 1 || arg.startsWith('--'))) {
    const found = matchName(flags, name, attached)
    if (found !== undefined) return found
  }
  return arg.startsWith('--') ? undefined : matchShort(flags, arg)
}

function matchName(flags: readonly FlagSpec[], name: string, attached: string | undefined): Match | undefined {
  const flag = flags.find((each) => hasName(each, name))
  if (flag?.value !== undefined) return { flag, value: attached }
  if (flag !== undefined) return { flag, value: attached ?? 'true' }
  if (!name.startsWith('no-') || attached !== undefined) return undefined
  const positive = name.slice('no-'.length)
  const negated = flags.find((each) => each.value === undefined && hasName(each, positive))
  return negated === undefined ? undefined : { flag: negated, value: 'false' }
}

/** `-f`, and for a flag with a value also `-Hvalue` and `-H=value`. */
function matchShort(flags: readonly FlagSpec[], arg: string): Match | undefined {
  const flag = flags.find(({ short }) => short !== undefined && short === arg[1])
  if (flag === undefined) return undefined
  if (arg.length === 2) return { flag, value: flag.value === undefined ? 'true' : undefined }
  return flag.value === undefined ? undefined : { flag, value: arg.slice(2).replace(/^=/, '') }
}

function hasName(flag: FlagSpec, name: string): boolean {
  return flag.name === name || (flag.aliases?.includes(name) ?? false)
}

function valueAfter(flag: FlagSpec, args: readonly string[], index: number): string {
  const value = args[index]
  if (value !== undefined) return value
  throw new TwinfoldError('usage', `flag --${flag.name}: expected a value`)
}
