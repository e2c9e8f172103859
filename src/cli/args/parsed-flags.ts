import type { Environment, FlagSpec } from './flag-spec.ts'

const OFF = ['0', 'false', 'no', 'off']

/** The flags of one command: given on the command line, by the environment, or by default. */
export class ParsedFlags {
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values
  }

  /** The last value. */
  text(name: string): string | undefined {
    return this.#values.get(name)?.at(-1)
  }

  /** All values of a repeatable flag. */
  texts(name: string): readonly string[] | undefined {
    return this.#values.get(name)
  }

  /** The values of a comma-separated list. */
  list(name: string): readonly string[] | undefined {
    return this.text(name)
      ?.split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  }

  /** For a flag whose values are checked to be numbers. */
  number(name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : Number(text)
  }

  /** For a switch. Scripts set it to `1`, `yes` or anything else; only an explicit no is false. */
  isOn(name: string): boolean {
    const text = this.text(name)
    return text !== undefined && !OFF.includes(text.trim().toLowerCase())
  }

  /** Only the flags of another command. */
  narrowed(flags: readonly FlagSpec[]): ParsedFlags {
    return new ParsedFlags(new Map([...this.#values].filter(([name]) => flags.some((flag) => flag.name === name))))
  }

  with(values: Readonly<Record<string, string>>, without: readonly string[] = []): ParsedFlags {
    const kept = [...this.#values].filter(([name]) => !without.includes(name))
    return new ParsedFlags(
      new Map([...kept, ...Object.entries(values).map(([name, value]) => [name, [value]] as const)]),
    )
  }

  /** With the environment and the defaults for what the command line does not set. */
  completed(flags: readonly FlagSpec[], environment: Environment): ParsedFlags {
    const values = new Map(this.#values)
    for (const flag of flags) {
      if (values.has(flag.name)) continue
      const set = flag.env === undefined ? undefined : environment[flag.env]
      const value = set === undefined || set === '' ? flag.default : set
      if (value !== undefined) values.set(flag.name, [value])
    }
    return new ParsedFlags(values)
  }
}

/** An object without the properties that are undefined, for optional properties that may not be undefined. */
export function withoutUndefined<T extends object>(properties: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(properties).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
