import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOST, WINE_ENVIRONMENT } from '../../tools/windows/host.ts'
import { startDaemon } from './daemon.ts'
import type { Member } from './daemon-pair.ts'
import { freePort } from './free-port.ts'

const LAUNCHER = join(import.meta.dirname, 'wine-launch.mjs')
export const PROGRAM = 'C:\\twinfold\\node_modules\\twinfold\\dist\\main\\bin.js'
const ENVIRONMENT = Object.entries(WINE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`)
const NODE_WORDS = ['C:\\node\\node.exe', '--disable-warning=ExperimentalWarning']
const NODE = wine(NODE_WORDS)
const RUN_MS_MAX = 120_000

type Variables = Readonly<Record<string, string>>

export interface WindowsOptions {
  /** The single executable, by its path there, in place of Node and the program. */
  readonly executable?: string
  readonly nodeArgs?: readonly string[]
  readonly variables?: Variables
}

export interface WindowsRun {
  readonly code: number | null
  readonly output: string
}

/** A directory of `C:\`, by its path here and there; removed with its scope. */
export function windowsDirectory(): Disposable & { readonly path: string; readonly windows: string } {
  const tests = join(HOST.drive, 'tests')
  mkdirSync(tests, { recursive: true })
  const path = mkdtempSync(join(tests, 't-'))
  return {
    path,
    windows: windowsPath(path),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** `C:\…` of a path below the drive. */
export function windowsPath(path: string): string {
  return `C:${path.slice(HOST.drive.length).replaceAll('/', '\\')}`
}

/** The command that runs Node for Windows. Its standard output must not be a pipe. */
export function nodeCommand(args: readonly string[]): readonly string[] {
  return [...NODE, ...args]
}

/** Without any other variable of this machine: Node for Windows does not start with some of them. */
function wine(words: readonly string[], variables: Variables = {}): readonly string[] {
  const more = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  return ['env', '-i', ...ENVIRONMENT, ...more, 'chroot', HOST.root, 'wine', ...words]
}

/** Runs Node for Windows to its end. */
export function runNode(args: readonly string[], { timeoutMs = RUN_MS_MAX } = {}): WindowsRun {
  return runToEnd([...NODE, ...args], timeoutMs)
}

/** Runs a program of Windows, by its path there, to its end. */
export function runProgram(words: readonly string[], variables: Variables = {}): WindowsRun {
  return runToEnd(wine(words, variables), RUN_MS_MAX)
}

function runToEnd(command: readonly string[], timeoutMs: number): WindowsRun {
  const directory = mkdtempSync(join(tmpdir(), 'twinfold-wine-'))
  const file = join(directory, 'output')
  const output = openSync(file, 'a')
  try {
    const [program, ...words] = command
    const { status } = spawnSync(program!, words, {
      stdio: ['ignore', output, output],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    return { code: status, output: readFileSync(file, 'utf8') }
  } finally {
    closeSync(output)
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Runs a command of the program. */
export function runTwinfold(args: readonly string[]): WindowsRun {
  return runNode([PROGRAM, ...args])
}

/** Runs lines of JavaScript there; what they return as JSON. */
export function evaluate<T>(script: string, ...args: readonly string[]): T {
  const { code, output } = runNode(['--input-type=module', '-e', script, ...args])
  if (code !== 0) throw new Error(`the script ended with ${code}: ${output}`)
  return JSON.parse(output) as T
}

/** The command of a daemon with this home, which is a path here. */
export function windowsCommand(home: string, options: WindowsOptions = {}): readonly string[] {
  mkdirSync(home, { recursive: true })
  const { executable, variables, nodeArgs = [] } = options
  const words = executable === undefined ? [...NODE_WORDS, ...nodeArgs, PROGRAM] : [executable]
  const flags = [`--home=${windowsPath(home)}`, '--no-browser', '--gui-address=127.0.0.1:0', '--logfile=-']
  const command = wine([...words, 'serve', ...flags], variables)
  return [process.execPath, LAUNCHER, join(home, 'output.log'), ...command]
}

/** A device on Windows, on a free port, without announcements. */
export async function startWindows(directory: string, name = 'win', options: WindowsOptions = {}): Promise<Member> {
  const home = join(directory, `${name}-home`)
  const daemon = await startDaemon({ home, command: windowsCommand(home, options) })
  const port = await freePort()
  await daemon.request('PATCH', '/rest/config/options', {
    listenAddresses: [`tcp://127.0.0.1:${port}`],
    globalAnnounceEnabled: false,
    localAnnounceEnabled: false,
    relaysEnabled: false,
    natEnabled: false,
    reconnectionIntervalS: 1,
    crashReportingEnabled: false,
  })
  const { myID } = (await daemon.get('/rest/system/status')) as { myID: string }
  const root = join(directory, name)
  mkdirSync(root, { recursive: true })
  return { daemon, id: myID, port, root, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}

/**
 * The command that runs Node for Windows in a console, which is a terminal here: what is written to its standard input
 * are keys, and its output is what the console shows.
 */
export function consoleCommand(args: readonly string[], codepage?: number): readonly string[] {
  const shell = ['cmd.exe', '/c', 'chcp', String(codepage), '&', 'chcp', '&', ...NODE_WORDS]
  const words = [...(codepage === undefined ? NODE : wine(shell)), ...args].map(
    (word) => `'${word.replaceAll("'", "'\\''")}'`,
  )
  return ['script', '-q', '-f', '-e', '-c', words.join(' '), '/dev/null']
}

/** Letters of the attributes of an item: `H` hidden, `S` system, `R` read-only. */
export function attributesOf(path: string): string {
  const { code, output } = runProgram(['attrib', windowsPath(path)])
  if (code !== 0) throw new Error(`attrib ended with ${code}: ${output}`)
  return output.slice(0, output.indexOf('C:\\')).replaceAll(/\s/g, '')
}
