import assert from 'node:assert/strict'
import { DEFAULTS, DEVICE, GUI, LDAP, OPTIONS, defaultsOf } from '../../src/core/config-fields.ts'
import type { Config, DeviceConfig, OptionsConfig } from '../../src/core/config.ts'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { Connections, type ConnectionsDeps } from '../../src/connections/connections.ts'
import type { ConnectionFacts, Greet } from '../../src/connections/greeting.ts'
import type { Stranger } from '../../src/connections/types.ts'
import type { Connection, Hello } from '../../src/protocol/types.ts'
import type { Identity, TlsStream } from '../../src/world/net.ts'
import type { World } from '../../src/world/world.ts'
import { quietLogger } from '../support/logger.ts'

/** An identity that only a simulation believes. */
export function simIdentity(name: string): Identity {
  const body = Buffer.from(`certificate of ${name}`).toString('base64')
  return { certificatePem: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`, keyPem: '' }
}

export function idOf(identity: Identity): DeviceId {
  const body = identity.certificatePem.replace(/-----[^-]*-----/g, '').replace(/\s/g, '')
  return deviceIdFromCertificate(Buffer.from(body, 'base64'))
}

export function deviceConfig(id: DeviceId, settings: Partial<DeviceConfig> = {}): DeviceConfig {
  return { ...defaultsOf(DEVICE), deviceID: id, name: '', addresses: ['dynamic'], numConnections: 1, ...settings }
}

export function configOf(own: DeviceId, devices: readonly DeviceConfig[], options: Partial<OptionsConfig> = {}): Config {
  return {
    version: 37,
    folders: [],
    devices: [deviceConfig(own, { name: `name of ${own.slice(0, 7)}` }), ...devices],
    gui: defaultsOf(GUI),
    ldap: defaultsOf(LDAP),
    options: { ...defaultsOf(OPTIONS), listenAddresses: [], reconnectionIntervalS: 20, ...options },
    remoteIgnoredDevices: [],
    defaults: defaultsOf(DEFAULTS),
  }
}

/** A Hello as a line of JSON: what the service makes of it is under test here, not how it is written. */
export const plainGreet: Greet = async (stream, own) => {
  await stream.write(Buffer.from(`${JSON.stringify({ ...own, timestampNs: String(own.timestampNs) })}\n`))
  let text = ''
  while (!text.includes('\n')) {
    const chunk = await stream.read()
    if (chunk === undefined) throw new Error('ended before Hello')
    text += Buffer.from(chunk).toString()
  }
  const [line = '', ...rest] = text.split('\n')
  const said: { -readonly [K in keyof Hello]: Hello[K] } = JSON.parse(line)
  const hello: Hello = { ...said, timestampNs: BigInt(said.timestampNs) }
  return { hello, open: (facts) => new PlainConnection(stream, facts, { own, hello }, rest.join('\n')) }
}

/** A connection that carries nothing; it ends when the stream does. */
class PlainConnection implements Connection {
  readonly device: DeviceId
  readonly connectionId: string
  readonly hello: Hello
  readonly transport: string
  readonly remoteAddress: string
  readonly isLocal: boolean
  readonly crypto: string
  readonly establishedMs: number
  readonly priority: number
  readonly inBytesTotal = 10
  readonly outBytesTotal = 20
  readonly closed: AbortSignal
  readonly #stream: TlsStream
  readonly #closed = new AbortController()

  constructor(stream: TlsStream, facts: ConnectionFacts, hellos: { own: Hello; hello: Hello }, _rest: string) {
    this.#stream = stream
    this.device = facts.device
    this.hello = hellos.hello
    this.connectionId = String(hellos.own.timestampNs + hellos.hello.timestampNs).padStart(20, '0').slice(-13)
    this.transport = facts.transport
    this.isLocal = facts.isLocal
    this.priority = facts.priority
    this.remoteAddress = stream.remoteAddress
    this.crypto = stream.crypto
    this.establishedMs = Number(hellos.own.timestampNs / 1_000_000n)
    this.closed = this.#closed.signal
    void this.#drain()
  }

  async #drain(): Promise<void> {
    try {
      while ((await this.#stream.read()) !== undefined);
      this.#closed.abort(new Error('the peer hung up'))
    } catch (error) {
      this.#closed.abort(error)
    }
    await this.#stream[Symbol.asyncDispose]()
  }

  run = async (): Promise<void> => {}
  clusterConfig = async (): Promise<void> => {}
  index = async (): Promise<void> => {}
  indexUpdate = async (): Promise<void> => {}
  request = async (): Promise<Uint8Array> => new Uint8Array()
  downloadProgress = async (): Promise<void> => {}
  async close(reason: string): Promise<void> {
    this.#closed.abort(new Error(reason))
    await this.#stream[Symbol.asyncDispose]()
  }
}

/** One device with nothing but its connections. */
export class Machine {
  readonly id: DeviceId
  readonly connections: Connections
  readonly made: Connection[] = []
  readonly strangers: Stranger[] = []
  readonly log = quietLogger('connections')
  config: Config
  readonly #stop = new AbortController()
  #done: Promise<void> | undefined

  constructor(world: Pick<World, 'clock' | 'random' | 'net' | 'system'>, identity: Identity, config: Config, deps: Partial<ConnectionsDeps> = {}) {
    this.id = idOf(identity)
    this.config = config
    this.connections = new Connections(
      {
        world,
        log: this.log,
        dialerLog: quietLogger('dialer'),
        greet: plainGreet,
        onConnection: (connection) => void this.made.push(connection),
        onStranger: (stranger) => void this.strangers.push(stranger),
        lookup: async () => [],
        ...deps,
      },
      { config, ownDevice: this.id, identity, clientName: 'twinfold', clientVersion: 'v1.0.0' },
    )
  }

  start(): this {
    this.#done = this.connections.run(this.#stop.signal)
    return this
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  change(to: Config): void {
    const from = this.config
    this.config = to
    this.connections.apply(from, to)
  }

  /** The open connections to a device, as they are told to whoever looks. */
  open(device: DeviceId): number {
    const figures = this.connections.status().devices.get(device)
    return figures === undefined ? 0 : 1 + figures.secondary.length
  }

  /** Those that the device has and that have not ended, as whoever uses them sees it. */
  alive(): readonly Connection[] {
    return this.made.filter((connection) => !connection.closed.aborted)
  }

  assertConsistent(): void {
    const open = [...this.connections.status().devices.keys()].reduce((sum, id) => sum + this.open(id), 0)
    assert.equal(open, this.alive().length)
  }
}
