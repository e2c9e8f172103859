import { Command, CommanderError, Option } from 'commander'
import { addCommand, collect, FINDING, parseCount, parseList, parseSeconds, Run } from './command.ts'
import { CLI_EXIT, explainFailure, type CliContext } from './context.ts'
import { FOLDER_TYPES, folderAdd, folderList, folderPause, folderRemove, type FolderAddOptions } from './folder-commands.ts'
import {
  debug,
  events,
  logs,
  support,
  type DebugOptions,
  type EventsOptions,
  type LogsOptions,
  type SupportOptions,
} from './log-commands.ts'
import { NETWORK_SWITCHES, network } from './network-command.ts'
import { scan, type ScanOptions } from './scan-command.ts'
import { addDeviceCommands, addPendingCommands } from './sharing-program.ts'
import { prio, status } from './status-commands.ts'
import { why } from './why-command.ts'

/** Runs one command that talks to the daemon. Never throws: what went wrong is printed and in the code. */
export async function runCli(context: CliContext, words: readonly string[]): Promise<number> {
  const run = new Run(context)
  try {
    await buildProgram(run).parseAsync(words, { from: 'user' })
    return run.code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? CLI_EXIT.done : CLI_EXIT.failed
    context.redraw('')
    if (context.signal.aborted) {
      context.complain('interrupted; what the daemon has begun it brings to its end')
      return CLI_EXIT.interrupted
    }
    const { message, code } = explainFailure(error, context.program, run.connection)
    context.complain(`${context.program}: error: ${message}`)
    return code
  }
}

/** The subcommands and flags of every command, by the words that lead to it; for shells that complete them. */
export function commandWords(context: CliContext): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, readonly string[]>()
  const add = (command: Command, place: string) => {
    const flags = command.options.flatMap(({ long }) => long ?? [])
    table.set(place, [...command.commands.map((below) => below.name()), ...flags])
    for (const below of command.commands) add(below, `${place} ${below.name()}`)
  }
  for (const command of buildProgram(new Run(context)).commands) add(command, command.name())
  return table
}

function buildProgram(run: Run): Command {
  const { context } = run
  const program = new Command(context.program)
  program
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(text.replace(/\n$/, '')),
      writeErr: (text) => context.complain(text.replace(/\n$/, '')),
      outputError: (text, write) => write(`${context.program}: ${text}`),
    })
    .helpCommand(false)
  addFolderCommands(program, run)
  addScanCommands(program, run)
  addStatusCommands(program, run)
  addLogCommands(program, run)
  addNetworkCommand(program, run)
  addDeviceCommands(program, run)
  addPendingCommands(program, run)
  return program
}

function addFolderCommands(program: Command, run: Run): void {
  const { context } = run
  const folder = program.command('folder').description('Add, list, pause and remove folders').helpCommand(false)
  folder.addHelpText('after', `\nExample:\n  ${context.program} folder add ~/Photos --label Photos\n${FINDING}`)
  addCommand(folder, 'add <path>', 'Keep a directory in sync; it is made if it is not there', [
    'add ~/Photos --label Photos',
    'add /srv/docs --id docs --type sendonly',
  ])
    .option('--id <id>', 'id of the folder, the same on all devices (default: random)')
    .option('--label <text>', 'name for people')
    .addOption(new Option('--type <type>', 'how changes flow').choices(FOLDER_TYPES))
    .option('--device <id>', 'share it with this device; may be repeated', collect)
    .option('--rescan-interval <seconds>', 'time between full scans', parseSeconds)
    .option('--no-watch', 'do not watch for changes, only scan')
    .option('--paused', 'add it without starting it')
    .action((path: string, options: FolderAddOptions) =>
      run.with((client) => folderAdd(context, client, path, options)),
    )
  addCommand(folder, 'list', 'Show all folders and how they are', ['list', 'list --json']).action(
    (options: { json?: boolean }) => run.with((client) => folderList(context, client, options)),
  )
  addCommand(folder, 'remove <folder>', 'Stop syncing a folder; its files stay where they are', ['remove docs']).action(
    (id: string, options: { json?: boolean }) => run.with((client) => folderRemove(context, client, id, options)),
  )
  for (const paused of [true, false]) {
    const [word, meaning] = paused ? ['pause', 'Leave a folder alone for a while'] : ['resume', 'Keep it in sync again']
    addCommand(folder, `${word} <folder>`, `${meaning}, by id or label`, [`${word} photos`]).action(
      (id: string, options: { json?: boolean }) =>
        run.with((client) => folderPause(context, client, id, { ...options, paused })),
    )
  }
}

