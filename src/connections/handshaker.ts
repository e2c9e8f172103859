import {
  admit,
  announcedConnections,
  connectionPriority,
  ownWanted,
  type ExistingConnections,
  type Transport,
} from '../core/network/admission.ts'
import type { Config, DeviceConfig } from '../core/config/config.ts'
import { deviceIdFromCertificate } from '../core/device-id.ts'
import { DialError } from '../core/network/dial-failure.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { Facility } from '../core/facilities.ts'
import type { DeviceId } from '../core/ids.ts'
import { hostOf } from '../core/network/ip.ts'
import type { LanCheck } from '../core/network/lan.ts'
import type { Logger } from '../events/types.ts'
import { ProtocolConnection } from '../protocol/connection.ts'
import { connectionIdOf, continuesAfterHello, exchangeHellos, type HelloResult } from '../protocol/hello.ts'
import { MessageMemory } from '../protocol/message-memory.ts'
import type { Connection, Hello } from '../protocol/types.ts'
import type { TlsStream } from '../platform/net.ts'
import type { Platform } from '../platform/platform.ts'
import type { RateLimits } from './rate.ts'
import type { UnknownDevice } from './types.ts'
import { HandshakeLimiter } from './handshake-limiter.ts'

const CERTIFICATE_NAME = 'syncthing'

export interface HandshakerDeps {
  readonly platform: Pick<Platform, 'clock' | 'random'>
  readonly limits: RateLimits
  logger(facility: Facility): Logger
  config(): Config
  isLan(): LanCheck
  /** `incomingHost` is where an incoming connection comes from. */
  present(device: DeviceId, incomingHost: string | undefined): ExistingConnections
  onUnknownDevice(device: UnknownDevice): void
}

export interface HandshakerOptions {
  readonly ownDevice: DeviceId
  readonly clientName: string
  readonly clientVersion: string
}

/** How a stream came about. */
export interface StreamOrigin {
  readonly transport: Transport
  /** The device we dialled; undefined for an incoming stream. */
  readonly expected?: DeviceId
}

/** Which side dialled a connection, and over which network. */
interface Route {
  readonly transport: `${Transport}-${'client' | 'server'}`
  readonly isLocal: boolean
  readonly priority: number
}

/** Authenticates the peer of a stream and exchanges Hellos with devices that may connect. */
export class Handshaker {
  readonly #deps: HandshakerDeps
  readonly #options: HandshakerOptions
  readonly #limiter = new HandshakeLimiter()
  readonly #memory = new MessageMemory()

  constructor(deps: HandshakerDeps, options: HandshakerOptions) {
    this.#deps = deps
    this.#options = options
  }

  /**
   * Returns the connection to a configured device; undefined for an unknown device, which has been reported. Rejects
   * with the reason on refusal; the caller disposes of the stream.
   */
  async receive(
    stream: TlsStream,
    { transport, expected }: StreamOrigin,
    signal: AbortSignal,
  ): Promise<Connection | undefined> {
    const { config, isLan, present } = this.#deps
    const device = deviceIdFromCertificate(stream.peerCertificate)
    const host = hostOf(stream.remoteAddress)
    const isLocal = transport !== 'relay' && isLan()(host) // behind a relay in the LAN the device may be anywhere
    const priority = connectionPriority(config().options, transport, isLocal)
    const peer = { device, certificateCount: stream.certificateCount, host, priority, expected }
    const existing = present(device, expected === undefined ? host : undefined)
    const admission = admit(config(), this.#options.ownDevice, peer, existing)
    if (admission.kind === 'refused') throw new DialError(admission.cause ?? 'rejected', admission.reason)
    if (admission.kind === 'unknown') {
      await this.#receiveUnknown(stream, { device, isLocal }, signal)
      return undefined
    }
    const route = {
      transport: `${transport}-${expected === undefined ? 'server' : 'client'}`,
      isLocal,
      priority,
    } as const
    return await this.#receiveKnown(stream, admission.device, route, signal)
  }

  /** An unknown device receives a Hello without our device name. */
  async #receiveUnknown(
    stream: TlsStream,
    peer: Pick<UnknownDevice, 'device' | 'isLocal'>,
    signal: AbortSignal,
  ): Promise<void> {
    const own = { ...this.#hello(), deviceName: '', numConnections: 0 }
    const exchange = (until: AbortSignal) => exchangeHellos(stream, own, this.#deps.platform.clock, until)
    const { hello } = await this.#limiter.limitUnknown(stream, signal, exchange)
    this.#deps.onUnknownDevice({ ...peer, name: hello.deviceName, address: stream.remoteAddress })
  }

  async #receiveKnown(stream: TlsStream, device: DeviceConfig, route: Route, signal: AbortSignal): Promise<Connection> {
    const { platform, limits } = this.#deps
    const { deviceID, compression } = device
    const limited = limits.limit(stream, deviceID, route.isLocal)
    const own = { ...this.#hello(), numConnections: ownWanted(device.numConnections) }
    const exchange = async (until: AbortSignal): Promise<HelloResult> => {
      const result = await exchangeHellos(limited, own, platform.clock, until)
      if (route.transport.endsWith('-client')) await this.#checkAdded(result, until)
      return result
    }
    const helloResult = await this.#limiter.limitKnown(deviceID, signal, exchange)
    const name = device.certName === '' ? CERTIFICATE_NAME : device.certName
    if (!stream.isNamed(name)) throw new TwinfoldError('refused', `certificate name is not ${name}`)
    const connectionId = connectionIdOf(own.timestampNs, helloResult.hello.timestampNs, platform.random.bytes(8))
    const { remoteAddress, crypto } = stream
    return new ProtocolConnection(
      { clock: platform.clock, logger: this.#deps.logger('protocol'), memory: this.#memory },
      limited,
      helloResult,
      { device: deviceID, connectionId, remoteAddress, crypto, compression, ...route },
    )
  }

  /** A device that has not added this one sends a Hello without a name and closes the connection. */
  async #checkAdded(result: HelloResult, signal: AbortSignal): Promise<void> {
    if (announcedConnections(result.hello) !== undefined) return
    if (await continuesAfterHello(result, this.#deps.platform.clock, signal)) return
    throw new DialError('not-added', 'the other device has not added this device yet')
  }

  #hello(): Hello {
    const { ownDevice, clientName, clientVersion } = this.#options
    return {
      deviceName: this.#deps.config().devices.find((one) => one.deviceID === ownDevice)?.name ?? '',
      clientName,
      clientVersion,
      numConnections: 1,
      timestampNs: BigInt(Math.floor(this.#deps.platform.clock.nowMs())) * 1_000_000n,
    }
  }
}
