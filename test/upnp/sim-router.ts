import { PORT_CONTROL_PORT } from '../../src/core/network/nat-pmp.ts'
import { SSDP_GROUP_V4, SSDP_GROUP_V6, SSDP_PORT } from '../../src/core/network/ssdp.ts'
import type { HttpReply, HttpRequest } from '../../src/platform/http.ts'
import type { SimNetwork } from '../../src/platform/sim/net.ts'
import type { UdpAddress, UdpSocket } from '../../src/platform/udp.ts'

const UUID = 'uuid:00000000-0000-0000-0000-000000000001'
const WAN_IP = '44.1.2.3'
const NO_SUCH_PINHOLE = 704
const TYPE_1 = 'urn:schemas-upnp-org:device:InternetGatewayDevice:1'

export interface RouterOptions {
  readonly host: string
  /** Protocols that it answers to. */
  readonly speaks: readonly ('pcp' | 'nat-pmp' | 'upnp')[]
  /** Service of UPnP. */
  readonly service?: string
  /** The reply to a request for a mapping by UPnP: a code of an error, or undefined for success. */
  readonly refuse?: (fields: ReadonlyMap<string, string>) => number | undefined
  /** Where its description is said to be. */
  readonly location?: string
  readonly description?: string
}

interface Entry {
  readonly client: string
  readonly internalPort: string
  readonly leaseS: number
}

/** A router of a simulated network: it maps and forwards ports, and records requests. */
export class SimRouter implements AsyncDisposable {
  /** By external port. */
  readonly table = new Map<number, Entry>()
  /** Holes in its IPv6 firewall, by their ID. */
  readonly pinholes = new Map<string, Entry>()
  readonly requests: string[] = []
  /** Replies to nothing while true. */
  isSilent = false
  readonly #network: SimNetwork
  readonly #options: RouterOptions
  readonly #parts: AsyncDisposable[] = []
  #pinholes = 0

  private constructor(network: SimNetwork, options: RouterOptions) {
    this.#network = network
    this.#options = options
  }

  static async start(network: SimNetwork, options: RouterOptions): Promise<SimRouter> {
    const router = new SimRouter(network, options)
    const { host } = options
    const isV6 = host.includes(':')
    const udp = network.datagrams.host(host)
    const open = async (port: number, answer: (data: Buffer, from: UdpAddress) => Uint8Array | undefined) => {
      const socket: UdpSocket = await udp.open(
        { family: isV6 ? 6 : 4, port },
        {
          onDatagram: (data, from) => {
            const reply = router.isSilent ? undefined : answer(Buffer.from(data), from)
            if (reply !== undefined) void socket.send(reply, from)
          },
          onError: () => {},
        },
      )
      router.#parts.push(socket)
      return socket
    }
    await open(PORT_CONTROL_PORT, (data, from) => router.#onPortControl(data, from.host))
    const search = await open(SSDP_PORT, (data) => router.#onSearch(data.toString()))
    search.join(isV6 ? SSDP_GROUP_V6 : SSDP_GROUP_V4, 'eth0')
    router.#parts.push(
      await network.web.listen({ address: `${inUrl(host)}:5000` }, (request) => router.#onHttp(request)),
    )
    return router
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#parts) await part[Symbol.asyncDispose]()
  }

  #onPortControl(data: Buffer, client: string): Uint8Array | undefined {
    const { speaks } = this.#options
    if (data[0] === 2 && speaks.includes('pcp')) return this.#onPcp(data, client)
    if (data[0] !== 0 || !speaks.includes('nat-pmp')) return undefined
    const operation = data[1]!
    this.requests.push(`nat-pmp ${operation}`)
    if (operation === 0) return Buffer.from([0, 128, 0, 0, 0, 0, 0, 1, ...bytesOf(WAN_IP)])
    const reply = Buffer.alloc(16)
    reply.writeUInt8(operation + 128, 1)
    data.copy(reply, 8, 4, 12)
    reply.writeUInt16BE(this.#change(client, data.readUInt16BE(4), data.readUInt16BE(6), data.readUInt32BE(8)), 10)
    return reply
  }

  #onPcp(data: Buffer, client: string): Uint8Array {
    const reply = Buffer.concat([data, Buffer.alloc(Math.max(0, 60 - data.length))]).subarray(0, data.length)
    reply.writeUInt8(data[1]! + 128, 1)
    reply.writeUInt8(0, 3)
    this.requests.push(`pcp ${data[1]}`)
    if (data[1] !== 1) return reply
    const port = this.#change(client, data.readUInt16BE(40), data.readUInt16BE(42), data.readUInt32BE(4))
    reply.writeUInt16BE(port, 42)
    Buffer.from([...Array.from({ length: 10 }, () => 0), 255, 255, ...bytesOf(WAN_IP)]).copy(reply, 44)
    return reply
  }

  /** The external port; another one where the wanted one belongs to another host. */
  #change(client: string, internalPort: number, wanted: number, leaseS: number): number {
    if (leaseS === 0) {
      for (const [port, entry] of this.table) if (entry.client === client) this.#unmap(port)
      return 0
    }
    const port = this.table.has(wanted) && this.table.get(wanted)?.client !== client ? wanted + 1 : wanted
    this.#map(port, { client, internalPort: String(internalPort), leaseS })
    return port
  }

