import { FINDING_FLAGS, HELP_FLAG } from './shared-flags.ts'
import { flagValueText, type FlagSpec } from './flag-spec.ts'
import { COMMAND_GROUPS, type ArgumentSpec, type CommandSpec } from './types.ts'

type Row = readonly [left: string, right: string]

/** Lines are wrapped here, so that texts in the table need no line breaks. */
const WIDTH = 80

/** What `--help` without a command prints: all commands in their groups, on one screen. */
export function overview(program: string, table: readonly CommandSpec[]): string {
  const visible = table.filter(({ hidden }) => !hidden)
  const width = leftWidth(visible.map(commandRow))
  const groups = Object.entries(COMMAND_GROUPS).map(([group, title]) =>
    section(title, columns(visible.filter((each) => each.group === group).map(commandRow), width)),
  )
  return [
    `Usage: ${program} [COMMAND] [FLAGS]\n`,
    'Continuous file synchronization, compatible with Syncthing.\n',
    ...groups,
    section('Common flags', columns(flagRows([...FINDING_FLAGS, HELP_FLAG]))),
    section('Example', `  ${program} serve --home ~/.twinfold\n  ${program} folder add ~/Photos --home ~/.twinfold\n`),
    `"${program} COMMAND --help" describes one command.`,
  ].join('\n')
}

const USAGE = 'Usage: '

/** The help of one command; the path leads to it from the outermost. */
export function commandHelp(program: string, path: readonly CommandSpec[]): string {
  const command = path.at(-1)!
  const below = (command.commands ?? []).filter(({ hidden }) => !hidden)
  const own = (command.flags ?? []).filter((flag) => !FINDING_FLAGS.includes(flag))
  const finding = (command.flags ?? []).filter((flag) => FINDING_FLAGS.includes(flag))
  const title = command.local === undefined ? 'Finding the daemon' : 'Directories and addresses'
  return [
    ...usageLines(path).map((line, index) => {
      const usage = wrap(`${program} ${line}`, USAGE.length)
      return index === 0 ? usage.replace(/^ +/, USAGE) : usage
    }),
    '',
    wrap(descriptionOf(command), 0) + '\n',
    section('Commands', columns(below.map(commandRow))),
    section('Flags', columns(flagRows([...own, HELP_FLAG]))),
    section(title, columns(flagRows(finding))),
    section('Example', command.examples.map((example) => exampleLines(`${program} ${example}`)).join('')),
    ...(command.sections ?? []).map(([heading, text]) => section(heading, `${wrap(text, 2)}\n`)),
  ]
    .filter((part, index) => part !== '' || index < usageLines(path).length + 1)
    .join('\n')
    .trimEnd()
}

/** Keeps a flag and its value on one line. */
const GLUE = '\u00a0'

/** An example that is too long continues on the next line, as in a shell. */
function exampleLines(example: string): string {
  const glued = example.replace(/(--\S+) (?!-)/g, `$1${GLUE}`)
  return `${wrap(glued, 4, WIDTH - 2)
    .replaceAll(GLUE, ' ')
    .split('\n')
    .map((line, index) => (index === 0 ? line.slice(2) : line))
    .join(' \\\n')}\n`
}

/** The usage of the command: alone, with one of its subcommands, or both. */
function usageLines(path: readonly CommandSpec[]): readonly string[] {
  const command = path.at(-1)!
  const name = path.map((each) => each.name).join(' ')
  const isRun = command.commands === undefined || command.local !== undefined || command.remote !== undefined
  const args = [name, ...(command.arguments ?? []).map(argumentText), ...(command.passThrough ? [] : ['[FLAGS]'])]
  return [...(isRun ? [args.join(' ')] : []), ...(command.commands === undefined ? [] : [`${name} COMMAND`])]
}

export function argumentText({ name, text: printed, optional, repeatable, choices }: ArgumentSpec): string {
  if (printed !== undefined) return printed
  const text = `${choices?.join('|') ?? name.toUpperCase()}${repeatable ? '...' : ''}`
  return optional ? `[${text}]` : text
}

export function descriptionOf({ description, summary }: CommandSpec): string {
  return description ?? `${summary[0]!.toUpperCase()}${summary.slice(1)}.`
}

/** What follows the description of a flag: its choices, its default and its variable. */
export function flagFacts(flag: FlagSpec): readonly string[] {
  return [
    ...(flag.choices === undefined ? [] : [flag.choices.join(', ')]),
    ...(flag.default === undefined ? [] : [`default ${flag.default}`]),
    ...(flag.env === undefined ? [] : [`$${flag.env}`]),
  ]
}

/** Flags without a description are left out. */
function flagRows(flags: readonly FlagSpec[]): readonly Row[] {
  return flags
    .filter(({ description }) => description !== undefined)
    .map((flag) => {
      const short = flag.short === undefined ? '    ' : `-${flag.short}, `
      const facts = flagFacts(flag)
      return [
        `${short}--${flag.name}${flagValueText(flag)}`,
        `${flag.description}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`,
      ]
    })
}

function commandRow(command: CommandSpec): Row {
  return [nameColumn(command), command.summary]
}

function nameColumn(command: CommandSpec): string {
  return [command.name, ...(command.arguments ?? []).map(argumentText)].join(' ')
}

function section(title: string, lines: string): string {
  return lines === '' ? '' : `${title}:\n${lines}`
}

/** A wider left column has its text on the next line. */
const LEFT_WIDTH_MAX = 32

function columns(rows: readonly Row[], width = leftWidth(rows)): string {
  return rows
    .map(([left, right]) => {
      const text = wrap(right, width + 4)
      return left.length > width ? `  ${left}\n${text}\n` : `  ${left.padEnd(width + 2)}${text.trimStart()}\n`
    })
    .join('')
}

function leftWidth(rows: readonly Row[]): number {
  return rows.reduce((most, [{ length }]) => (length <= LEFT_WIDTH_MAX ? Math.max(most, length) : most), 0)
}

/** Breaks a text between args; every line begins with the indent. */
function wrap(text: string, indent: number, width = WIDTH): string {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && indent + line.length + 1 + word.length > width) {
        lines.push(line)
        line = word
      } else {
        line = line === '' ? word : `${line} ${word}`
      }
    }
    lines.push(line)
  }
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`)).join('\n')
}
