import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { Client } from '../../../src/client/client.ts'
import type { StreamItem } from '../../../src/client/event-stream.ts'
import { nodeTransport } from '../../../src/client/node.ts'
import { EventBus } from '../../../src/events/bus.ts'
import type { EventType, Logger } from '../../../src/events/types.ts'
import { createNodeHttpServer } from '../../../src/platform/node/http/http.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { eventually } from '../../support/scratch.ts'
import { fakeRest, KEY } from '../fakes.ts'

const QUIET: Logger = { facility: 'events', debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const PATH = '/rest/twinfold/events/stream'

interface Daemon extends AsyncDisposable {
  readonly bus: EventBus
  readonly address: string
}

/** The REST interface over a real socket, with a real bus. Another one is another process: its own run. */
async function startDaemon(address = '127.0.0.1:0'): Promise<Daemon> {
  const bus = new EventBus({ clock: new SimClock(), log: QUIET })
  const { server } = fakeRest({ deps: { events: bus } })
  const listener = await createNodeHttpServer().listen({ address }, server.handler)
  return { bus, address: listener.address, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
}

const clientOf = (address: string) => new Client({ transport: nodeTransport(`http://${address}`), apiKey: KEY })

const state = (bus: EventBus, folder: string) => bus.emit('StateChanged', { folder, from: 'idle', to: 'scanning' })

/** Connections that can be cut, between a client and the daemon of the moment. */
async function cuttable(target: () => string): Promise<{ server: Server; address: string; cut(): number }> {
  const sockets = new Set<Socket>()
  const server = createServer((inner) => {
    const [host, port] = target().split(':')
    const outer = createConnection(Number(port), host)
    for (const socket of [inner, outer]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => (sockets.delete(socket), inner.destroy(), outer.destroy()))
    }
    inner.pipe(outer)
    outer.pipe(inner)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    const count = sockets.size / 2
    for (const socket of sockets) socket.destroy()
    return count
  }
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}`, cut }
}

/** Reads until an item matches; the stream ends afterwards. */
async function readUntil<T extends EventType>(
  items: AsyncGenerator<StreamItem<T>>,
  isLast: (item: StreamItem<T>) => boolean,
): Promise<StreamItem<T>[]> {
  const read: StreamItem<T>[] = []
  for await (const item of items) {
    read.push(item)
    if (isLast(item)) return read
  }
  return read
}

test('a stream begins now, and with the events that are held only where it is asked to', async () => {
  await using daemon = await startDaemon()
  state(daemon.bus, 'early')
  const client = clientOf(daemon.address)
  using abort = aborting()
  const now = readUntil(client.stream({}, abort.signal), () => true)
  const isOpen = async () => daemon.bus.sequence().newestId > 0 || undefined
  await eventually('the stream to be open', isOpen)
  await emitUntil(() => state(daemon.bus, 'late'), now)
  const [item] = await now
  assert.equal(item?.type === 'StateChanged' && item.data.folder, 'late')
  const [first] = await readUntil(client.stream({ since: '0' }, abort.signal), () => true)
  assert.equal(first?.type === 'StateChanged' && first.data.folder, 'early')
  assert.match((first as { id: string }).id, /^\w{8}-1$/)
})

test('numbers do not depend on the selection, and selected events are those about a folder or a device', async () => {
  await using daemon = await startDaemon()
  const { bus } = daemon
  state(bus, 'a')
  bus.emit('FolderPaused', { id: 'a', label: '' })
  bus.emit('DeviceDisconnected', { id: 'D', error: '' })
  bus.emit('DownloadProgress', { a: {} })
  state(bus, 'b')
  bus.emit('FolderErrors', { folder: 'b', errors: [] })
  const client = clientOf(daemon.address)
  using abort = aborting()
  const read = async (options: Parameters<typeof client.stream>[0], last: number) => {
    const items = await readUntil(
      client.stream({ ...options, since: '0' }, abort.signal),
      (item) => item.type !== 'gap' && item.id.endsWith(`-${last}`),
    )
    return items.map((item) => (item.type === 'gap' ? 'gap' : item.id.split('-')[1]))
  }
  assert.deepEqual(await read({}, 6), ['1', '2', '3', '4', '5', '6'])
  assert.deepEqual(await read({ folders: ['a'] }, 4), ['1', '2', '4'])
  assert.deepEqual(await read({ devices: ['D'] }, 3), ['3'])
  assert.deepEqual(await read({ types: ['StateChanged', 'FolderErrors'], folders: ['b'] }, 6), ['5', '6'])
})

test('a stream that does not follow ends with the held events, and the next begins at its position', async () => {
  await using daemon = await startDaemon()
  const client = clientOf(daemon.address)
  using abort = aborting()
  let position = '0'
  const readAll = async () => {
    const folders: string[] = []
    const options = { since: position, follow: false, onPosition: (id: string) => void (position = id) }
    for await (const item of client.stream({ ...options, types: ['StateChanged'] }, abort.signal)) {
      if (item.type !== 'gap') folders.push(item.data.folder)
    }
    return folders
  }
  state(daemon.bus, 'a')
  state(daemon.bus, 'b')
  daemon.bus.emit('FolderPaused', { id: 'a', label: '' })
  assert.deepEqual(await readAll(), ['a', 'b'])
  assert.match(position, /-3$/)
  assert.deepEqual(await readAll(), [])
  state(daemon.bus, 'c')
  assert.deepEqual(await readAll(), ['c'])
})

test('a wrong type or position is refused by name', async () => {
  const { send } = fakeRest()
  for (const [query, message] of [
    ['types=Nonsense', /there is no event type Nonsense/],
    ['since=yesterday', /since must be now, 0, or the id of an event/],
    [`since=${'9'.repeat(400)}`, /since must be/],
  ] as const) {
    const reply = await send('GET', `${PATH}?${query}`)
    assert.deepEqual([reply.status, message.test(reply.body)], [400, true], query)
  }
})

test('a reader that is passed by the buffer gets a gap with what to reload, and continues behind it', async () => {
  await using daemon = await startDaemon()
  const { bus } = daemon
  bus.sequence() // from here on events are held
  for (let n = 0; n < 10_500; n++) state(bus, 'a')
  using abort = aborting()
  const items = await readUntil(
    clientOf(daemon.address).stream({ since: '0' }, abort.signal),
    (item) => item.type !== 'gap' && item.id.endsWith('-10500'),
  )
  const [gap] = items
  assert.deepEqual(gap, { type: 'gap', reason: 'overrun', reload: ['/rest/config', '/rest/twinfold/summary'] })
  assert.equal(items.length, 10_001)
  assert.match((items[1] as { id: string }).id, /-501$/)
})

test('after a restart of the daemon the stream goes on, and the gap is announced', { timeout: 60_000 }, async () => {
  let daemon = await startDaemon()
  const { address } = daemon
  using abort = aborting()
  const stream = clientOf(address).stream({ since: '0' }, abort.signal)
  state(daemon.bus, 'before')
  assert.equal((await stream.next()).value?.type, 'StateChanged')
  await daemon[Symbol.asyncDispose]()
  daemon = await startDaemon(address)
  await using _second = daemon
  state(daemon.bus, 'unseen')
  const { value } = await stream.next()
  assert.deepEqual(value && value.type === 'gap' && value.reason, 'restart')
})

test(
  'many events, with cut connections and readers that stop: none is lost without a gap',
  { timeout: 240_000 },
  async () => {
    await using daemon = await startDaemon()
    const line = await cuttable(() => daemon.address)
    const total = effort(40_000)
    let cuts = 0
    const readers = [0, 0, 0].map(() => ({ next: 1, gaps: 0, lost: 0, repeated: 0 }))
    using abort = aborting()
    daemon.bus.sequence()
    const reading = readers.map(async (reader, number) => {
      for await (const item of clientOf(line.address).stream({ since: '0' }, abort.signal)) {
        if (item.type === 'gap') {
          reader.gaps++
          reader.next = 0
          continue
        }
        const id = Number(item.id.split('-')[1])
        if (reader.next !== 0 && id > reader.next) reader.lost += id - reader.next
        if (reader.next !== 0 && id < reader.next) reader.repeated++
        reader.next = id + 1
        // The last reader is slower than the events, so that it is passed by the buffer.
        if (number === 2 && id % 64 === 0) await new Promise((resolve) => setTimeout(resolve, 2))
        if (id >= total) return
      }
    })
    for (let n = 1; n <= total; n++) {
      daemon.bus.emit('FolderErrors', { folder: `f${n % 7}`, errors: [{ path: 'x'.repeat(n % 300), error: 'y' }] })
      if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (n % Math.floor(total / 4) === 0) cuts += line.cut()
    }
    await Promise.all(reading)
    line.server.close()
    line.cut()
    reportRow({
      id: 'event stream',
      tried: total,
      readers: readers.length,
      cuts,
      gaps: readers.map(({ gaps }) => gaps),
    })
    assert.deepEqual(
      readers.map(({ lost, repeated, next }) => ({ lost, repeated, next })),
      readers.map(() => ({ lost: 0, repeated: 0, next: total + 1 })),
    )
    assert.ok(cuts > 0)
    assert.ok(readers[2]!.gaps > 0, 'the slow reader was passed')
  },
)

test('a reader that takes nothing costs its connection and no queue', async () => {
  await using daemon = await startDaemon()
  const [host, port] = daemon.address.split(':')
  const socket = createConnection(Number(port), host)
  socket.write(`GET ${PATH}?since=0 HTTP/1.1\r\nHost: ${daemon.address}\r\nX-API-Key: ${KEY}\r\n\r\n`)
  await once(socket, 'readable')
  socket.pause()
  const sequence = daemon.bus.sequence()
  let reads = 0
  const { next } = sequence
  sequence.next = async (...given) => (reads++, await next.apply(sequence, given))
  for (let n = 0; n < 20_000; n++) {
    daemon.bus.emit('FolderErrors', { folder: 'f', errors: [{ path: 'x'.repeat(3_000), error: '' }] })
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  // Each read takes at most 256 events; without backpressure all 20,000 would have been read.
  assert.ok(reads < 60, `${reads} reads`)
  socket.destroy()
})

/** Emits until a promise has settled: the reader may open its stream after the first. */
async function emitUntil(emit: () => void, done: Promise<unknown>): Promise<void> {
  let isDone = false
  const ended = done.finally(() => (isDone = true))
  await eventually('the event to arrive', async () => (emit(), isDone || undefined))
  await ended
}

function aborting(): AbortController & Disposable {
  const controller = new AbortController()
  return Object.assign(controller, { [Symbol.dispose]: () => controller.abort() })
}
