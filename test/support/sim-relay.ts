import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import {
  decodeRelayHeader,
  decodeRelayPayload,
  encodeRelayMessage,
  RELAY_HEADER_BYTES,
  type RelayMessage,
} from '../../src/core/network/relay-message.ts'
import type { TlsStream } from '../../src/platform/net.ts'
import type { SimNetwork } from '../../src/platform/sim/net.ts'
import type { SimPlainStream } from '../../src/platform/sim/plain-stream.ts'
import { RelayChannel } from '../../src/relay/channel.ts'
import { idOf, simIdentity } from '../connections/machines.ts'

const NEVER = new AbortController().signal
const PORT = 22_067

interface Session {
  readonly devices: readonly DeviceId[]
  readonly joined: SimPlainStream[]
}

/** A relay on a machine of a simulated network, with the behaviour of the real one. */
export class SimRelay {
  readonly id: DeviceId
  readonly members = new Map<DeviceId, RelayChannel>()
  /** Bytes of sessions are swallowed while true. */
  isHolding = false
  /** Sessions that both devices have joined. */
  sessionCount = 0
  readonly #network: SimNetwork
  readonly #name: string
  readonly #token: string
  readonly #sessions = new Map<string, Session>()
  readonly #open: AsyncDisposable[] = []
  #keys = 0

  constructor(network: SimNetwork, name: string, token = '') {
    this.#network = network
    this.#name = name
    this.#token = token
    this.id = idOf(simIdentity(name))
  }

  /** As its owner passes it on. */
  get address(): string {
    const token = this.#token === '' ? '' : `&token=${this.#token}`
    return `relay://${this.#name}:${PORT}/?id=${this.id}&pingInterval=1m0s${token}`
  }

  async start(): Promise<this> {
    const options = { host: this.#name, port: PORT, identity: simIdentity(this.#name) }
    const host = this.#network.host(this.#name)
    this.#open.push(await host.listenTls(options, (stream) => void this.#control(stream).catch(() => {}))) // it left
    this.#open.push(
      this.#network.listenPlain(this.#name, PORT, (stream) => void this.#session(stream).catch(() => {})), // the same
    )
    return this
  }

  /** The process ends: all connections of the relay fail. */
  stop(): void {
    this.#network.unplug(this.#name)
    this.members.clear()
    this.#sessions.clear()
  }

  async #control(stream: TlsStream): Promise<void> {
    await using channel = new RelayChannel(stream)
    const device = deviceIdFromCertificate(stream.peerCertificate)
    const message = await channel.receive(NEVER)
    if (message.kind === 'connect') return await this.#connect(channel, device, message.device)
    if (message.kind !== 'join-relay') return await channel.send(response(100, 'unexpected message'))
    if (message.token !== this.#token) return await channel.send(response(3, 'wrong token'))
    if (this.members.has(device)) return await channel.send(response(2, 'already connected'))
    this.members.set(device, channel)
    try {
      await channel.send(response(0, 'success'))
      for (;;) if ((await channel.receive(NEVER)).kind === 'ping') await channel.send({ kind: 'pong' })
    } finally {
      if (this.members.get(device) === channel) this.members.delete(device)
    }
  }

  async #connect(channel: RelayChannel, from: DeviceId, to: DeviceId): Promise<void> {
    const member = this.members.get(to)
    if (member === undefined) return await channel.send(response(1, 'not found'))
    const session: Session = { devices: [from, to], joined: [] }
    const invite = (other: DeviceId, isServer: boolean): RelayMessage => {
      const key = Buffer.from(`key ${++this.#keys}`)
      this.#sessions.set(key.toString(), session)
      return { kind: 'invitation', from: other, key, address: new Uint8Array(), port: PORT, isServer }
    }
    await member.send(invite(from, true))
    await channel.send(invite(to, false))
  }

  async #session(stream: SimPlainStream): Promise<void> {
    const { kind, payloadBytes } = decodeRelayHeader(await stream.take(RELAY_HEADER_BYTES, NEVER))
    const message = decodeRelayPayload(kind, await stream.take(payloadBytes, NEVER))
    const key = message.kind === 'join-session' ? Buffer.from(message.key).toString() : ''
    const session = this.#sessions.get(key)
    this.#sessions.delete(key)
    await stream.write(encodeRelayMessage(session === undefined ? response(1, 'not found') : response(0, 'success')))
    if (session === undefined) return await stream[Symbol.asyncDispose]()
    session.joined.push(stream)
    const [a, b] = session.joined
    if (a === undefined || b === undefined) return
    this.sessionCount++
    await Promise.all([this.#pipe(a, b), this.#pipe(b, a)])
  }

  async #pipe(from: SimPlainStream, to: SimPlainStream): Promise<void> {
    try {
      for (let chunk = await from.read(); chunk !== undefined; chunk = await from.read()) {
        if (!this.isHolding) await to.write(chunk)
      }
    } finally {
      await to[Symbol.asyncDispose]()
    }
  }
}

function response(code: number, message: string): RelayMessage {
  return { kind: 'response', code, message }
}
