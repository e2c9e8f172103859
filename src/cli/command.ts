import { InvalidArgumentError, type Command } from 'commander'
import type { Client } from '../client/client.ts'
import { CLI_EXIT, type CliContext, type CliExit, type Connection } from './context.ts'

export const FINDING = `
Finding the daemon (every command):
  -H, --home DIR       look into this home ($STHOMEDIR) instead of the usual one
  -C, --config DIR, -D, --data DIR
                       the same where configuration and data are apart ($STCONFDIR, $STDATADIR)
  --gui-address URL    ask at this address ($STGUIADDRESS) instead of the configured one
  --gui-apikey KEY     with this API key ($STGUIAPIKEY)

Exit codes: 0 done, 1 error, 3 no daemon answers, 4 done but some items could not be read`

/** The connection is made by the first command that needs one, so that `--help` never does. */
export class Run {
  readonly context: CliContext
  connection: Connection | undefined
  code: CliExit = CLI_EXIT.done

  constructor(context: CliContext) {
    this.context = context
  }

  async with(work: (client: Client, connection: Connection) => Promise<CliExit>): Promise<void> {
    this.connection = await this.context.connect()
    this.code = await work(this.connection.client, this.connection)
  }
}

/** What every command has: `--json`, an example, and how the daemon is found. */
export function addCommand(parent: Command, usage: string, description: string, examples: readonly string[]): Command {
  const program = parent.parent === null ? parent.name() : `${parent.parent.name()} ${parent.name()}`
  const lines = examples.map((example) => `  ${program} ${example}`).join('\n')
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print JSON for programs')
    .addHelpText('after', `\nExample:\n${lines}\n${FINDING}`)
    .showHelpAfterError(`Run it with --help to see what it takes.`)
}

export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

export function parseCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count))
    throw new InvalidArgumentError('It must be a whole number, 0 or more.')
  return count
}

const SECONDS_MAX = 365 * 86_400

export function parseSeconds(text: string): number {
  const seconds = parseCount(text)
  if (seconds > SECONDS_MAX) throw new InvalidArgumentError('It must not be longer than a year.')
  return seconds
}

/** For a flag that may be repeated. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text]
}
