import { basename } from 'node:path'
import { escapeOutput } from '../core/formats/escape-output.ts'
import { messageOf, systemCode, TwinfoldError } from '../core/errors.ts'
import { EXIT } from './args/options.ts'
import { plainServeFlags } from './args/serve-options.ts'

/** Installations that replace Syncthing run us under its name, and their scripts match it in messages. */
const program = basename(process.argv[1] ?? '').startsWith('syncthing') ? 'syncthing' : 'twinfold'

const print = (text: string) => void process.stdout.write(`${escapeOutput(text)}\n`)
const printError = (text: string) => void process.stderr.write(`${escapeOutput(text)}\n`)

/** Runs a command line and sets the exit code. What only one command needs is loaded by that command. */
export async function start(args: readonly string[]): Promise<void> {
  try {
    const serveFlags = plainServeFlags(args, process.env)
    if (serveFlags === undefined) return await dispatch(args)
    const { serveCommand } = await import('./commands/serve.ts')
    await serveCommand({ program, flags: serveFlags, environment: process.env, printError })
  } catch (error) {
    process.exitCode = EXIT.error
    // A wrong input or environment is one sentence; anything else is a bug, and its stack trace is needed to fix it.
    if (!(error instanceof TwinfoldError) && !/^E[A-Z\d]+$/.test(systemCode(error) ?? '')) throw error
    printError(`${program}: error: ${messageOf(error)}`)
    if (error instanceof TwinfoldError && error.code === 'usage')
      printError(`Run "${program} --help" to see all commands, "${program} COMMAND --help" for one.`)
  }
}

async function dispatch(args: readonly string[]): Promise<void> {
  const { runCommandLine } = await import('./commands/dispatch.ts')
  await runCommandLine(args, { program, environment: process.env, print, printError })
}
