import { completionScript, parseShell, SHELLS, type WordTable } from '../cli/completions.ts'
import type { CliContext } from '../cli/context.ts'
import { commandWords } from '../cli/program.ts'
import { treeWords } from '../cli/tree.ts'
import { LOCAL_COMMANDS, REMOTE_COMMANDS } from './command-line.ts'
import { DEMO_FLAGS } from './demo-flags.ts'
import type { Flag } from './flags.ts'
import { SERVICE_FLAGS, SERVICE_VERBS } from './service/flags.ts'
import { DIRECTORY_FLAGS, GENERATE_FLAGS, GUI_FLAGS, SERVE_FLAGS, UPGRADE_FLAGS } from './serve-flags.ts'

/** What `install-completions` prints. */
export function completions(context: CliContext, named: string | undefined, userShell: string | undefined): string {
  return completionScript(parseShell(named, userShell), context.program, wordTable(context))
}

/** Every word that may stand somewhere: commands, their subcommands, and the flags that the help shows. */
export function wordTable(context: CliContext): WordTable {
  const finding = flagWords([...DIRECTORY_FLAGS, ...GUI_FLAGS])
  const table = new Map<string, readonly string[]>([
    ['', [...LOCAL_COMMANDS, ...REMOTE_COMMANDS, 'cli', ...flagWords(SERVE_FLAGS), '--help', '--version']],
    ['serve', [...flagWords(SERVE_FLAGS), '--help']],
    ['demo', [...flagWords(DEMO_FLAGS), '--help']],
    ['generate', [...flagWords(GENERATE_FLAGS), '--help']],
    ['install-completions', SHELLS],
    ['service', [...SERVICE_VERBS, ...flagWords([...SERVICE_FLAGS, ...SERVE_FLAGS]), '--json', '--help']],
  ])
  for (const command of ['device-id', 'paths', 'version']) {
    table.set(command, [...flagWords(DIRECTORY_FLAGS), '--json', '--help'])
  }
  table.set('upgrade', [...flagWords(UPGRADE_FLAGS), '--json', '--help'])
  table.set('browser', [...finding, '--json', '--help'])
  for (const [place, words] of commandWords(context)) table.set(place, [...words, ...finding, '--help'])
  table.set('debug', [...(table.get('debug') ?? []), 'reset-database'])
  for (const [place, words] of treeWords(context)) table.set(`cli ${place}`.trim(), [...words, '--help'])
  return table
}

function flagWords(flags: readonly Flag[]): readonly string[] {
  return flags.filter(({ help }) => help !== undefined).map(({ name }) => `--${name}`)
}
