import type { DeviceConfig, OptionsConfig } from '../core/config/config.ts'
import type { DeviceId } from '../core/ids.ts'
import { parseAddress, type DeviceAddress } from '../core/network/address.ts'
import { addressLabel } from '../core/redact-address.ts'
import { connectionPriority, type Transport } from '../core/network/admission.ts'
import type { DialFailure } from '../core/network/dial-failure.ts'
import { parseIp } from '../core/network/ip.ts'
import { isAllowedNetwork, type LanCheck } from '../core/network/lan.ts'
import type { Dialer } from '../dialer/dialer.ts'
import type { TlsStream } from '../platform/net.ts'
import type { RelayDialer } from '../relay/relay-dialer.ts'

/** Bounds the addresses of one device: discovery servers are not trusted. */
const ADDRESSES_MAX = 64

/** An address that can be dialled. */
export interface Target {
  /** Without secrets; identifies the address in the status. */
  readonly text: string
  readonly priority: number
  readonly transport: Transport
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

/** Which of the given addresses of a device can be dialled, and how. */
export function targetsOf(deps: TargetDeps, device: DeviceConfig, addresses: readonly string[]): Targets {
  const usable = new Map<string, Target>()
  const skipped = new Map<string, DialFailure>()
  for (const text of addresses.slice(0, ADDRESSES_MAX)) {
    const address = parseAddress(text)
    if (address.kind === 'dynamic') continue
    const failure = whyNot(address, device, deps.options())
    if (failure !== undefined) skipped.set(labelOf(text, address), failure)
    else if (address.kind === 'tcp' || address.kind === 'relay') {
      usable.set(address.text, targetOf(deps, address, device.deviceID))
    }
  }
  return { usable, skipped }
}

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
  address: Extract<DeviceAddress, { readonly kind: 'tcp' | 'relay' }>,
  device: DeviceId,
): Target {
  const settings = { allowTls12: options().insecureAllowOldTLSVersions }
  const transport = address.kind
  const priority = connectionPriority(options(), transport, isLan()(address.host))
  const dial = (signal: AbortSignal): Promise<TlsStream> =>
    address.kind === 'tcp'
      ? dialer.dial(address, signal, settings)
      : relayDialer.dial(address, device, signal, settings)
  return { text: address.text, priority, transport, dial }
}

function labelOf(text: string, address: DeviceAddress): string {
  return 'text' in address ? address.text : addressLabel(text)
}
