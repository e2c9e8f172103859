import { SaxesParser } from 'saxes'
import { messageOf, TwinfoldError } from '../errors.ts'

/** Clients send less than a kilobyte. */
export const PROPFIND_BYTES_MAX = 16 * 1024
/** Each unknown property is repeated for each item of the reply. */
const PROPERTIES_MAX = 64
/** `propfind`, `prop`, the property and what a client may put into it. */
const DEPTH_MAX = 8
const DAV = 'DAV:'

/** A property by its qualified name. */
export interface PropertyName {
  readonly namespace: string
  readonly name: string
}

/** What a PROPFIND asks for: all properties, only their names, or some of them. */
export type PropfindRequest =
  | { readonly kind: 'all' }
  | { readonly kind: 'names' }
  | { readonly kind: 'some'; readonly properties: readonly PropertyName[] }

/** The header `Depth`: without one it is `infinity`. Undefined for an invalid one. */
export function parseDepth(header: string | undefined): 0 | 1 | 'infinity' | undefined {
  if (header === undefined) return 'infinity'
  const depth = header.trim().toLowerCase()
  if (depth === 'infinity') return depth
  return depth === '0' ? 0 : depth === '1' ? 1 : undefined
}

/**
 * Parses the body of a PROPFIND; an empty one asks for all properties. Document types are refused, so that no entity is
 * ever expanded or fetched. Throws `bad-request`.
 */
export function parsePropfind(body: Uint8Array): PropfindRequest {
  if (body.length === 0) return { kind: 'all' }
  return new PropfindReader().read(decodeXml(body))
}

function decodeXml(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw refusePropfind('it is not UTF-8')
  }
}

function refusePropfind(reason: string): TwinfoldError {
  return new TwinfoldError('bad-request', `the body of the PROPFIND request is not usable: ${reason.slice(0, 200)}`)
}

class PropfindReader {
  readonly #parser = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true })
  readonly #properties = new Map<string, PropertyName>()
  /** The local names of the open elements; those of other namespaces are empty. */
  readonly #open: string[] = []
  #kind: PropfindRequest['kind'] | undefined

  constructor() {
    const parser = this.#parser
    parser.on('doctype', () => {
      throw refusePropfind('it has a document type declaration')
    })
    parser.on('error', (error) => {
      throw refusePropfind(messageOf(error))
    })
    parser.on('opentag', ({ uri, local }) => {
      this.#start({ namespace: uri, name: local })
      this.#open.push(uri === DAV ? local : '')
    })
    parser.on('closetag', () => {
      this.#open.pop()
    })
  }

  read(text: string): PropfindRequest {
    this.#parser.write(text).close()
    if (this.#kind === undefined) throw refusePropfind('it has neither prop, allprop nor propname')
    return this.#kind === 'some' ? { kind: 'some', properties: [...this.#properties.values()] } : { kind: this.#kind }
  }

  #start(element: PropertyName): void {
    const depth = this.#open.length
    if (depth >= DEPTH_MAX) throw refusePropfind(`its elements are nested more than ${DEPTH_MAX} deep`)
    if (depth === 0 && !(element.namespace === DAV && element.name === 'propfind')) {
      throw refusePropfind('its root is not propfind in the namespace DAV:')
    }
    if (depth === 1 && element.namespace === DAV) this.#setKind(element.name)
    if (depth === 2 && this.#open[1] === 'prop') this.#add(element)
  }

  /** Other elements are ignored, as RFC 4918 asks; `include` names what all properties contain in any case. */
  #setKind(name: string): void {
    const kind = name === 'prop' ? 'some' : name === 'allprop' ? 'all' : name === 'propname' ? 'names' : undefined
    if (kind === undefined) return
    if (this.#kind !== undefined) throw refusePropfind('it asks for more than one of prop, allprop and propname')
    this.#kind = kind
  }

  #add(property: PropertyName): void {
    this.#properties.set(`${property.namespace} ${property.name}`, property)
    if (this.#properties.size > PROPERTIES_MAX) {
      throw refusePropfind(`it asks for more than ${PROPERTIES_MAX} properties`)
    }
  }
}
