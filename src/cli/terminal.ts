import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode, TwinfoldError } from '../core/errors.ts'
import type { CliContext } from './context.ts'
import { escapeOutput } from '../core/formats/escape-output.ts'

/** Letters and digits that cannot be confused with each other. */
const ID_CHARACTERS = '2345679abcdefghijkmnopqrstuvwxyz'
const CLEAR_LINE = '\r\x1b[K'

/** The context of a command in this process. */
export function terminalContext(program: string, connect: CliContext['connect']): CliContext {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  // A closed output pipe (`| head`) is not an error.
  process.stdout.on('error', () => process.exit(0))
  process.stderr.on('error', () => {})
  const interactive = process.stdout.isTTY && process.stderr.isTTY && process.env['TERM'] !== 'dumb'
  return {
    program,
    connect,
    print: (line) => void process.stdout.write(`${escapeOutput(line)}\n`),
    printBytes: async (bytes) => {
      if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
    },
    printError: (line) => void process.stderr.write(`${escapeOutput(line)}\n`),
    redraw: (line) => void (interactive && process.stderr.write(`${CLEAR_LINE}${line}`)),
    interactive,
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : Infinity, // 0: of unknown width
    inputLines,
    readText: (path) => readFile(path, 'utf8'),
    writeNew: writeNewFile,
    environment: (name) => process.env[name],
    absolutePath: (path) => resolve(path),
    nowMs: () => performance.now(),
    timeMs: () => Date.now(),
    sleep: (delayMs, signal) => sleep(delayMs, undefined, { signal }),
    randomText: (length) => Array.from({ length }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join(''),
    signal: interrupted.signal,
  }
}

/** Creates a file that only its owner may read. An existing one is not replaced. */
export async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    throw new TwinfoldError('refused', `${path} exists already; choose another name, or remove it first`)
  }
}

async function* inputLines(): AsyncGenerator<string, void, undefined> {
  const { createInterface } = await import('node:readline')
  yield* createInterface({ input: process.stdin, crlfDelay: Infinity })
}
