import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CliContext } from '../../src/cli/context.ts'
import { writeNewFile } from '../../src/cli/terminal.ts'
import type { Client } from '../../src/client/client.ts'

/** The environment of a non-interactive command, with its output. */
export interface RecordedOutput {
  readonly context: CliContext
  readonly out: readonly string[]
  readonly err: readonly string[]
}

/** A context for commands run inside the test, with the given client; a process takes its time to start. */
export function recordingContext(client: Client, changes: Partial<CliContext> = {}): RecordedOutput {
  const out: string[] = []
  const err: string[] = []
  const context: CliContext = {
    program: 'twinfold',
    connect: async () => ({ client, address: 'http://x', home: '/the/home' }),
    print: (line) => void out.push(line),
    printBytes: async (bytes) => void out.push(Buffer.from(bytes).toString('latin1')),
    printError: (line) => void err.push(line),
    redraw: () => {},
    interactive: false,
    columns: Infinity,
    inputLines: async function* () {},
    readText: (path) => readFile(path, 'utf8'),
    writeNew: writeNewFile,
    environment: (name) => process.env[name],
    absolutePath: (path) => resolve(path),
    nowMs: () => performance.now(),
    timeMs: () => Date.now(),
    sleep: (delayMs, signal) => sleep(delayMs, undefined, { signal }),
    randomText: (length) => 'abcdefgh'.slice(0, length),
    signal: new AbortController().signal,
    ...changes,
  }
  return { context, out, err }
}
