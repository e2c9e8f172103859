/** Measures how fast contents of another device are read, beside a pull, and the memory of many readers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { randomFillSync } from 'node:crypto'
import { addPeer, startMember, type Member } from '../test/support/daemon-pair.ts'
import { freePort } from '../test/support/free-port.ts'
import { eventually, scratchDirectory } from '../test/support/scratch.ts'

const MIB = 1_024 * 1_024
const FILE_MIB = 128
const ROUNDS = 5
const READERS = 100
const DELAY_MS = 25
const SMALL_FILES = 15
const WAIT_MS = 300_000

interface StreamedReply {
  readonly firstByteMs: number
  readonly totalMs: number
  readonly bytes: number
}

function request({ daemon }: Member, file: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const url = `${daemon.url}/rest/twinfold/content?folder=docs&file=${encodeURIComponent(file)}`
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  get(url, { headers: { 'X-API-Key': daemon.apiKey, ...headers }, agent: false }, resolve).on('error', reject)
  return promise
}

async function readAll(member: Member, file: string): Promise<StreamedReply> {
  const startMs = performance.now()
  const reply = await request(member, file)
  if (reply.statusCode !== 200) throw new Error(`${file}: ${reply.statusCode}`)
  let [bytes, firstByteMs] = [0, 0]
  reply.on('data', (piece: Buffer) => {
    if (bytes === 0) firstByteMs = performance.now() - startMs
    bytes += piece.length
  })
  await once(reply, 'end')
  return { bytes, firstByteMs, totalMs: performance.now() - startMs }
}

function residentMib({ daemon }: Member, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024)
}

function randomFile(path: string, sizeBytes: number): void {
  writeFileSync(path, randomFillSync(Buffer.alloc(sizeBytes)))
}

async function isKnown({ daemon }: Member, file: string): Promise<true | undefined> {
  const reply = await daemon.request('GET', `/rest/db/file?folder=docs&file=${file}`)
  await reply.text()
  return reply.ok ? true : undefined
}

/** The time of a pull, from its own events. */
async function pull(source: Member, sink: Member, name: string): Promise<number> {
  randomFile(join(source.root, name), FILE_MIB * MIB)
  await source.daemon.post('/rest/db/scan?folder=docs')
  const times = await eventually(
    'the pull',
    async () => {
      const query = '/rest/events?events=ItemStarted,ItemFinished&timeout=1'
      const events = (await sink.daemon.get(query)) as readonly { type: string; time: string; data: { item: string } }[]
      const own = events.filter(({ data }) => data.item === name)
      const [started, finished] = ['ItemStarted', 'ItemFinished'].map((type) => own.find((each) => each.type === type))
      if (started === undefined || finished === undefined) return undefined
      return Date.parse(finished.time) - Date.parse(started.time)
    },
    WAIT_MS,
  )
  return (FILE_MIB * MIB) / 1_000 / times
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const rounded = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(', ')

/** 100 clients that read a little, stop, and then read the rest of their ranges at once. */
async function manyReaders(sink: Member, file: string): Promise<void> {
  const before = residentMib(sink, 'VmRSS')
  const partBytes = Math.floor((FILE_MIB * MIB) / READERS)
  const replies = await Promise.all(
    Array.from({ length: READERS }, (_, at) =>
      request(sink, file, { Range: `bytes=${at * partBytes}-${(at + 1) * partBytes - 1}` }),
    ),
  )
  const stopped = residentMib(sink, 'VmRSS')
  const startMs = performance.now()
  const sizes = await Promise.all(
    replies.map(async (reply) => {
      let bytes = 0
      for await (const piece of reply) bytes += (piece as Buffer).length
      return bytes
    }),
  )
  const ms = performance.now() - startMs
  if (sizes.some((bytes) => bytes !== partBytes)) throw new Error('a reader did not get its part')
  const rate = (READERS * partBytes) / 1_000 / ms
  console.log(
    `${READERS} readers: resident ${before} MiB before, ${stopped} MiB while they stop, ` +
      `${residentMib(sink, 'VmHWM')} MiB at most; together ${rate.toFixed(0)} MB/s`,
  )
}

using scratch = scratchDirectory()
await using source = await startMember(scratch.path, 'source')
await using sink = await startMember(scratch.path, 'sink')
for (const { root } of [source, sink]) mkdirSync(root)
writeFileSync(join(sink.root, '.stignore'), '/film*\n/small*\n')
const streams = Array.from({ length: ROUNDS }, (_, round) => `film${round}`)
for (const name of streams) randomFile(join(source.root, name), FILE_MIB * MIB)
for (let at = 0; at < SMALL_FILES; at++) writeFileSync(join(source.root, `small${at}`), `content ${at}`)
await addPeer(source, sink, { addresses: ['dynamic'] })
await addPeer(sink, source)
for (const [self, peer] of [
  [source, sink],
  [sink, source],
] as const) {
  await self.daemon.addFolder('docs', self.root, { devices: [{ deviceID: peer.id }] })
}
await eventually('the index', () => isKnown(sink, `small${SMALL_FILES - 1}`), WAIT_MS)
const rates = { pulled: [] as number[], read: [] as number[] }
for (const [round, name] of streams.entries()) {
  const { bytes, totalMs } = await readAll(sink, name)
  rates.read.push(bytes / 1_000 / totalMs)
  rates.pulled.push(await pull(source, sink, `pulled${round}`))
}
const ratio = median(rates.read) / median(rates.pulled)
const streamed = `one stream of ${FILE_MIB} MiB: ${rounded(rates.read)} MB/s`
console.log(`${streamed}; pulls: ${rounded(rates.pulled)} MB/s; ${ratio.toFixed(2)} ×`)
await manyReaders(sink, streams[0]!)

const slowPort = await freePort()
const line = spawn(process.execPath, ['test/support/slow-line.mjs', `${DELAY_MS}`, `${slowPort}`, `${source.port}`])
await once(line.stdout, 'data')
await sink.daemon.request('PATCH', `/rest/config/devices/${source.id}`, {
  addresses: [`tcp://127.0.0.1:${slowPort}`],
  paused: true,
})
await sink.daemon.request('PATCH', `/rest/config/devices/${source.id}`, { paused: false })
await eventually('the slow line', async () => {
  const { connections } = (await sink.daemon.get('/rest/system/connections')) as {
    connections: Record<string, { connected: boolean }>
  }
  return connections[source.id]?.connected === true ? true : undefined
})
const firsts: number[] = []
for (let at = 0; at < SMALL_FILES; at++) firsts.push((await readAll(sink, `small${at}`)).firstByteMs)
line.kill()
const limit = 2 * 2 * DELAY_MS + 20
const first = `first byte over a round trip of ${2 * DELAY_MS} ms: median ${median(firsts).toFixed(1)} ms`
console.log(`${first}, all ${rounded(firsts)}; limit ${limit} ms`)
