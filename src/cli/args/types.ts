import type { CliContext, CliExit, Connection } from '../context.ts'
import type { ParsedFlags } from './parsed-flags.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** One flag, under every name it ever had. */
export interface FlagSpec {
  /** The canonical name, without dashes. A name has the same type (value or switch) in all commands. */
  readonly name: string
  /** Older or newer spellings of the same flag. */
  readonly aliases?: readonly string[]
  /** One letter, used with one dash. */
  readonly short?: string
  /** The name of the value in help texts; a flag without it is a switch. */
  readonly value?: string
  /** The environment variable that sets it when the command line does not. */
  readonly env?: string
  /** The value that applies when nothing sets it. */
  readonly default?: string
  /** Shown by help; a flag without it is accepted but not advertised. */
  readonly description?: string
  readonly choices?: readonly string[]
  /** Every occurrence counts; without it, the last one does. */
  readonly repeatable?: true
  /** An old spelling of a command: the flag runs it instead of the command it was given to. */
  readonly runs?: RedirectSpec
  /** Describes what is wrong with a value; undefined when it is valid. */
  check?(text: string): string | undefined
}

interface RedirectSpec {
  /** The path of the command, separated by blanks. */
  readonly command: string
  /** Flags of that command to set. */
  readonly flags?: Readonly<Record<string, string>>
  /** The flag of that command that gets the value. */
  readonly valueAs?: string
  /** Flags that the value replaces. */
  readonly replaces?: readonly string[]
}

export interface ArgumentSpec {
  /** Lower case; help prints it in capitals. */
  readonly name: string
  /** Printed instead of the name. */
  readonly text?: string
  readonly optional?: true
  /** Takes all remaining arguments. Only the last argument may. */
  readonly repeatable?: true
  readonly choices?: readonly string[]
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
