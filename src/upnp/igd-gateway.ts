import { messageOf, TwinfoldError } from '../core/errors.ts'
import {
  parseIgdDescription,
  parseSoapReply,
  soapRequest,
  UPNP_ERROR,
  type IgdService,
  type SoapReply,
} from '../core/network/igd.ts'
import { parseIp } from '../core/network/ip.ts'
import { isGatewayUrl } from '../core/network/ssdp.ts'
import type { Logger } from '../events/types.ts'
import type { HttpClient } from '../platform/http-client.ts'
import type { FoundIgd } from './igd-search.ts'
import type { Gateway, Grant, MapRequest } from './types.ts'

const RESPONSE_BYTES_MAX = 128 * 1_024
const TCP_NUMBER = 6
/** The longest lease that the second version of the standard allows; longer ones are errors at some routers. */
const PINHOLE_LEASE_S_MAX = 86_400

export interface IgdDeps {
  readonly http: HttpClient
  readonly log: Logger
}

/** The gateways that a description lists: one per service that maps ports. Rejects only when the signal aborts. */
export async function openIgd(
  deps: IgdDeps,
  found: FoundIgd,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly Gateway[]> {
  const { location, local, id, sender } = found
  try {
    const request = { url: location, responseBytesMax: RESPONSE_BYTES_MAX, timeoutMs, localHost: local.address }
    const { status, body } = await deps.http.send(request, signal)
    if (status !== 200) throw new TwinfoldError('refused', `status ${status}`)
    const description = parseIgdDescription(textOf(body), location)
    const isV6 = parseIp(local.address)?.family === 6
    const services = (isV6 ? description.pinholes : description.mapping).filter(({ controlUrl }) =>
      isGatewayUrl(controlUrl, sender, local),
    )
    const client = (service: IgdService): SoapClient => new SoapClient(deps.http, service, local.address, timeoutMs)
    const host = new URL(location).hostname.replace(/^\[|\]$/g, '')
    return services.map((service) => {
      const place = { id: `${id} ${service.type}`, host, local }
      return isV6 ? pinholeGateway(place, client(service)) : mappingGateway(place, client(service))
    })
  } catch (error) {
    signal.throwIfAborted()
    deps.log.debug(() => `${location}: ${messageOf(error)}`)
    return []
  }
}

type Place = Pick<Gateway, 'id' | 'host' | 'local'>

/** WANIPConnection and WANPPPConnection: an external port is forwarded to this device. */
function mappingGateway(place: Place, soap: SoapClient): Gateway {
  return {
    ...place,
    protocol: 'UPnP',
    family: 4,
    map: (request, before, signal) => addMapping(soap, place.local.address, request, before, signal),
    async unmap({ externalPort }, signal) {
      await soap.call('DeletePortMapping', { ...mappingKey(externalPort) }, signal)
    },
  }
}

/** WANIPv6FirewallControl: the firewall passes connections to this device. */
function pinholeGateway(place: Place, soap: SoapClient): Gateway {
  return {
    ...place,
    protocol: 'UPnP IPv6',
    family: 6,
    async map({ internalPort, leaseS: wantedS, renewalS }, before, signal) {
      const leaseS = Math.min(wantedS === 0 ? 2 * renewalS : wantedS, PINHOLE_LEASE_S_MAX)
      const grant = { internalPort, externalPort: internalPort, externalHost: place.local.address, leaseS }
      if (before?.handle !== undefined) {
        const reply = await soap.send('UpdatePinhole', { UniqueID: before.handle, NewLeaseTime: leaseS }, signal)
        if (reply.kind === 'fields') return { ...grant, handle: before.handle }
      }
      const fields = {
        RemoteHost: '',
        RemotePort: 0,
        InternalClient: place.local.address,
        InternalPort: internalPort,
        Protocol: TCP_NUMBER,
        LeaseTime: leaseS,
      }
      const handle = (await soap.call('AddPinhole', fields, signal)).get('UniqueID') ?? ''
      return { ...grant, handle }
    },
    async unmap({ handle = '' }, signal) {
      await soap.call('DeletePinhole', { UniqueID: handle }, signal)
    },
  }
}

async function addMapping(
  soap: SoapClient,
  localHost: string,
  request: MapRequest,
  before: Grant | undefined,
  signal: AbortSignal,
): Promise<Grant> {
  const { internalPort, leaseS } = request
  const ports = before === undefined ? [...request.externalPorts] : [before.externalPort, ...request.externalPorts]
  let lease = leaseS
  for (let port = ports.shift(); port !== undefined;) {
    const fields = {
      ...mappingKey(port),
      NewInternalPort: internalPort,
      NewInternalClient: localHost,
      NewEnabled: 1,
      NewPortMappingDescription: `twinfold-${internalPort}`,
      NewLeaseDuration: lease,
    }
    const action = soap.hasAnyPort ? 'AddAnyPortMapping' : 'AddPortMapping'
    const reply = await soap.send(action, fields, signal)
    if (reply.kind === 'fields') {
      const externalPort = soap.hasAnyPort ? Number(reply.fields.get('NewReservedPort') ?? port) : port
      const externalHost = await externalAddress(soap, signal)
      return {
        internalPort,
        externalPort: checkedPort(externalPort),
        ...(lease > 0 && { leaseS: lease }),
        ...(externalHost !== undefined && { externalHost }),
      }
    }
    if (reply.code === UPNP_ERROR.permanentOnly && lease > 0) lease = 0
    else if (reply.code === UPNP_ERROR.samePortOnly && port !== internalPort) port = internalPort
    else if (reply.code === UPNP_ERROR.portInUse) port = ports.shift()
    else throw new TwinfoldError('refused', reply.reason)
  }
  throw new TwinfoldError('refused', 'every tried external port is in use')
}

function mappingKey(externalPort: number): Readonly<Record<string, string | number>> {
  return { NewRemoteHost: '', NewExternalPort: externalPort, NewProtocol: 'TCP' }
}

function checkedPort(port: number): number {
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port
  throw new TwinfoldError('refused', 'the gateway reported no valid port')
}

async function externalAddress(soap: SoapClient, signal: AbortSignal): Promise<string | undefined> {
  const fields = await soap.call('GetExternalIPAddress', {}, signal).catch(() => undefined)
  signal.throwIfAborted()
  return fields?.get('NewExternalIPAddress')
}

/** Requests to one service of a gateway. */
class SoapClient {
  /** Whether the gateway chooses another port itself if the wanted one is in use. */
  readonly hasAnyPort: boolean
  readonly #http: HttpClient
  readonly #service: IgdService
  readonly #localHost: string
  readonly #timeoutMs: number

  constructor(http: HttpClient, service: IgdService, localHost: string, timeoutMs: number) {
    this.#http = http
    this.#service = service
    this.#localHost = localHost
    this.#timeoutMs = timeoutMs
    this.hasAnyPort = service.type.endsWith(':WANIPConnection:2')
  }

  async send(
    action: string,
    fields: Readonly<Record<string, string | number>>,
    signal: AbortSignal,
  ): Promise<SoapReply> {
    const { type, controlUrl } = this.#service
    const { body } = await this.#http.send(
      {
        method: 'POST',
        url: controlUrl,
        headers: { 'Content-Type': 'text/xml; charset="utf-8"', SOAPAction: `"${type}#${action}"` },
        body: soapRequest(type, action, fields),
        responseBytesMax: RESPONSE_BYTES_MAX,
        timeoutMs: this.#timeoutMs,
        localHost: this.#localHost,
      },
      signal,
    )
    return parseSoapReply(textOf(body), action)
  }

  /** The fields of the reply. Rejects for an error. */
  async call(
    action: string,
    fields: Readonly<Record<string, string | number>>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const reply = await this.send(action, fields, signal)
    if (reply.kind === 'error') throw new TwinfoldError('refused', reply.reason)
    return reply.fields
  }
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}
