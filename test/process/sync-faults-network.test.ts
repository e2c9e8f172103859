import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { converged, Device, DevicePair, seededRandom } from '../support/device-pair.ts'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { testSeed } from '../support/seed.ts'

/** A wire that can be cut after any byte, or be slow. */
class Wire implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Bytes that the next connections let through, both ways together. */
  limitBytes = Number.POSITIVE_INFINITY
  delayMs = 0
  cuts = 0
  passedBytes = 0

  private constructor(targetPort: number) {
    this.#server = createServer((near) => this.#join(near, connectTcp(targetPort, '127.0.0.1')))
  }

  static async to(targetPort: number): Promise<Wire> {
    const wire = new Wire(targetPort)
    await once(wire.#server.listen(0, '127.0.0.1'), 'listening')
    return wire
  }

  get port(): number {
    const address = this.#server.address()
    assert.ok(address !== null && typeof address === 'object')
    return address.port
  }

  #join(near: Socket, far: Socket): void {
    const left = { bytes: this.limitBytes }
    const cut = (): void => {
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from)
      from.on('error', cut)
      from.on('close', () => {
        this.#sockets.delete(from)
        cut()
      })
      from.on('data', (chunk) => {
        const passed = chunk.subarray(0, Math.max(0, left.bytes))
        left.bytes -= chunk.length
        this.passedBytes += passed.length
        if (this.delayMs > 0) setTimeout(() => void to.write(passed), this.delayMs)
        else to.write(passed)
        if (left.bytes > 0) return
        if (!near.destroyed) this.cuts++
        cut()
      })
    }
    if (left.bytes <= 0) {
      this.cuts++
      cut()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}

/** Two devices of which the first reaches the second through the wire, and the second does not call. */
async function startWired(directory: string): Promise<{ readonly pair: DevicePair; readonly wire: Wire }> {
  const a = await Device.start(directory, 'a')
  const b = await Device.start(directory, 'b')
  const wire = await Wire.to(b.port)
  for (const [self, peer, addresses] of [
    [a, b, [`tcp://127.0.0.1:${wire.port}`]],
    [b, a, ['tcp://127.0.0.1:1']],
  ] as const) {
    await self.daemon.post('/rest/config/devices', { deviceID: peer.id, name: 'peer', addresses, numConnections: 1 })
    mkdirSync(self.root)
    await self.daemon.addFolder('docs', self.root, { devices: [{ deviceID: peer.id }] })
  }
  return { pair: new DevicePair(a, b), wire }
}

/** Calls again now, however often the connection was lost. */
async function redial(device: Device, peer: Device): Promise<void> {
  for (const step of ['pause', 'resume']) await device.daemon.post(`/rest/system/${step}?device=${peer.id}`)
}

const seed = testSeed()

test(`B-18: connections cut after any byte: nothing is lost, both converge (TWINFOLD_SEED=${seed})`, async () => {
  using directory = scratchDirectory()
  const { pair, wire } = await startWired(directory.path)
  await using _wire = wire
  await using _pair = pair
  const { a, b } = pair
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random(limit))
  const rounds = effort(9, 14)
  let survived = 0
  let files = 0
  const startedMs = performance.now()
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 4; i++, files++) {
      const { root } = i % 2 === 0 ? a : b
      writeFileSync(join(root, `f${files}`), Buffer.alloc(below(400_000), files))
    }
    await Promise.all([a.scan(), b.scan()])
    // The handshake and the first messages take a few thousand bytes: a third of the cuts fall into them.
    wire.limitBytes = round % 3 === 0 ? below(6_000) : below(600_000)
    const before = wire.cuts
    await redial(a, b)
    await eventually('a cut, or everything sent', async () => {
      if (wire.cuts > before) return true
      const { completion } = (await a.daemon.get(`/rest/db/completion?folder=docs&device=${b.id}`)) as {
        completion: number
      }
      return (await a.isConnectedTo(b.id)) && completion === 100 ? true : undefined
    })
    survived += Number(a.isRunning && b.isRunning)
  }
  wire.limitBytes = Number.POSITIVE_INFINITY
  await redial(a, b)
  await converged(pair)
  const secs = Math.round((performance.now() - startedMs) / 1000)
  const { cuts, passedBytes } = wire
  reportRow({ id: 'B-18', tried: rounds, cuts, survived, files, passedBytes, peakRssMiB: b.peakRssMib(), seed, secs })
  assert.equal(survived, rounds)
  assert.ok(wire.cuts >= rounds / 2, `${wire.cuts} cuts`)
})

test('B-18: a slow link and a frozen peer do not block others, and catch up', async () => {
  using directory = scratchDirectory()
  const { pair, wire } = await startWired(directory.path)
  await using _wire = wire
  await using _pair = pair
  const { a, b } = pair
  wire.delayMs = 200
  for (let i = 0; i < 40; i++) writeFileSync(join(a.root, `slow-${i}`), Buffer.alloc(i * 5_000, i))
  await a.scan()
  await redial(a, b)
  await converged(pair)
  b.daemon.child.kill('SIGSTOP')
  let answered = 0
  try {
    for (let i = 0; i < 40; i++) writeFileSync(join(a.root, `frozen-${i}`), Buffer.alloc(i * 5_000, i))
    await a.scan()
    for (let i = 0; i < 20; i++) {
      await a.daemon.get('/rest/db/status?folder=docs')
      answered++
    }
    assert.equal(await a.isConnectedTo(b.id), true, 'neither side closes it that soon')
  } finally {
    b.daemon.child.kill('SIGCONT')
  }
  await converged(pair)
  reportRow({
    id: 'B-18',
    what: 'slow and frozen',
    tried: 2,
    delayMs: wire.delayMs,
    answered,
    passedBytes: wire.passedBytes,
  })
})
