import { httpDate } from '../formats/http-date.ts'
import type { PropertyName, PropfindRequest } from './propfind-request.ts'

export const XML_TYPE = 'application/xml; charset=utf-8'
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'
export const MULTISTATUS_START = `${DECLARATION}<D:multistatus xmlns:D="DAV:">\n`
export const MULTISTATUS_END = '</D:multistatus>\n'
/** The reply to a PROPFIND of unlimited depth. */
export const FINITE_DEPTH_ERROR = `${DECLARATION}<D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>\n`

/** An item of the drive as a client sees it. */
export interface DriveItem {
  /** Percent-encoded: needs no further escaping. */
  readonly href: string
  readonly displayName: string
  /** Undefined for the drive itself and the roots of folders. */
  readonly modifiedMs: number | undefined
  /** Undefined for a directory. */
  readonly file: DriveFile | undefined
}

interface DriveFile {
  readonly sizeBytes: number
  readonly contentType: string
  /** With its quotes; undefined when the content of the file is not known. */
  readonly etag: string | undefined
}

/** The properties in the namespace DAV: and their values as XML; undefined where an item has none. */
const PROPERTIES: ReadonlyMap<string, (item: DriveItem) => string | undefined> = new Map([
  ['resourcetype', ({ file }: DriveItem) => (file === undefined ? '<D:collection/>' : '')],
  ['displayname', ({ displayName }: DriveItem) => xmlText(displayName)],
  ['getlastmodified', ({ modifiedMs }: DriveItem) => (modifiedMs === undefined ? undefined : httpDate(modifiedMs))],
  ['getcontentlength', ({ file }: DriveItem) => (file === undefined ? undefined : String(file.sizeBytes))],
  ['getcontenttype', ({ file }: DriveItem) => (file === undefined ? undefined : xmlText(file.contentType))],
  ['getetag', ({ file }: DriveItem) => (file?.etag === undefined ? undefined : xmlText(file.etag))],
])

/** Writes the `response` element of an item, for one request. */
export function responseWriter(request: PropfindRequest): (item: DriveItem) => string {
  const isWanted = wantedNames(request)
  const known = [...PROPERTIES].filter(([name]) => isWanted(name))
  const unknown = unknownElements(request)
  const onlyNames = request.kind === 'names'
  const saysMissing = request.kind === 'some'
  return (item) => {
    let found = ''
    let missing = unknown
    for (const [name, valueOf] of known) {
      const value = valueOf(item)
      if (value === undefined) missing += saysMissing ? `<D:${name}/>` : ''
      else found += onlyNames || value === '' ? `<D:${name}/>` : `<D:${name}>${value}</D:${name}>`
    }
    const existing = found === '' && missing !== '' ? '' : propstat(found, '200 OK')
    const absent = missing === '' ? '' : propstat(missing, '404 Not Found')
    return `<D:response><D:href>${item.href}</D:href>${existing}${absent}</D:response>\n`
  }
}

function wantedNames(request: PropfindRequest): (name: string) => boolean {
  if (request.kind !== 'some') return () => true
  const names = new Set(request.properties.filter(({ namespace }) => namespace === 'DAV:').map(({ name }) => name))
  return (name) => names.has(name)
}

/** The requested properties that no item has, as elements. */
function unknownElements(request: PropfindRequest): string {
  if (request.kind !== 'some') return ''
  return request.properties
    .filter(({ namespace, name }) => namespace !== 'DAV:' || !PROPERTIES.has(name))
    .map(emptyElement)
    .join('')
}

/** The parser has checked that the name is one. */
function emptyElement({ namespace, name }: PropertyName): string {
  return namespace === 'DAV:' ? `<D:${name}/>` : `<${name} xmlns="${xmlText(namespace).replaceAll('"', '&quot;')}"/>`
}

function propstat(properties: string, status: string): string {
  return `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 ${status}</D:status></D:propstat>`
}

const SPECIAL = /[&<>\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g

/**
 * A text as content of an element. XML 1.0 cannot hold most control characters, not even as
 * references: they are replaced by U+FFFD. Only texts for people are affected, because addresses are percent-encoded.
 */
export function xmlText(text: string): string {
  return text.toWellFormed().replace(SPECIAL, (sign) => {
    const code = sign.charCodeAt(0)
    const isForbidden = (code < 0x20 && code !== 9 && code !== 10 && code !== 13) || code >= 0xfffe
    return isForbidden ? '\ufffd' : `&#${code};`
  })
}
