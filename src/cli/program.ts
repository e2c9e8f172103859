import { TwinfoldError } from '../core/errors.ts'
import { commandHelp, overview } from './args/help.ts'
import { parseCommandLine, type HelpRequest, type ParsedCommand } from './args/parse.ts'
import type { CommandSpec } from './args/types.ts'
import { CLI_EXIT, explainFailure, type CliContext, type Connection } from './context.ts'
import { remoteCommands } from './remote-commands.ts'

/** Parses and runs one command that connects to the daemon. Never throws: errors are printed and in the exit code. */
export async function runCli(context: CliContext, args: readonly string[]): Promise<number> {
  const table = remoteCommands()
  try {
    const parsed = parseCommandLine(table, args, {})
    if (parsed.kind === 'run') return await runRemote(context, parsed)
    printHelp(context, table, parsed)
    return parsed.isError ? CLI_EXIT.failed : CLI_EXIT.done
  } catch (error) {
    if (!(error instanceof TwinfoldError)) throw error
    context.printError(`${context.program}: error: ${error.message}`)
    return CLI_EXIT.failed
  }
}

/** Runs one parsed command. It connects here, so that help and usage errors need no daemon. */
export async function runRemote(context: CliContext, { command, args, flags }: ParsedCommand): Promise<number> {
  let connection: Connection | undefined
  try {
    if (command.remote === undefined) throw new Error(`the command ${command.name} does not connect to a daemon`)
    connection = await context.connect()
    return await command.remote({ context, connection, args, flags })
  } catch (error) {
    context.redraw('')
    if (context.signal.aborted) {
      context.printError('interrupted; the daemon completes the operations in progress')
      return CLI_EXIT.interrupted
    }
    const { message, code } = explainFailure(error, context.program, connection)
    context.printError(`${context.program}: error: ${message}`)
    return code
  }
}

/** Requested help goes to standard output; help for an incomplete command line goes to standard error. */
export function printHelp(
  { program, print, printError }: Pick<CliContext, 'program' | 'print' | 'printError'>,
  table: readonly CommandSpec[],
  { path, isError }: HelpRequest,
): void {
  const text = path.length === 0 ? overview(program, table) : commandHelp(program, path)
  if (isError) printError(text)
  else print(text)
}
