import { argumentText, descriptionOf, flagFacts } from './help.ts'
import { FINDING_FLAGS, HELP_FLAG } from './shared-flags.ts'
import { flagValueText, type FlagSpec } from './flag-spec.ts'
import { COMMAND_GROUPS, type CommandSpec } from './types.ts'

export interface ManPage {
  readonly program: string
  readonly version: string
  /** The date of the version, as YYYY-MM-DD. */
  readonly date: string
  readonly commands: readonly CommandSpec[]
  /** The commands below the one that passes its arguments on. */
  readonly treeCommands: readonly CommandSpec[]
  /** Environment variables that belong to no flag. */
  readonly variables: readonly (readonly [name: string, description: string])[]
  /** Titles and paragraphs after the generated sections. */
  readonly sections: readonly (readonly [title: string, ...paragraphs: string[]])[]
}

/** The man page of the whole program, in the macros of man(7). */
export function manPage(page: ManPage): string {
  const groups = Object.entries(COMMAND_GROUPS).flatMap(([group, title]) => [
    macro('SS', title),
    ...page.commands.filter((command) => command.group === group).flatMap((each) => commandEntries(page, [each])),
  ])
  return `${[
    macro('TH', page.program.toUpperCase(), '1', page.date, `${page.program} ${page.version}`, 'User Commands'),
    macro('SH', 'NAME'),
    `${page.program} \\- continuous file synchronization, compatible with Syncthing`,
    macro('SH', 'SYNOPSIS'),
    `.B ${page.program}`,
    ...text('[COMMAND] [ARGUMENTS] [FLAGS]'),
    macro('SH', 'DESCRIPTION'),
    ...text(
      `${page.program} keeps folders in sync between devices. Without a command it runs the daemon (serve). ` +
        'Flags may stand before or after the command, as --name value or --name=value, with one dash or two; ' +
        'the last one wins unless the flag may be repeated. A flag wins over its environment variable. ' +
        '--no-name and --name=false switch off a switch.',
    ),
    macro('SH', 'COMMANDS'),
    ...groups,
    macro('SH', 'COMMON FLAGS'),
    ...flagEntries([...FINDING_FLAGS, HELP_FLAG]),
    macro('SH', 'COMPATIBILITY'),
    ...text('These spellings of Syncthing are accepted as well.'),
    ...compatibilityEntries(allFlags(page.commands)),
    macro('SH', 'ENVIRONMENT'),
    ...variableEntries(page),
    ...page.sections.flatMap(([title, ...paragraphs]) => [macro('SH', title), ...paragraphLines(paragraphs)]),
  ].join('\n')}\n`
}

function commandEntries(page: ManPage, path: readonly CommandSpec[]): readonly string[] {
  const command = path.at(-1)!
  const below = command.passThrough ? page.treeCommands : (command.commands ?? [])
  const isRun = command.commands === undefined || command.local !== undefined || command.remote !== undefined
  const own = (command.flags ?? []).filter((flag) => !FINDING_FLAGS.includes(flag))
  const words = path.map(({ name }) => name).join(' ')
  const entry = [
    '.TP',
    `\\fB${escape(words)}\\fR${(command.arguments ?? []).map((each) => ` ${escape(argumentText(each))}`).join('')}`,
    ...text(descriptionOf(command)),
    ...indented(flagEntries(own)),
    ...(command.sections ?? [])
      .filter(([title]) => title !== EXIT_CODES)
      .flatMap(([title, body]) => ['.IP', ...text(`${title}: ${body}`)]),
    ...command.examples.flatMap((example) => ['.IP', ...text(`Example: ${page.program} ${example}`)]),
  ]
  return [...(isRun ? entry : []), ...below.flatMap((each) => commandEntries(page, [...path, each]))]
}

function flagEntries(flags: readonly FlagSpec[]): readonly string[] {
  return flags.flatMap((flag) => {
    if (flag.description === undefined) return []
    const facts = flagFacts(flag)
    return ['.TP', flagTag(flag), ...text(`${flag.description}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}.`)]
  })
}

function flagTag(flag: FlagSpec): string {
  const { short, name } = flag
  const value = flagValueText(flag).trimStart()
  const names = [...(short === undefined ? [] : [`-${short}`]), `--${name}`].map((each) => `\\fB${escape(each)}\\fR`)
  return `${names.join(', ')}${value === '' ? '' : ` \\fI${escape(value)}\\fR`}`
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['.RS', ...lines, '.RE']
}

/** Older names, flags that run a command, and flags without effect. */
function compatibilityEntries(flags: readonly FlagSpec[]): readonly string[] {
  return flags.flatMap((flag) => [
    ...(flag.aliases ?? []).flatMap((alias) => ['.TP', flagTag({ name: alias }), ...text(`Same as --${flag.name}.`)]),
    ...(flag.description === undefined ? ['.TP', flagTag(flag), ...text(hiddenMeaning(flag))] : []),
  ])
}

function hiddenMeaning({ runs, env }: FlagSpec): string {
  if (runs !== undefined) return `Runs the command "${runs.command}".`
  return `Accepted without effect${env === undefined ? '' : `, as is $${env}`}.`
}

function variableEntries({ commands, variables }: ManPage): readonly string[] {
  const flags = allFlags(commands).filter(({ env, description }) => env !== undefined && description !== undefined)
  const ofFlags = flags.map((flag) => [flag.env!, `Sets --${flag.name}.`] as const)
  const entries = [...ofFlags, ...variables].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return entries.flatMap(([name, description]) => ['.TP', `\\fB${name}\\fR`, ...text(description)])
}

/** Every flag once, however many commands have it. */
function allFlags(commands: readonly CommandSpec[]): readonly FlagSpec[] {
  const all = commands.flatMap(({ flags = [], commands: below = [] }) => [...flags, ...allFlags(below)])
  return [...new Map(all.toReversed().map((flag) => [flag.name, flag])).values()].toReversed()
}

function paragraphLines(paragraphs: readonly string[]): readonly string[] {
  return paragraphs.flatMap((paragraph, index) => [...(index === 0 ? [] : ['.PP']), ...text(paragraph)])
}

function macro(name: string, ...args: readonly string[]): string {
  return [`.${name}`, ...args.map((arg) => (/^[A-Za-z0-9.-]+$/.test(arg) ? arg : `"${escape(arg)}"`))].join(' ')
}

/** In the man page they have a section of their own. */
const EXIT_CODES = 'Exit codes'

const LINE_MAX = 78

/** Plain text in lines of the length that linters accept. A line cannot begin with a control character. */
function text(paragraph: string): readonly string[] {
  const lines: string[] = []
  for (const word of escape(paragraph).split(/\s+/)) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > LINE_MAX) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
}

/** Backslashes, and dashes and quotes that must stay ASCII so that they can be copied into a shell. */
function escape(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
}
