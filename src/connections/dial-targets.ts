import type { DeviceConfig, OptionsConfig } from '../core/config/config.ts'
import { deviceIdFromCertificate } from '../core/device-id.ts'
import type { DeviceId } from '../core/ids.ts'
import { parseAddress, type DeviceAddress } from '../core/network/address.ts'
import { addressLabel } from '../core/redact-address.ts'
import { connectionPriority, wrongDevice, type Transport } from '../core/network/admission.ts'
import { DialError, type DialFailure } from '../core/network/dial-failure.ts'
import { parseIp } from '../core/network/ip.ts'
import { isAllowedNetwork, type LanCheck } from '../core/network/lan.ts'
import { takeTurns } from '../core/network/take-turns.ts'
import type { Dialer } from '../dialer/dialer.ts'
import type { TlsStream } from '../platform/net.ts'
import type { RelayDialer } from '../relay/relay-dialer.ts'

/** Bounds the addresses of one device, those of the configuration and the found ones: who announces is not trusted. */
const ADDRESSES_MAX = 64

/** An address that can be dialled. */
export interface Target {
  /** Without secrets; identifies the address in the status. */
  readonly text: string
  readonly priority: number
  readonly transport: Transport
  /** Only a stream of the right device; rejects for another one. */
  dial(signal: AbortSignal): Promise<TlsStream>
}

export interface TargetDeps {
  readonly dialer: Dialer
  readonly relayDialer: RelayDialer
  options(): OptionsConfig
  isLan(): LanCheck
}

export interface Targets {
  /** By their text. */
  readonly usable: ReadonlyMap<string, Target>
  /** The others, with the reason. */
  readonly skipped: ReadonlyMap<string, DialFailure>
}

/** The addresses of a device. */
export interface KnownAddresses {
  readonly configured: readonly string[]
  /** By source: a discovery server, the local network, a connection seen before. */
  readonly found: readonly (readonly string[])[]
}

/**
 * Which addresses of a device can be dialled, and how. The unusable ones are left out before the rest is bounded, and
 * the sources take turns, so that no source can crowd out the addresses of another or of the configuration.
 */
export function targetsOf(deps: TargetDeps, device: DeviceConfig, { configured, found }: KnownAddresses): Targets {
  const skipped = new Map<string, DialFailure>()
  const usableOf = (texts: readonly string[]): readonly DialledAddress[] =>
    texts.flatMap((text) => {
      const address = parseAddress(text)
      const failure = whyNot(address, device, deps.options())
      if (failure !== undefined && skipped.size < ADDRESSES_MAX) skipped.set(labelOf(text, address), failure)
      return failure === undefined && (address.kind === 'tcp' || address.kind === 'relay') ? [address] : []
    })
  const own = usableOf(configured).slice(0, ADDRESSES_MAX)
  const all = new Map<string, DialledAddress>(own.map((address) => [address.text, address]))
  const sources = found.map((texts) => usableOf(texts).filter(({ text }) => !all.has(text)))
  const byText = new Map(sources.flat().map((address) => [address.text, address]))
  const turns = takeTurns(
    sources.map((each) => each.map(({ text }) => text)),
    ADDRESSES_MAX,
  )
  for (const text of turns) all.set(text, byText.get(text)!)
  const usable = new Map([...all].map(([text, address]) => [text, targetOf(deps, address, device.deviceID)]))
  return { usable, skipped }
}

type DialledAddress = Extract<DeviceAddress, { readonly kind: 'tcp' | 'relay' }>

function whyNot(address: DeviceAddress, device: DeviceConfig, options: OptionsConfig): DialFailure | undefined {
  switch (address.kind) {
    case 'bad':
      return { reason: 'bad-address', text: `bad address: ${address.reason}` }
    case 'unsupported':
      return { reason: 'unsupported', text: 'QUIC is not supported by Twinfold yet' }
    case 'relay-pool':
      return { reason: 'bad-address', text: 'bad address: a pool of relays cannot be dialled' }
    case 'relay':
      if (!options.relaysEnabled) return { reason: 'disabled', text: 'relays are switched off' }
      return isForbidden(address.host, device) ? FORBIDDEN : undefined
    case 'tcp':
      return isForbidden(address.host, device) ? FORBIDDEN : undefined
    case 'dynamic':
      return undefined
  }
}

const FORBIDDEN: DialFailure = { reason: 'network-not-allowed', text: 'network not allowed for this device' }

/** A host name may resolve to any network: the handshake checks the resulting address again. */
function isForbidden(host: string, { allowedNetworks }: DeviceConfig): boolean {
  return parseIp(host) !== undefined && !isAllowedNetwork(host, allowedNetworks)
}

function targetOf(
  { dialer, relayDialer, options, isLan }: TargetDeps,
  address: DialledAddress,
  device: DeviceId,
): Target {
  const settings = { allowTls12: options().insecureAllowOldTLSVersions }
  const transport = address.kind
  const priority = connectionPriority(options(), transport, isLan()(address.host))
  const dial = async (signal: AbortSignal): Promise<TlsStream> => {
    const stream =
      address.kind === 'tcp'
        ? await dialer.dial(address, signal, settings)
        : await relayDialer.dial(address, device, signal, settings)
    return await authenticated(stream, device)
  }
  return { text: address.text, priority, transport, dial }
}

/** A stream to another device is closed here: only the right one may end the dials of other addresses. */
async function authenticated(stream: TlsStream, device: DeviceId): Promise<TlsStream> {
  const reached = deviceIdFromCertificate(stream.peerCertificate)
  if (reached === device) return stream
  await stream[Symbol.asyncDispose]()
  throw new DialError('wrong-device', wrongDevice(reached, device))
}

function labelOf(text: string, address: DeviceAddress): string {
  return 'text' in address ? address.text : addressLabel(text)
}
