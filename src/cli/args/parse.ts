import { Argument, Command, CommanderError, Option } from 'commander'
import { TwinfoldError } from '../../core/errors.ts'
import { nearestTexts } from '../../core/formats/nearest.ts'
import { canonicalArgs, takeFlags, unknownFlag, type CanonicalArgs } from './canonical.ts'
import { ParsedFlags } from './parsed-flags.ts'
import { HELP_FLAG } from './shared-flags.ts'
import type { Environment, FlagSpec } from './flag-spec.ts'
import type { CommandSpec } from './types.ts'

export interface ParsedCommand {
  readonly kind: 'run'
  readonly command: CommandSpec
  readonly args: readonly string[]
  readonly flags: ParsedFlags
}

export interface HelpRequest {
  readonly kind: 'help'
  /** The commands from the outermost to the one to explain; empty for the overview. */
  readonly path: readonly CommandSpec[]
  /** Whether it is shown because a subcommand is missing. */
  readonly isError: boolean
}

/**
 * Parses a command line by the table. Throws `usage` for anything the table does not have, in Syncthing's wording, with
 * the nearest flag or command as a suggestion.
 */
export function parseCommandLine(
  table: readonly CommandSpec[],
  args: readonly string[],
  environment: Environment,
): ParsedCommand | HelpRequest {
  const passThrough = table.find((command) => command.passThrough)
  // A letter or a name may be another flag in another command.
  const first = args.find((arg) => table.some(({ name }) => name === arg))
  const named = table.filter(({ name }) => name === first)
  const line = canonicalArgs([...allFlags(named), ...allFlags(table), HELP_FLAG], args, passThrough?.name)
  if (passThrough !== undefined && line.operands[0] === passThrough.name) {
    return parsePassThrough(passThrough, line, environment)
  }
  if (line.flags.some(({ name }) => name === HELP_FLAG.name)) {
    return { kind: 'help', path: findHelpPath(table, line.operands), isError: false }
  }
  const standard = table.filter((each) => each.isDefault).map(({ name }) => name)
  const operands =
    beginsWithUnknownFlag(line, args) || line.operands.length === 0 ? [...standard, ...line.operands] : line.operands
  if (operands.length === 0) return { kind: 'help', path: [], isError: true }
  const parsed = runCommander(table, { ...line, operands })
  if (parsed === undefined) return { kind: 'help', path: findPath(table, operands), isError: true }
  return redirected(table, parsed, environment) ?? withEnvironment(parsed, environment)
}

/** Then the next argument is probably its value and not a command. */
function beginsWithUnknownFlag({ unknown, operands }: CanonicalArgs, args: readonly string[]): boolean {
  const first = args.find((arg) => arg === operands[0] || unknown.includes(unknownFlag(arg)))
  return first !== undefined && first !== operands[0]
}

function withEnvironment(parsed: ParsedCommand, environment: Environment): ParsedCommand {
  return { ...parsed, flags: parsed.flags.completed(parsed.command.flags ?? [], environment) }
}

/** The command that the first flag with a redirect stands for; undefined without one. */
function redirected(
  table: readonly CommandSpec[],
  parsed: ParsedCommand,
  environment: Environment,
): ParsedCommand | undefined {
  for (const { name, value: valueName, runs } of parsed.command.flags ?? []) {
    const value = parsed.flags.text(name)
    if (runs === undefined || value === undefined || (valueName === undefined && !parsed.flags.isOn(name))) continue
    const command = findPath(table, runs.command.split(' ')).at(-1)!
    const flags = parsed.flags.narrowed(command.flags ?? []).completed(command.flags ?? [], environment)
    const set = { ...runs.flags, ...(runs.valueAs !== undefined && { [runs.valueAs]: value }) }
    return { kind: 'run', command, args: [], flags: flags.with(set, runs.replaces) }
  }
  return undefined
}

/** The arguments of such a command have a grammar of their own; only the flags of the command are taken out. */
function parsePassThrough(command: CommandSpec, line: CanonicalArgs, environment: Environment): ParsedCommand {
  const flags = command.flags ?? []
  const inside = takeFlags(flags, line.rest)
  const before = line.flags.filter(({ name }) => name !== HELP_FLAG.name)
  const foreign = before.find(({ name }) => !flags.some((flag) => flag.name === name))
  const unknown = line.unknown[0] ?? (foreign === undefined ? undefined : `--${foreign.name}`)
  if (unknown !== undefined) throw new TwinfoldError('usage', `unknown flag ${unknown}`)
  const values = new Map([...before, ...inside.flags].map(({ name, value }) => [name, [value]]))
  const args = [...(before.length < line.flags.length ? ['--help'] : []), ...inside.others]
  return { kind: 'run', command, args, flags: new ParsedFlags(values).completed(flags, environment) }
}

/** The commands that the operands name, as far as they do. Throws `usage` when the first one names none. */
export function findPath(table: readonly CommandSpec[], operands: readonly string[]): readonly CommandSpec[] {
  const path: CommandSpec[] = []
  for (const operand of operands) {
    const below: readonly CommandSpec[] = path.length === 0 ? table : (path.at(-1)?.commands ?? [])
    const command = below.find(({ name }) => name === operand)
    if (command === undefined) break
    path.push(command)
  }
  if (path.length > 0 || operands.length === 0) return path
  throw unexpectedArgument(operands[0]!, table)
}

/** The same for a request of help, where every operand has to be a command. */
function findHelpPath(table: readonly CommandSpec[], operands: readonly string[]): readonly CommandSpec[] {
  const path = findPath(table, operands)
  const [below, wrong] = [path.at(-1)?.commands, operands[path.length]]
  if (below !== undefined && wrong !== undefined) throw unexpectedArgument(wrong, below)
  return path
}

