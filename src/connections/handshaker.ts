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
import type { HandshakeParty } from '../core/invitations/proof.ts'
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
import type { InvitationGate, UnknownDevice } from './types.ts'
import { HandshakeLimiter } from './handshake-limiter.ts'

const CERTIFICATE_NAME = 'syncthing'
const NOT_ADDED = 'the other device has not added this device yet'
const NOT_ACCEPTED =
  'the other device does not accept the invitation: it was used, has expired or was revoked; ask for a new one'

export interface HandshakerDeps {
  readonly platform: Pick<Platform, 'clock' | 'random'>
  readonly limits: RateLimits
  logger(facility: Facility): Logger
  config(): Config
  isLan(): LanCheck
  /** `incomingHost` is where an incoming connection comes from. */
  present(device: DeviceId, incomingHost: string | undefined): ExistingConnections
  /** Also of one that is invited: it may be dialled where it came from. */
  onSeenDevice(device: UnknownDevice): void
  onUnknownDevice(device: UnknownDevice): void
  /** Absent in a daemon without invitations. */
  readonly invitations?: InvitationGate | undefined
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

/** A stream after the Hellos. */
interface Handshake {
  readonly stream: TlsStream
  /** The same with the rates of the device. */
  readonly limited: TlsStream
  readonly own: Hello
  readonly result: HelloResult
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
    const decide = () => admit(config(), this.#options.ownDevice, peer, existing)
    const admission = decide()
    const route = {
      transport: `${transport}-${expected === undefined ? 'server' : 'client'}`,
      isLocal,
      priority,
    } as const
    if (admission.kind === 'refused') throw new DialError(admission.cause ?? 'rejected', admission.reason)
    if (admission.kind === 'known') return await this.#receiveKnown(stream, admission.device, route, signal)
    const invited = await this.#receiveUnknown(stream, { device, isLocal }, signal)
    if (invited === undefined) return undefined
    const again = decide() // the invitation has added the device
    if (again.kind !== 'known') throw new DialError('rejected', 'the invited device may not connect')
    return this.#connect(again.device, invited, route)
  }

  /** An unknown device receives a Hello without our device name. The connection of an invited one continues. */
  async #receiveUnknown(
    stream: TlsStream,
    peer: Pick<UnknownDevice, 'device' | 'isLocal'>,
    signal: AbortSignal,
  ): Promise<Handshake | undefined> {
    const own = { ...this.#hello(), deviceName: '', numConnections: 0 }
    const limited = this.#deps.limits.limitUnknown(stream, peer.device, peer.isLocal)
    const exchange = (until: AbortSignal) => exchangeHellos(limited, own, this.#deps.platform.clock, until)
    const result = await this.#limiter.limitUnknown(stream, signal, exchange)
    const seen = { ...peer, name: result.hello.deviceName, address: stream.remoteAddress }
    this.#deps.onSeenDevice(seen)
    const isNamed = stream.isNamed(CERTIFICATE_NAME) // else it would use up the invitation and be refused
    if (isNamed && (await this.#isInvited(stream, peer.device, result.hello))) return { stream, limited, own, result }
    this.#deps.onUnknownDevice(seen)
    return undefined
  }

  async #isInvited(stream: TlsStream, device: DeviceId, hello: Hello): Promise<boolean> {
    if (hello.invitationProof === undefined) return false
    return (await this.#deps.invitations?.redeem(partyOf(stream, device), hello)) ?? false
  }

  async #receiveKnown(stream: TlsStream, device: DeviceConfig, route: Route, signal: AbortSignal): Promise<Connection> {
    const { platform, limits, invitations } = this.#deps
    const { deviceID } = device
    const limited = limits.limit(stream, deviceID, route.isLocal)
    const invitationProof = invitations?.proofFor(partyOf(stream, deviceID))
    const own: Hello = {
      ...this.#hello(),
      numConnections: ownWanted(device.numConnections),
      ...(invitationProof !== undefined && { invitationProof }),
    }
    const exchange = async (until: AbortSignal): Promise<HelloResult> => {
      const result = await exchangeHellos(limited, own, platform.clock, until)
      if (route.transport.endsWith('-client')) await this.#checkAdded(own, result, until)
      return result
    }
    const result = await this.#limiter.limitKnown(deviceID, signal, exchange)
    const connection = this.#connect(device, { stream, limited, own, result }, route)
    await this.#isInvited(stream, deviceID, result.hello) // a configured device may use an invitation to a folder
    if (invitationProof !== undefined) invitations?.accepted(deviceID)
    return connection
  }

  #connect(device: DeviceConfig, { stream, limited, own, result }: Handshake, route: Route): Connection {
    const { platform, logger } = this.#deps
    const name = device.certName === '' ? CERTIFICATE_NAME : device.certName
    if (!stream.isNamed(name)) throw new TwinfoldError('refused', `certificate name is not ${name}`)
    const connectionId = connectionIdOf(own.timestampNs, result.hello.timestampNs, platform.random.bytes(8))
    const { remoteAddress, crypto } = stream
    const { deviceID, compression } = device
    return new ProtocolConnection(
      { clock: platform.clock, logger: logger('protocol'), memory: this.#memory },
      limited,
      result,
      { device: deviceID, connectionId, remoteAddress, crypto, compression, ...route },
    )
  }

  /** A device that has not added this one sends a Hello without a name and closes the connection. */
  async #checkAdded(own: Hello, result: HelloResult, signal: AbortSignal): Promise<void> {
    if (announcedConnections(result.hello) !== undefined) return
    if (await continuesAfterHello(result, this.#deps.platform.clock, signal)) return
    const text = own.invitationProof === undefined ? NOT_ADDED : NOT_ACCEPTED
    throw new DialError('not-added', text)
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

function partyOf(stream: TlsStream, device: DeviceId): HandshakeParty {
  return { device, exported: (label) => stream.exportKey?.(label) }
}
