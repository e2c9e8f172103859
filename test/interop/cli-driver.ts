import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { CliContext } from '../../src/cli/context.ts'
import { parseEndpoint } from '../../src/cli/endpoint.ts'
import { nodeTransport } from '../../src/cli/node-transport.ts'
import { runTree } from '../../src/cli/tree.ts'
import { Client } from '../../src/client/client.ts'
import type { ClientReply, ClientRequest } from '../../src/client/transport.ts'
import { systemCode } from '../../src/core/errors.ts'
import { eventually } from '../support/scratch.ts'

/**
 * Runs commands of the `cli` tree, one JSON list of words a line, and answers each with a line of JSON. A process of its
 * own because it must live in the network of the daemon; one for all commands because a process takes its time to start.
 */
const [address = '', apiKey = ''] = process.argv.slice(2)
const transport = nodeTransport(parseEndpoint(address, { useTls: false }))
const client = new Client({ transport: patient, apiKey })

/** A change of the interface's own settings makes a daemon let go of its port for a moment. */
function patient(request: ClientRequest): Promise<ClientReply> {
  return eventually('the interface is back', () =>
    transport(request).catch((error: unknown) => {
      if (systemCode(error) === 'ECONNREFUSED') return undefined
      throw error
    }),
  )
}

async function run(words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const context: CliContext = {
    program: 'twinfold',
    connect: async () => ({ client, address, home: undefined }),
    print: (line) => { out += `${line}\n` },
    complain: (line) => { err += `${line}\n` },
    redraw: () => {},
    interactive: false,
    columns: Infinity,
    inputLines: async function* () {},
    readText: (path) => readFile(path, 'utf8'),
    writeNew: async () => {},
    absolutePath: (path) => path,
    nowMs: () => 0,
    sleep: async () => {},
    randomText: (length) => 'x'.repeat(length),
    signal: new AbortController().signal,
  }
  const code = await runTree(context, words)
  return { code, out, err }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`)
}