function unexpectedArgument(text: string, commands: readonly CommandSpec[]): TwinfoldError {
  const names = commands.filter((command) => !command.hidden).map(({ name }) => name)
  return new TwinfoldError('usage', `unexpected argument ${text}${didYouMean(text, names)}`)
}

function didYouMean(text: string, candidates: readonly string[]): string {
  const [near] = nearestTexts(text, candidates, 1)
  return near === undefined ? '' : `\n(Did you mean ${near}?)`
}

/** Every flag of the table, for rewriting spellings before the command is known. */
function allFlags(table: readonly CommandSpec[]): readonly FlagSpec[] {
  return table.flatMap((command) => [...(command.flags ?? []), ...allFlags(command.commands ?? [])])
}

/** Undefined when the command line ends before a subcommand that is needed. */
function runCommander(table: readonly CommandSpec[], line: CanonicalArgs): ParsedCommand | undefined {
  let parsed: ParsedCommand | undefined
  const root = newCommand('')
  for (const command of table) {
    const isNamed = command.name === line.operands[0] // the others are only candidates for a suggestion
    const declared = isNamed ? declare(command, (found) => (parsed = found)) : newCommand(command.name)
    root.addCommand(declared, hidden(command))
  }
  const flags = line.flags.flatMap(({ name, value }) => [`--${name}`, value])
  const rest = line.rest.length === 0 ? [] : ['--', ...line.rest]
  try {
    root.parse([...line.operands, ...flags, ...line.unknown, ...rest], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code !== 'commander.help') throw usageError(error, table, [...line.operands, ...line.rest])
  }
  return parsed
}

function newCommand(name: string): Command {
  return new Command(name)
    .exitOverride()
    .enablePositionalOptions() // a flag belongs to the innermost command
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
}

function declare(spec: CommandSpec, onParsed: (parsed: ParsedCommand) => void): Command {
  const command = newCommand(spec.name)
  for (const { name, optional, repeatable, choices } of spec.arguments ?? []) {
    const text = repeatable ? `${name}...` : name
    const argument = new Argument(optional ? `[${text}]` : `<${text}>`)
    command.addArgument(choices === undefined ? argument : argument.choices(choices))
  }
  for (const flag of spec.flags ?? []) command.addOption(declareFlag(flag))
  for (const below of spec.commands ?? []) command.addCommand(declare(below, onParsed), hidden(below))
  if (spec.local === undefined && spec.remote === undefined) return command
  return command.action(() => {
    const values = Object.entries(command.opts<Readonly<Record<string, readonly string[]>>>())
    onParsed({ kind: 'run', command: spec, args: command.args, flags: new ParsedFlags(new Map(values)) })
  })
}

function hidden(command: CommandSpec): { readonly hidden: boolean } {
  return { hidden: command.hidden === true }
}

/** All flags have a value here: the canonical form of a switch is `--name true`. */
function declareFlag(flag: FlagSpec): Option {
  const option = new Option(`--${flag.name} <${flag.value ?? 'BOOL'}>`).hideHelp(flag.description === undefined)
  // commander would store `--no-restart` as a false `restart`; here it is a flag of that name.
  option.negate = false
  option.attributeName = () => flag.name
  return option.argParser<readonly string[]>((text, before) => {
    const wrong =
      flag.check?.(text) ??
      ((flag.choices?.includes(text) ?? true)
        ? undefined
        : `use ${orList(flag.choices)}${didYouMean(text, flag.choices ?? [])}`)
    if (wrong !== undefined) throw new TwinfoldError('usage', `flag --${flag.name}: '${text}' is invalid; ${wrong}`)
    return flag.repeatable ? [...(before ?? []), text] : [text]
  })
}

/** Syncthing's wording where it has one, and commander's suggestion below it. */
function usageError(error: CommanderError, table: readonly CommandSpec[], operands: readonly string[]): TwinfoldError {
  // Commander gives only texts for what was meant.
  const [, suggestion = ''] = /(\n\(Did you mean .*\?\))$/s.exec(error.message) ?? []
  const [, quoted = ''] = /'(.*?)'/s.exec(error.message) ?? [] // only texts, too
  const path = findPathOrNone(table, operands)
  const unexpected = operands[path.length + (path.at(-1)?.arguments?.length ?? 0)] ?? ''
  switch (error.code) {
    case 'commander.unknownOption':
      return new TwinfoldError('usage', `unknown flag ${quoted}${suggestion}`)
    case 'commander.unknownCommand':
      return new TwinfoldError('usage', `unexpected argument ${quoted}${suggestion}`)
    case 'commander.excessArguments':
      return new TwinfoldError('usage', `unexpected argument ${unexpected}`)
    case 'commander.invalidArgument': {
      const [, argument] = /for argument '(.*?)'/.exec(error.message) ?? [] // only texts, too
      const choices = path.at(-1)?.arguments?.find(({ name }) => name === argument)?.choices ?? []
      return new TwinfoldError(
        'usage',
        `unexpected argument ${quoted}; use ${orList(choices)}${didYouMean(quoted, choices)}`,
      )
    }
    default:
      return new TwinfoldError('usage', error.message.replace(/^error: /, ''))
  }
}

function findPathOrNone(table: readonly CommandSpec[], operands: readonly string[]): readonly CommandSpec[] {
  return table.some(({ name }) => name === operands[0]) ? findPath(table, operands) : []
}

function orList(choices: readonly string[] = []): string {
  return [choices.slice(0, -1).join(', '), choices.at(-1)].filter(Boolean).join(' or ')
}
