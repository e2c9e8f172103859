import assert from 'node:assert/strict'
import { deviceIdBytes, deviceIdFromBytes, parseDeviceId, shortIdOf } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import { writeHello } from '../../src/protocol/hello.ts'
import { CLOSE, REQUEST, RESPONSE, type MessageType, MESSAGE_TYPES } from '../../src/protocol/messages.ts'
import { decode, type Message } from '../../src/core/wire/schema.ts'
import type { Identity, TlsStream } from '../../src/platform/net.ts'
import { nodeNet } from '../../src/platform/node/net/net.ts'
import type { Device } from './device-pair.ts'
import { eventually } from './scratch.ts'
import { block, bytesField, numberField } from './wire.ts'
import { type WireRecord, SYMLINK, sha256, request, frame } from './wire-frames.ts'

const LIMIT_MS = 60_000
/** Requests with higher numbers only check that the device responds. */
const SIGN_OF_LIFE_MIN = 0x7000_0000

export type PeerRequest = Message<typeof REQUEST>
type Answered = Message<typeof RESPONSE>

/** A device with a configured certificate that sends arbitrary messages, in frames built by hand. */
export class HostilePeer {
  readonly identity: Identity
  readonly id: DeviceId
  /** The short ID of the device in version vectors. */
  readonly shortId: bigint
  readonly #rawId: Uint8Array
  /** On all connections. */
  sentBytes = 0