function addScanCommands(program: Command, run: Run): void {
  const { context } = run
  addCommand(program, 'scan <folder> [sub...]', 'Look for changes now, in a whole folder or in some paths of it', [
    'scan photos',
    'scan photos 2026/summer --next 3600',
  ])
    .option('--next <seconds>', 'the next automatic scan comes after this time', parseSeconds)
    .action((folder: string, subs: string[], options: ScanOptions) =>
      run.with((client) => scan(context, client, folder, subs, options)),
    )
  addCommand(program, 'prio <folder> <file>', 'Download this file before all others', [
    'prio photos 2026/summer/beach.jpg',
  ]).action((folder: string, file: string, options: { json?: boolean }) =>
    run.with((client) => prio(context, client, folder, file, options)),
  )
}

function addStatusCommands(program: Command, run: Run): void {
  const { context } = run
  addCommand(program, 'status [folder]', 'Show how the device and its folders are, or one folder in full', [
    'status',
    'status photos --json',
  ]).action((folder: string | undefined, options: { json?: boolean }) =>
    run.with((_, connection) => status(context, connection, folder, options)),
  )
  addCommand(program, 'why <folder> <file>', 'Say why a file is here or not, and what it waits for', [
    'why photos 2026/summer/beach.jpg',
  ]).action((folder: string, file: string, options: { json?: boolean }) =>
    run.with((client) => why(context, client, folder, file, options)),
  )
}

function addLogCommands(program: Command, run: Run): void {
  const { context } = run
  addCommand(program, 'debug', 'Show which facilities log debug lines, and switch them', [
    'debug --enable model,scanner',
    'debug --disable model',
  ])
    .option('--enable <names>', 'facilities to switch on, separated by commas', parseList)
    .option('--disable <names>', 'facilities to switch off, separated by commas', parseList)
    .action((options: DebugOptions) => run.with((client) => debug(context, client, options)))
  addCommand(program, 'events', 'Show what happened; --json prints one object a line', [
    'events --follow',
    'events --types StateChanged,FolderErrors --json',
  ])
    .option('--since <id>', 'only events after this id', parseCount)
    .option('--types <names>', 'only these types, separated by commas', parseList)
    .option('--limit <count>', 'at most the last so many', parseCount)
    .option('-f, --follow', 'go on until interrupted')
    .action((options: EventsOptions) => run.with((client) => events(context, client, options)))
  addCommand(program, 'logs', 'Show the log of the daemon; --json prints one object a line', ['logs --follow'])
    .option('--since <time>', 'only lines after this time (RFC 3339)')
    .option('-f, --follow', 'go on until interrupted')
    .action((options: LogsOptions) => run.with((client) => logs(context, client, options)))
  addCommand(program, 'support', 'Save settings, log and figures without secrets, for people who help', ['support'])
    .option('-o, --output <file>', 'where to, instead of a dated file in this directory')
    .action((options: SupportOptions) => run.with((client) => support(context, client, options)))
}

function addNetworkCommand(program: Command, run: Run): void {
  const { context } = run
  const command = addCommand(program, 'network', 'Show with whom this device talks by itself, and switch it', [
    'network',
    'network --discovery on --relays on',
    'network --all off',
  ])
  for (const each of NETWORK_SWITCHES)
    command.addOption(new Option(`--${each.name} <on|off>`, each.meaning).choices(['on', 'off']))
  command.addOption(new Option('--all <on|off>', 'all of them at once').choices(['on', 'off']))
  command.action((options: Readonly<Record<string, unknown>>) => {
    const wanted = new Map<string, boolean>()
    for (const { name } of NETWORK_SWITCHES) {
      const said = options[camelCase(name)] ?? options['all']
      if (said !== undefined) wanted.set(name, said === 'on')
    }
    return run.with((client) => network(context, client, wanted, { json: options['json'] === true }))
  })
}

/** As commander names the value of a flag. */
function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
