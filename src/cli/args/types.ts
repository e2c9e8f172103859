import type { CliContext, CliExit, Connection } from '../context.ts'
import type { Environment, FlagSpec, NameKind } from './flag-spec.ts'
import type { ParsedFlags } from './parsed-flags.ts'

export interface ArgumentSpec {
  /** Lower case; help prints it in capitals. */
  readonly name: string
  /** Printed instead of the name. */
  readonly text?: string
  readonly optional?: true
  /** Takes all remaining arguments. Only the last argument may. */
  readonly repeatable?: true
  readonly choices?: readonly string[]
  /** It is such a name. */
  readonly completes?: NameKind
}

/** The groups of `--help`, in the order in which they are printed. */
export const COMMAND_GROUPS = {
  setup: 'Run and set up',
  sharing: 'Folders and devices',
  status: 'Status and transfers',
  diagnostics: 'Diagnostics',
} as const
type CommandGroup = keyof typeof COMMAND_GROUPS

/** One command: everything that parsing, help, completions and the man page need. */
export interface CommandSpec {
  readonly name: string
  /** Where `--help` lists it; subcommands have none. */
  readonly group?: CommandGroup
  /** One line for lists of commands: a verb in lower case, no full stop. */
  readonly summary: string
  /** Whole sentences for the help of this command and the man page. */
  readonly description?: string
  readonly arguments?: readonly ArgumentSpec[]
  readonly flags?: readonly FlagSpec[]
  /** Command lines without the name of the program. */
  readonly examples: readonly string[]
  /** Sections after the flags: title and text. */
  readonly sections?: readonly (readonly [title: string, text: string])[]
  readonly commands?: readonly CommandSpec[]
  /** Run when the command line names no command. */
  readonly isDefault?: true
  /** What follows is passed on as it is, except for this command's own flags. */
  readonly passThrough?: true
  /** Accepted but not listed. */
  readonly hidden?: true
  /** Runs without a daemon. Imports what it needs when it is called. */
  readonly local?: LocalHandler
  /** Runs against a daemon whose address is resolved. Imports what it needs when it is called. */
  readonly remote?: RemoteHandler
}

/** What a local command gets. */
export interface LocalCall {
  /** The name the program was started under. */
  readonly program: string
  readonly args: readonly string[]
  readonly flags: ParsedFlags
  readonly environment: Environment
  /** Standard output. */
  print(text: string): void
  /** Standard error. */
  printError(text: string): void
  /** Prints the value as JSON with `--json`, the text otherwise. */
  show(value: object, text: string): void
}

/** Resolves to the exit code; undefined is success. */
type LocalHandler = (call: LocalCall) => Promise<number | void>

interface RemoteCall {
  readonly context: CliContext
  readonly connection: Connection
  readonly args: readonly string[]
  readonly flags: ParsedFlags
}

export type RemoteHandler = (call: RemoteCall) => Promise<CliExit>
