import { readXml } from '../config/xml-read.ts'
import { textOfElement, type XmlElement } from '../config/xml-tree.ts'
import { TwinfoldError } from '../errors.ts'

const SERVICES_MAX = 64
const ELEMENTS_MAX = 5_000
const TEXT_LENGTH_MAX = 512
const SERVICE = 'urn:schemas-upnp-org:service:'
const MAPPING_TYPES: readonly string[] = [
  'WANIPConnection:2',
  'WANIPConnection:1',
  'WANPPPConnection:2',
  'WANPPPConnection:1',
]
const PINHOLE_TYPES: readonly string[] = ['WANIPv6FirewallControl:1']

/** Error codes of UPnP that have a way out. */
export const UPNP_ERROR = {
  portInUse: 718,
  samePortOnly: 724,
  permanentOnly: 725,
} as const

export interface IgdService {
  /** Such as `urn:schemas-upnp-org:service:WANIPConnection:1`. */
  readonly type: string
  readonly controlUrl: string
}

export interface IgdDescription {
  readonly name: string
  /** Services that map ports, the newest version first. */
  readonly mapping: readonly IgdService[]
  /** Services that open the firewall for an IPv6 address. */
  readonly pinholes: readonly IgdService[]
}

/**
 * Parses the description of an Internet gateway. Throws for anything else. The size of the text is bounded by the
 * caller; document types, and thereby entities, are refused by the XML reader.
 */
export function parseIgdDescription(text: string, location: string): IgdDescription {
  const elements = elementsOf(readXml(text))
  const device = elements.find(({ name }) => localName(name) === 'device')
  if (device === undefined || !(textOf(device, 'deviceType') ?? '').includes(':InternetGatewayDevice:')) {
    throw new TwinfoldError('refused', 'it describes no Internet gateway')
  }
  const base = elements.find(({ name }) => localName(name) === 'URLBase')
  const baseUrl = base === undefined ? '' : textOfElement(base).trim()
  const services = elements
    .filter(({ name }) => localName(name) === 'service')
    .slice(0, SERVICES_MAX)
    .flatMap((service) => serviceOf(service, URL.canParse(baseUrl) ? baseUrl : location))
  return {
    name: printable(textOf(device, 'friendlyName') ?? ''),
    mapping: ofTypes(services, MAPPING_TYPES),
    pinholes: ofTypes(services, PINHOLE_TYPES),
  }
}

/** The body of a request to a service of a gateway. */
export function soapRequest(type: string, action: string, fields: Readonly<Record<string, string | number>>): string {
  const inner = Object.entries(fields).map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`)
  return (
    '<?xml version="1.0"?>\r\n' +
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
    's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>' +
    `<u:${action} xmlns:u="${type}">${inner.join('')}</u:${action}></s:Body></s:Envelope>\r\n`
  )
}

export type SoapReply =
  | { readonly kind: 'fields'; readonly fields: ReadonlyMap<string, string> }
  | { readonly kind: 'error'; readonly code: number; readonly reason: string }

/** The fields of a reply by name, or the error in it. Throws for anything else. */
export function parseSoapReply(text: string, action: string): SoapReply {
  const elements = elementsOf(readXml(text))
  const failure = elements.find(({ name }) => localName(name) === 'UPnPError')
  if (failure !== undefined) {
    const code = Number(textOf(failure, 'errorCode') ?? '')
    const description = printable(textOf(failure, 'errorDescription') ?? '')
    return { kind: 'error', code: Number.isSafeInteger(code) ? code : 0, reason: `error ${code} ${description}`.trim() }
  }
  const reply = elements.find(({ name }) => localName(name) === `${action}Response`)
  if (reply === undefined) throw new TwinfoldError('refused', 'the reply of the gateway cannot be read')
  const fields = childElements(reply).map(
    (field) => [localName(field.name), textOfElement(field).trim().slice(0, TEXT_LENGTH_MAX)] as const,
  )
  return { kind: 'fields', fields: new Map(fields) }
}

function serviceOf(service: XmlElement, base: string): readonly IgdService[] {
  const [type = '', path = ''] = [textOf(service, 'serviceType'), textOf(service, 'controlURL')]
  if (path === '' || !URL.canParse(path, base)) return []
  return [{ type, controlUrl: new URL(path, base).href }]
}

function ofTypes(services: readonly IgdService[], types: readonly string[]): readonly IgdService[] {
  return types.flatMap((type) => services.filter((service) => service.type === SERVICE + type))
}

/** All elements of a document in their order, the root first. */
function elementsOf(root: XmlElement): readonly XmlElement[] {
  const found: XmlElement[] = [root]
  for (let i = 0; i < found.length; i++) {
    for (const child of childElements(found[i]!)) found.push(child)
    if (found.length > ELEMENTS_MAX) throw new TwinfoldError('refused', 'it has too many elements')
  }
  return found
}

function childElements(parent: XmlElement): readonly XmlElement[] {
  return parent.children.filter((node): node is XmlElement => node.is === 'element')
}

function textOf(parent: XmlElement, name: string): string | undefined {
  const child = childElements(parent).find((one) => localName(one.name) === name)
  return child && textOfElement(child).trim().slice(0, TEXT_LENGTH_MAX)
}

/** Routers differ in the prefixes of names. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** For logs: the text comes from any host of the local network. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '').slice(0, 100)
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