  private constructor(identity: Identity) {
    this.identity = identity
    const der = Buffer.from(identity.certificatePem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
    this.#rawId = sha256(der)
    this.id = deviceIdFromBytes(this.#rawId)
    this.shortId = shortIdOf(this.id)
  }

  static async make(): Promise<HostilePeer> {
    const serial = crypto.getRandomValues(new Uint8Array(8))
    const options = {
      commonName: 'syncthing',
      keyType: 'Ed25519',
      lifetimeDays: 365,
      nowMs: Date.now(),
      serial,
    } as const
    return new HostilePeer(await makeCertificate(options))
  }

  /** Makes a device let us in, and share folders of its own with us. */
  async introduce(device: Device, folders: Readonly<Record<string, string>>): Promise<void> {
    const config = { deviceID: this.id, name: 'hostile', addresses: [], compression: 'never', numConnections: 1 }
    await device.daemon.post('/rest/config/devices', config)
    for (const [id, path] of Object.entries(folders))
      await device.daemon.addFolder(id, path, { devices: [{ deviceID: this.id }] })
  }

  /** Connects and exchanges Hello; nothing more is sent. */
  async dial(port: number): Promise<HostileTalk> {
    const options = { host: '127.0.0.1', port, identity: this.identity }
    // The device may still count a connection of ours that has just ended, and turn us away for it.
    return await eventually(
      'a conversation',
      async () => {
        const stream = await nodeNet.dialTls(options, AbortSignal.timeout(LIMIT_MS))
        const talk = new HostileTalk(this, stream)
        if (await talk.greet()) return talk
        await talk[Symbol.asyncDispose]()
        return undefined
      },
      LIMIT_MS,
    )
  }

  /** Connected, and both have introduced themselves; the folder is shared. */
  async join(port: number, theirs: string, folder = 'docs'): Promise<HostileTalk> {
    const talk = await this.dial(port)
    await talk.send('ClusterConfig', this.clusterConfig(theirs, [folder]))
    await talk.received('ClusterConfig')
    return talk
  }

  /** A ClusterConfig for folders that we share with `theirs`, without an index on either side. */
  clusterConfig(theirs: string, folders: readonly string[]): Uint8Array {
    const ours = Buffer.concat([bytesField(1, this.#rawId), numberField(6, 1), numberField(8, this.shortId)])
    const other = bytesField(1, deviceIdBytes(parseDeviceId(theirs)))
    return Buffer.concat(
      folders.map((id) =>
        bytesField(1, Buffer.concat([bytesField(1, id), bytesField(16, ours), bytesField(16, other)])),
      ),
    )
  }

  /** The bytes of one record; its version has one counter, ours. */
  record(record: WireRecord): Uint8Array {
    const version = bytesField(1, Buffer.concat([numberField(1, this.shortId), numberField(2, record.counter ?? 1)]))
    return Buffer.concat([
      bytesField(1, record.name),
      numberField(2, record.type ?? 0),
      numberField(3, record.size ?? 0),
      numberField(4, record.permissions ?? 0o755),
      numberField(5, record.modifiedS ?? 1_700_000_000),
      numberField(6, record.deleted === true ? 1 : 0),
      numberField(7, record.invalid === true ? 1 : 0),
      numberField(8, record.type === SYMLINK ? 1 : 0),
      bytesField(9, version),
      numberField(10, record.sequence ?? 1),
      numberField(11, record.modifiedNs ?? 0),
      numberField(12, this.shortId),
      numberField(13, record.blockSize ?? 0),
      ...(record.blocks ?? []).map((each) => bytesField(16, block(each))),
      bytesField(17, record.target ?? ''),
    ])
  }

  /** The body of an Index or IndexUpdate. */
  index(records: readonly WireRecord[], folder = 'docs'): Uint8Array {
    const last = records.at(-1)?.sequence ?? 1
    return Buffer.concat([
      bytesField(1, folder),
      ...records.map((each) => bytesField(2, this.record(each))),
      numberField(3, last),
    ])
  }
}

/** Decodes messages of a device, without the code under test. The device must be configured to never compress. */
class Incoming {
  readonly #stream: TlsStream
  #there: Buffer = Buffer.alloc(0)

  constructor(stream: TlsStream) {
    this.#stream = stream
  }

  async take(count: number): Promise<Buffer> {
    const chunks = [this.#there]
    for (let have = this.#there.length; have < count;) {
      const chunk = await this.#stream.read()
      if (chunk === undefined) throw new Error('the device hung up')
      chunks.push(Buffer.from(chunk))
      have += chunk.length
    }
    const all = chunks.length === 1 ? this.#there : Buffer.concat(chunks)
    this.#there = all.subarray(count)
    return all.subarray(0, count)
  }

  async frame(): Promise<{ readonly type: MessageType; readonly body: Buffer }> {
    const header = await this.take((await this.take(2)).readUInt16BE(0))
    assert.ok(header.length === 0 || (header.length === 2 && header[0] === 0x08), 'a plain header')
    const body = await this.take((await this.take(4)).readUInt32BE(0))
    const type = MESSAGE_TYPES[header[1] ?? 0]
    assert.ok(type !== undefined, 'a message of a known type')
    return { type, body }
  }
}

/** One connection to a device: received messages are stored, the test sends its own. */
export class HostileTalk implements AsyncDisposable {
  readonly #peer: HostilePeer
  readonly #stream: TlsStream
  readonly #incoming: Incoming
  readonly #counts = new Map<MessageType, number>()
  /** Responds to a request of the device; undefined for no response. */
  serve: ((asked: PeerRequest) => Uint8Array | undefined) | undefined
  #lastSignOfLife = 0x7fff_ffff
  #heardOfLife: number | undefined
  /** Called for every response of the device. */
  onAnswer: ((answered: Answered) => void) | undefined
  /** The reason it gave for hanging up. */
  closeReason: string | undefined
  ended = false
  #reading: Promise<void> | undefined
  readonly #wakers = new Set<() => void>()

  constructor(peer: HostilePeer, stream: TlsStream) {
    this.#peer = peer
    this.#stream = stream
    this.#incoming = new Incoming(stream)
  }

  /** False when the device hung up instead. */
  async greet(): Promise<boolean> {
    try {
      const names = { deviceName: 'hostile', clientName: 'test', clientVersion: 'v1' }
      await this.#stream.write(
        writeHello({ ...names, numConnections: 1, timestampNs: BigInt(Date.now()) * 1_000_000n }),
      )
      const start = await this.#incoming.take(6)
      await this.#incoming.take(start.readUInt16BE(4))
    } catch {
      return false
    }
    this.#reading = this.#read()
    return true
  }

  /** Writes bytes as they are. False when the device is gone. */
  async raw(bytes: Uint8Array): Promise<boolean> {
    this.#peer.sentBytes += bytes.length
    try {
      await this.#stream.write(bytes)
      return !this.ended
    } catch {
      return false
    }
  }

  send(type: MessageType | number, body: Uint8Array = new Uint8Array(0)): Promise<boolean> {
    return this.raw(frame(type, body))
  }

  index(records: readonly WireRecord[], folder?: string): Promise<boolean> {
    return this.send('Index', this.#peer.index(records, folder))
  }

  update(records: readonly WireRecord[], folder?: string): Promise<boolean> {
    return this.send('IndexUpdate', this.#peer.index(records, folder))
  }

  count(type: MessageType): number {
    return this.#counts.get(type) ?? 0
  }

  /** Resolves when the device has sent a message of the type. */
  async received(type: MessageType): Promise<void> {
    await this.until(`a ${type}`, () => this.count(type) > 0)
  }

  /**
   * Whether the device still responds after it has processed all earlier messages: it handles them in order, so the
   * response to one more request shows that. The request is for an unknown file.
   */
  async isAlive(): Promise<boolean> {
    const id = --this.#lastSignOfLife
    await this.send('Request', request({ id, folder: 'docs', name: 'nothing', size: 1, hash: sha256('nothing') }))
    await this.until('an answer or the end', () => this.ended || this.#heardOfLife === id)
    return !this.ended
  }

  async whenEnded(): Promise<void> {
    await this.until('the end of the conversation', () => this.ended)
  }

  /** Resolves when the condition holds; checks after every message. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    const late = AbortSignal.timeout(LIMIT_MS)
    while (!isSo()) {
      if (late.aborted) throw new Error(`waited ${LIMIT_MS} ms in vain for: ${what}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wakers.add(resolve)
      late.addEventListener('abort', () => resolve(), { once: true })
      await promise
    }
  }

  #wake(): void {
    for (const wake of this.#wakers) wake()
    this.#wakers.clear()
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const message = await this.#incoming.frame()
        if (message.type === 'Close') this.closeReason = decode(CLOSE, message.body, 0).reason
        if (message.type === 'Request') await this.#answer(decode(REQUEST, message.body, 0))
        if (message.type === 'Response') this.#take(decode(RESPONSE, message.body, 0))
        this.#counts.set(message.type, this.count(message.type) + 1)
        this.#wake()
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      this.ended = true // the device hung up
      this.#wake()
    }
  }

  #take(answered: Answered): void {
    if (answered.id > SIGN_OF_LIFE_MIN) this.#heardOfLife = answered.id
    else this.onAnswer?.(answered)
  }

  async #answer(asked: PeerRequest): Promise<void> {
    const answer = this.serve?.(asked)
    if (answer !== undefined) await this.raw(answer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream[Symbol.asyncDispose]()
    await this.#reading
  }
}
