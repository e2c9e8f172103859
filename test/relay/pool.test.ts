/** Pools of relays that misbehave, over the real HTTP client. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { test } from 'node:test'
import { parseAddress } from '../../src/core/network/address.ts'
import { Dialer } from '../../src/dialer/dialer.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeHttpClient } from '../../src/platform/node/net/http-client.ts'
import { nodeNet } from '../../src/platform/node/net/net.ts'
import { nodeRandom } from '../../src/platform/node/random.ts'
import { AvoidedRelays } from '../../src/relay/avoided-relays.ts'
import { findRelays } from '../../src/relay/pool.ts'
import { reportRow } from '../support/effort.ts'
import { quietLogger } from '../support/logger.ts'

const NEVER = new AbortController().signal
const MIB = 1024 * 1024
/** The whole exchange, as a device bounds it. */
const TIMEOUT_MS_MAX = 30_000
/** Of the long reply: what was read, and what the buffers of both sockets hold. */
const SENT_BYTES_MAX = 40 * MIB

interface Served extends AsyncDisposable {
  readonly url: string
}

async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/endpoint`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The relays of a pool; with a shorter time limit than a device has. */
async function relaysOf(
  { url }: Served,
  timeoutMs = TIMEOUT_MS_MAX,
  avoided = new AvoidedRelays(nodeClock),
): Promise<readonly string[]> {
  const deps = { clock: nodeClock, net: nodeNet, log: quietLogger('dialer'), environment: () => undefined }
  const dialer = new Dialer(deps, { identity: { certificatePem: '', keyPem: '' } })
  const http = {
    send: (request: Parameters<typeof nodeHttpClient.send>[0], signal: AbortSignal) => {
      assert.ok(request.timeoutMs <= TIMEOUT_MS_MAX)
      return nodeHttpClient.send({ ...request, timeoutMs }, signal)
    },
  }
  const pool = { kind: 'relay-pool', text: `dynamic+${url}`, url } as const
  const found = await findRelays({ clock: nodeClock, random: nodeRandom, http, dialer, avoided }, pool, NEVER)
  return found.map(({ text }) => text)
}

test('R-04 a reply of 100 MB is ended after 4 MiB, and its memory is bounded', async () => {
  let sent = 0
  const chunk = Buffer.alloc(64 * 1024, ' ')
  await using pool = await serve((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && sent < 100 * MIB) {
        sent += chunk.length
        if (!response.write(chunk)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  const beforeKib = process.resourceUsage().maxRSS
  await assert.rejects(relaysOf(pool), { code: 'EMSGSIZE' })
  const grownMib = (process.resourceUsage().maxRSS - beforeKib) / 1024
  reportRow({ id: 'R-04', tried: 1, sentMib: Math.round(sent / MIB), peakRssGrownMib: Math.round(grownMib) })
  assert.ok(sent < SENT_BYTES_MAX, `${sent} bytes were taken`)
})

test('R-04 a redirect of a pool is not followed', async () => {
  let requests = 0
  await using other = await serve((_request, response) => {
    requests++
    response.end('{"relays":[{"url":"relay://127.0.0.1:1"}]}')
  })
  for (const status of [301, 302, 307, 308]) {
    await using pool = await serve((_request, response) => response.writeHead(status, { Location: other.url }).end())
    await assert.rejects(relaysOf(pool), { message: new RegExp(`answers ${status}`) })
  }
  assert.equal(requests, 0)
})

test('R-04 a pool that sends a byte now and then, or nothing: the exchange ends in time', async () => {
  await using silent = await serve(() => {})
  await assert.rejects(relaysOf(silent, 300), { code: 'ETIMEDOUT' })
  await using slow = await serve((_request, response) => {
    const timer = setInterval(() => response.write(' '), 20)
    response.once('close', () => clearInterval(timer))
  })
  await assert.rejects(relaysOf(slow, 300), { code: 'ETIMEDOUT' })
})

test('R-04 replies that are deep, of wrong types, or no text', async () => {
  const replies = [
    '['.repeat(200_000),
    `{"relays":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    '{"relays":5}',
    '{"relays":[]}',
    Buffer.from('ff00fe', 'hex'),
    `{"relays":[${'{"url":5},'.repeat(10_000)}null]}`,
  ]
  for (const reply of replies) {
    await using pool = await serve((_request, response) => response.end(reply))
    await assert.rejects(relaysOf(pool), /not a list of relays|the relay pool is empty/, String(reply).slice(0, 30))
  }
  reportRow({ id: 'R-04', tried: replies.length })
})

test('R-10 of a pool only relays that have not been left are measured', async () => {
  const [left, other] = ['relay://127.0.0.1:1/', 'relay://127.0.0.1:2/'] as const
  await using pool = await serve((_request, response) => {
    response.end(JSON.stringify({ relays: [{ url: left }, { url: `${other}?token=x` }] }))
  })
  const avoided = new AvoidedRelays(nodeClock)
  const avoid = (text: string) => {
    const address = parseAddress(text)
    if (address.kind === 'relay') avoided.avoid(address)
  }
  avoid(left)
  assert.deepEqual((await relaysOf(pool, TIMEOUT_MS_MAX, avoided)).length, 1)
  assert.match((await relaysOf(pool, TIMEOUT_MS_MAX, avoided))[0]!, /127\.0\.0\.1:2/)
  avoid(other)
  await assert.rejects(relaysOf(pool, TIMEOUT_MS_MAX, avoided), { code: 'EBUSY' })
})
