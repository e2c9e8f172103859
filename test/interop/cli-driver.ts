import { createInterface } from 'node:readline'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { runTree } from '../../src/cli/tree.ts'
import { Client } from '../../src/client/client.ts'
import type { ClientReply, ClientRequest } from '../../src/client/transport.ts'
import { systemCode } from '../../src/core/errors.ts'
import { recordingContext } from '../support/cli.ts'
import { eventually } from '../support/scratch.ts'

/**
 * Runs commands of the `cli` tree, one JSON list of args a line, and answers each with a line of JSON. A process of
 * its own because it must live in the network of the daemon; one for all commands because a process takes its time to
 * start.
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

async function run(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { context, out, err } = recordingContext(client)
  const code = await runTree(context, args)
  return { code, out: out.map((line) => `${line}\n`).join(''), err: err.map((line) => `${line}\n`).join('') }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`)
}
