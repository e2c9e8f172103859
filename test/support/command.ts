import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { testProgram } from '../../tools/test-program.ts'

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
  /** Another path to the program, to be called by another name. */
  readonly entry?: string
  readonly nodeArgs?: readonly string[]
}

export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts the program as a user would; its environment contains only the given settings. */
export function startCommand(words: readonly string[], options: CommandOptions = {}): ChildProcess {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ST')))
  return spawn(process.execPath, [...(options.nodeArgs ?? []), options.entry ?? testProgram(), ...words], {
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { ...environment, ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  })
}

/** The exit code, once the program has ended, also when it has before. */
export async function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

/** Runs the program to its end. */
export async function runCommand(words: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const child = startCommand(words, options)
  let out = ''
  let err = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  if (options.input !== undefined) child.stdin?.end(options.input)
  await once(child, 'close')
  return { code: child.exitCode, out, err }
}
