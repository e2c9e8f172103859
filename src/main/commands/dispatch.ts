import { parseCommandLine, type ParsedCommand } from '../../cli/args/parse.ts'
import type { LocalCall } from '../../cli/args/types.ts'
import { printHelp, runRemote } from '../../cli/program.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { EXIT } from '../args/options.ts'
import { readDaemonChoice } from '../args/serve-options.ts'
import { COMMANDS } from './table.ts'

type ProcessIo = Pick<LocalCall, 'program' | 'environment' | 'print' | 'printError'>

/** Parses a command line by the table and runs the handler of its command. */
export async function runCommandLine(args: readonly string[], io: ProcessIo): Promise<void> {
  const parsed = parseCommandLine(COMMANDS, args, io.environment)
  if (parsed.kind === 'help') {
    printHelp(io, COMMANDS, parsed)
    setExitCode(parsed.isError ? EXIT.error : EXIT.success)
  } else if (parsed.command.local !== undefined) {
    await runLocal(parsed, parsed.command.local, io)
  } else {
    exitAfterOutput(await runConnected(parsed, io.program))
  }
}

async function runLocal(
  { args, flags }: ParsedCommand,
  handler: (call: LocalCall) => Promise<number | void>,
  io: ProcessIo,
): Promise<void> {
  const isJson = flags.isOn('json')
  const show = (value: object, text: string) => io.print(isJson ? JSON.stringify(value, undefined, 2) : text)
  setExitCode((await handler({ ...io, args, flags, show })) ?? EXIT.success)
}

async function runConnected(parsed: ParsedCommand, program: string): Promise<number> {
  const choice = readDaemonChoice(parsed.flags)
  const [{ terminalContext }, { connectDaemon }] = await Promise.all([
    import('../../cli/terminal.ts'),
    import('../home/find-daemon.ts'),
  ])
  const context = terminalContext(program, () => connectDaemon(choice))
  if (!parsed.command.passThrough) return runRemote(context, parsed)
  if ((choice.guiAddress === undefined) !== (choice.guiApiKey === undefined)) {
    throw new TwinfoldError('refused', 'Both --gui-address and --gui-apikey should be specified')
  }
  const { runTree } = await import('../../cli/tree.ts')
  return runTree(context, parsed.args)
}

function setExitCode(code: number): void {
  process.exitCode = code
}

/** All output is written once this empty write is; pending requests to the daemon must not delay the exit. */
function exitAfterOutput(code: number): void {
  process.stdout.write('', () => process.exit(code))
}
