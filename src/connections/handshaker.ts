import { admit, connectionPriority, ownWanted, type Present } from '../core/network/admission.ts'
import type { Config, DeviceConfig } from '../core/config/config.ts'
import { deviceIdFromCertificate } from '../core/device-id.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { Facility } from '../core/facilities.ts'
import type { DeviceId } from '../core/ids.ts'
import { hostOf } from '../core/network/ip.ts'
import type { LanCheck } from '../core/network/lan.ts'
import type { Logger } from '../events/types.ts'
import { ProtocolConnection } from '../protocol/connection.ts'
import { connectionIdOf, exchangeHellos } from '../protocol/hello.ts'
import type { ProtocolMetrics } from '../protocol/metrics.ts'
import type { Connection, Hello } from '../protocol/types.ts'
import type { TlsStream } from '../platform/net.ts'
import type { Platform } from '../platform/platform.ts'
import type { RateLimits } from './rate.ts'
import type { UnknownDevice } from './types.ts'
import { HandshakeLimiter } from './handshake-limiter.ts'

const CERTIFICATE_NAME = 'syncthing'

export interface ReceptionDeps {
  readonly platform: Pick<Platform, 'clock' | 'random'>
  readonly limits: RateLimits
  readonly metrics?: ProtocolMetrics
  logger(facility: Facility): Logger
  config(): Config
  isLan(): LanCheck
  present(device: DeviceId): Present
  onStranger(stranger: UnknownDevice): void
}

export interface ReceptionOptions {
  readonly ownDevice: DeviceId
  readonly clientName: string
  readonly clientVersion: string
}

/** Where a connection leads and who began it. */
interface Place {
  readonly transport: 'tcp-client' | 'tcp-server'
  readonly isLocal: boolean
  readonly priority: number
}

/** Finds out who is at the other end of a stream, and says Hello to those who may hear it. */
export class Handshaker {
  readonly #deps: ReceptionDeps
  readonly #options: ReceptionOptions
  readonly #room = new HandshakeLimiter()

  constructor(deps: ReceptionDeps, options: ReceptionOptions) {
    this.#deps = deps
    this.#options = options
  }

  /**
   * The connection to a device we know; undefined for a stranger, who has been told of. Rejects with the reason when
   * there is to be none, and leaves the stream to its owner to dispose of. `expected` is whom we dialled.
   */
  async receive(
    stream: TlsStream,
    expected: DeviceId | undefined,
    signal: AbortSignal,
  ): Promise<Connection | undefined> {
    const { config, isLan, present } = this.#deps
    const device = deviceIdFromCertificate(stream.peerCertificate)
    const host = hostOf(stream.remoteAddress)
    const isLocal = isLan()(host)
    const priority = connectionPriority(config().options, 'tcp', isLocal)
    const applicant = { device, certificateCount: stream.certificateCount, host, priority, expected }
    const admission = admit(config(), this.#options.ownDevice, applicant, present(device))
    if (admission.kind === 'refused') throw new TwinfoldError('bad-request', admission.reason)
    if (admission.kind === 'stranger') {
      await this.#receiveStranger(stream, device, signal)
      return undefined
    }
    const transport = expected === undefined ? 'tcp-server' : 'tcp-client'
    return await this.#receiveKnown(stream, admission.device, { transport, isLocal, priority }, signal)
  }

  /** It learns that we are here, and nothing else about us. */
  async #receiveStranger(stream: TlsStream, device: DeviceId, signal: AbortSignal): Promise<void> {
    const own = { ...this.#hello(), deviceName: '', numConnections: 0 }
    const talk = (until: AbortSignal) => exchangeHellos(stream, own, this.#deps.platform.clock, until)
    const { hello } = await this.#room.receiveStranger(stream, signal, talk)
    this.#deps.onStranger({ device, name: hello.deviceName, address: stream.remoteAddress })
  }

  async #receiveKnown(stream: TlsStream, device: DeviceConfig, place: Place, signal: AbortSignal): Promise<Connection> {
    const { platform, limits, metrics } = this.#deps
    const { deviceID, compression } = device
    const limited = limits.limit(stream, deviceID, place.isLocal)
    const own = { ...this.#hello(), numConnections: ownWanted(device.numConnections) }
    const talk = (until: AbortSignal) => exchangeHellos(limited, own, platform.clock, until)
    const greeting = await this.#room.receiveKnown(deviceID, signal, talk)
    const name = device.certName === '' ? CERTIFICATE_NAME : device.certName
    if (!stream.isNamed(name)) throw new TwinfoldError('bad-request', `its certificate is not made out to ${name}`)
    const connectionId = connectionIdOf(own.timestampNs, greeting.hello.timestampNs, platform.random.bytes(8))
    const { remoteAddress, crypto } = stream
    return new ProtocolConnection(
      { clock: platform.clock, logger: this.#deps.logger('protocol'), ...(metrics !== undefined && { metrics }) },
      limited,
      greeting,
      { device: deviceID, connectionId, remoteAddress, crypto, compression, ...place },
    )
  }

  #hello(): Hello {
    const { ownDevice, clientName, clientVersion } = this.#options
    return {
      deviceName: this.#deps.config().devices.find((one) => one.deviceID === ownDevice)?.name ?? '',
      clientName,
      clientVersion,
      numConnections: 1,
      timestampNs: BigInt(this.#deps.platform.clock.nowMs()) * 1_000_000n,
    }
  }
}
