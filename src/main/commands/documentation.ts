import { findPath } from '../../cli/args/parse.ts'
import type { LocalCall } from '../../cli/args/types.ts'
import { completionScript, flagValues, parseShell, wordTable } from '../../cli/completions.ts'
import { printHelp } from '../../cli/program.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { COMMANDS } from './table.ts'

export async function installCompletionsCommand({ program, args, environment, print }: LocalCall): Promise<void> {
  const { treeCommands } = await import('../../cli/tree.ts')
  const shell = parseShell(args[0], environment['SHELL'])
  print(completionScript(shell, program, wordTable(COMMANDS, treeCommands()), flagValues(COMMANDS)))
}

export async function helpCommand(call: LocalCall): Promise<void> {
  const { args, flags, print } = call
  if (flags.isOn('man')) {
    if (args[0] !== undefined) throw new TwinfoldError('usage', `unexpected argument ${args[0]}`)
    const { programManPage } = await import('./man.ts')
    return print(programManPage().trimEnd())
  }
  const path = findPath(COMMANDS, args)
  const unexpected = args[path.length]
  if (unexpected !== undefined) throw new TwinfoldError('usage', `unexpected argument ${unexpected}`)
  printHelp(call, COMMANDS, { kind: 'help', path, isError: false })
}
