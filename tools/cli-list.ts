/** Writes the list of commands in docs/cli.md from their table. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argumentText } from '../src/cli/args/help.ts'
import { FINDING_FLAGS, JSON_FLAG } from '../src/cli/args/shared-flags.ts'
import { flagValueText, type FlagSpec } from '../src/cli/args/flag-spec.ts'
import { COMMAND_GROUPS, type CommandSpec } from '../src/cli/args/types.ts'
import { COMMANDS } from '../src/main/commands/table.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'cli.md')
const SECTION = /(<!-- commands: [^\n]*-->\n)[^]*?(<!-- end of commands -->)/
/** A command with more flags than this is described by its help. */
const FLAGS_MAX = 8

/** The page with the current list. */
export function withCommands(page: string): string {
  return page.replace(SECTION, (_all, start: string, end: string) => `${start}\n${commandList()}\n${end}`)
}

function commandList(): string {
  const groups = Object.entries(COMMAND_GROUPS).map(([group, title]) => {
    const rows = COMMANDS.filter((command) => command.group === group && !command.hidden).flatMap((each) =>
      commandRows([each]),
    )
    return `| ${title} | |\n|---|---|\n${rows.join('\n')}\n`
  })
  return groups.join('\n')
}

function commandRows(path: readonly CommandSpec[]): readonly string[] {
  const command = path.at(-1)!
  const isRun = command.commands === undefined || command.local !== undefined || command.remote !== undefined
  const usage = [...path.map(({ name }) => name), ...(command.arguments ?? []).map(argumentText), ...flagUsage(command)]
  const row = `| \`${usage.join(' ').replaceAll('|', '\\|')}\` | ${command.summary} |`
  return [...(isRun ? [row] : []), ...(command.commands ?? []).flatMap((below) => commandRows([...path, below]))]
}

/** The flags that only this command has. */
function flagUsage({ flags = [] }: CommandSpec): readonly string[] {
  const own = flags.filter((flag) => isShown(flag) && !FINDING_FLAGS.includes(flag) && flag !== JSON_FLAG)
  return own.length > FLAGS_MAX ? ['[FLAGS]'] : own.map((flag) => `[--${flag.name}${flagValueText(flag)}]`)
}

function isShown({ description }: FlagSpec): boolean {
  return description !== undefined
}

if (import.meta.main) writeFileSync(PAGE, withCommands(readFileSync(PAGE, 'utf8')))
