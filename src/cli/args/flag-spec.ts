export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The names of a running daemon that a shell completes: `both` are folders and devices, `nearby` the IDs that discovery
 * has found.
 */
export const NAME_KINDS = ['folders', 'devices', 'both', 'pending', 'nearby'] as const
export type NameKind = (typeof NAME_KINDS)[number]

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
  /** A switch that may be followed by the word `on` or `off`. */
  readonly onOff?: true
  /** The environment variable that sets it when the command line does not. */
  readonly env?: string
  /** The value that applies when nothing sets it. */
  readonly default?: string
  /** Shown by help; a flag without it is accepted but not advertised. */
  readonly description?: string
  readonly choices?: readonly string[]
  /** Its values are such names. */
  readonly completes?: NameKind
  /** Every occurrence counts; without it, the last one does. */
  readonly repeatable?: true
  /** An old spelling of a command: the flag runs it instead of the command it was given to. */
  readonly runs?: RedirectSpec
  /** Describes what is wrong with a value; undefined when it is valid. */
  check?(text: string): string | undefined
}

/** What follows the name of a flag in a help text. */
export function flagValueText({ value, onOff }: FlagSpec): string {
  return value === undefined ? (onOff === true ? ' [on|off]' : '') : ` ${value}`
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