  #map(port: number, entry: Entry): void {
    this.table.set(port, entry)
    this.#network.forwards.set(`${WAN_IP}:${port}`, `${entry.client}:${entry.internalPort}`)
  }

  #unmap(port: number): void {
    this.table.delete(port)
    this.#network.forwards.delete(`${WAN_IP}:${port}`)
  }

  #onSearch(text: string): Uint8Array | undefined {
    const { speaks, host, location = `http://${inUrl(host)}:5000/description.xml` } = this.#options
    if (!speaks.includes('upnp') || !text.startsWith('M-SEARCH') || !text.includes(TYPE_1)) return undefined
    this.requests.push('search')
    const lines = ['HTTP/1.1 200 OK', `ST: ${TYPE_1}`, `USN: ${UUID}::${TYPE_1}`, `LOCATION: ${location}`]
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  }

  async #onHttp(request: HttpRequest): Promise<HttpReply> {
    const { service = 'WANIPConnection:1', description } = this.#options
    if (request.method === 'GET') {
      this.requests.push('description')
      return { status: 200, headers: {}, body: description ?? descriptionOf(service) }
    }
    const action = /#(\w+)"/.exec(String(request.headers['soapaction']))?.[1] ?? ''
    const body = new TextDecoder().decode(await request.body(10_000))
    const fields = new Map([...body.matchAll(/<(\w+)>([^<]*)</g)].map(([, name = '', value = '']) => [name, value]))
    this.requests.push(action)
    const refused = action.startsWith('Add') ? this.#options.refuse?.(fields) : undefined
    if (refused !== undefined) return { status: 500, headers: {}, body: soapError(refused) }
    if (!action.endsWith('Pinhole'))
      return { status: 200, headers: {}, body: soapReply(action, this.#act(action, fields)) }
    const result = this.#actOnPinhole(action, fields)
    if (result === undefined) return { status: 500, headers: {}, body: soapError(NO_SUCH_PINHOLE) }
    return { status: 200, headers: {}, body: soapReply(action, result) }
  }

  /** Undefined for a hole that does not exist. */
  #actOnPinhole(action: string, fields: ReadonlyMap<string, string>): Readonly<Record<string, string>> | undefined {
    const id = action === 'AddPinhole' ? String(++this.#pinholes) : (fields.get('UniqueID') ?? '')
    const before = this.pinholes.get(id)
    if (action !== 'AddPinhole' && before === undefined) return undefined
    this.pinholes.delete(id)
    if (action === 'DeletePinhole') return {}
    this.pinholes.set(id, {
      client: before?.client ?? fields.get('InternalClient') ?? '',
      internalPort: before?.internalPort ?? fields.get('InternalPort') ?? '',
      leaseS: Number(fields.get(action === 'AddPinhole' ? 'LeaseTime' : 'NewLeaseTime')),
    })
    return action === 'AddPinhole' ? { UniqueID: id } : {}
  }

  #act(action: string, fields: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
    const port = Number(fields.get('NewExternalPort'))
    if (action === 'GetExternalIPAddress') return { NewExternalIPAddress: WAN_IP }
    if (action === 'DeletePortMapping') this.#unmap(port)
    if (!action.startsWith('Add')) return {}
    this.#map(port, {
      client: fields.get('NewInternalClient') ?? '',
      internalPort: fields.get('NewInternalPort') ?? '',
      leaseS: Number(fields.get('NewLeaseDuration')),
    })
    return action === 'AddAnyPortMapping' ? { NewReservedPort: String(port) } : {}
  }
}

/** The brackets of an IPv6 address. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

export function descriptionOf(service: string, controlUrl = '/control'): string {
  return `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><device>
    <deviceType>${TYPE_1}</deviceType><friendlyName>router</friendlyName><deviceList><device><serviceList><service>
    <serviceType>urn:schemas-upnp-org:service:${service}</serviceType><controlURL>${controlUrl}</controlURL>
    </service></serviceList></device></deviceList></device></root>`
}

function soapReply(action: string, fields: Readonly<Record<string, string>>): string {
  const inner = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`)
  return `<s:Envelope><s:Body><u:${action}Response>${inner.join('')}</u:${action}Response></s:Body></s:Envelope>`
}

function soapError(code: number): string {
  return `<s:Envelope><s:Body><s:Fault><detail><UPnPError><errorCode>${code}</errorCode>
    <errorDescription>no</errorDescription></UPnPError></detail></s:Fault></s:Body></s:Envelope>`
}

function bytesOf(host: string): readonly number[] {
  return host.split('.').map(Number)
}
