import assert from 'node:assert/strict'
import { httpDate } from '../../../src/core/formats/http-date.ts'
import { test } from 'node:test'
import { DOMParser } from '@xmldom/xmldom'
import {
  FINITE_DEPTH_ERROR,
  MULTISTATUS_END,
  MULTISTATUS_START,
  responseWriter,
  xmlText,
  type DriveItem,
} from '../../../src/core/webdav/multistatus.ts'
import type { PropfindRequest } from '../../../src/core/webdav/propfind-request.ts'

const FILE: DriveItem = {
  href: '/dav/f/a%20%26%20b.txt',
  displayName: 'a & b.txt',
  modifiedMs: 1_000,
  file: { sizeBytes: 5_000_000_000, contentType: 'text/plain', etag: '"e<1>"' },
}
const DIRECTORY: DriveItem = { href: '/dav/f/', displayName: 'Music', modifiedMs: undefined, file: undefined }

/** The properties of each item by status, as another parser reads them. */
function view(request: PropfindRequest, items: readonly DriveItem[]): unknown {
  const text = MULTISTATUS_START + items.map(responseWriter(request)).join('') + MULTISTATUS_END
  const fail = (_level: string, message: string) => {
    throw new Error(message)
  }
  const root = new DOMParser({ onError: fail }).parseFromString(text, 'text/xml')
  const dav = (parent: { getElementsByTagNameNS: typeof root.getElementsByTagNameNS }, name: string) =>
    Array.from(parent.getElementsByTagNameNS('DAV:', name))
  return dav(root, 'response').map((response) => ({
    href: dav(response, 'href')[0]!.textContent,
    ...Object.fromEntries(
      dav(response, 'propstat').map((propstat) => [
        dav(propstat, 'status')[0]!.textContent!,
        Object.fromEntries(
          Array.from(dav(propstat, 'prop')[0]!.childNodes).map((node) => [
            `${node.namespaceURI ?? ''} ${node.localName}`,
            Array.from(node.childNodes, (child) => child.nodeValue ?? `<${child.localName}>`).join(''),
          ]),
        ),
      ]),
    ),
  }))
}

test('all properties of a file and of a directory', () => {
  assert.deepEqual(view({ kind: 'all' }, [DIRECTORY, FILE]), [
    { href: '/dav/f/', 'HTTP/1.1 200 OK': { 'DAV: resourcetype': '<collection>', 'DAV: displayname': 'Music' } },
    {
      href: '/dav/f/a%20%26%20b.txt',
      'HTTP/1.1 200 OK': {
        'DAV: resourcetype': '',
        'DAV: displayname': 'a & b.txt',
        'DAV: getlastmodified': 'Thu, 01 Jan 1970 00:00:01 GMT',
        'DAV: getcontentlength': '5000000000',
        'DAV: getcontenttype': 'text/plain',
        'DAV: getetag': '"e<1>"',
      },
    },
  ])
})

test('only the names', () => {
  const names = { 'DAV: resourcetype': '', 'DAV: displayname': '' }
  assert.deepEqual(view({ kind: 'names' }, [DIRECTORY]), [{ href: '/dav/f/', 'HTTP/1.1 200 OK': names }])
})

test('some properties, and those that an item lacks', () => {
  const properties = [
    { namespace: 'DAV:', name: 'getetag' },
    { namespace: 'DAV:', name: 'lockdiscovery' },
    { namespace: 'http://x/?a&"b', name: 'getetag' },
    { namespace: '', name: 'plain' },
  ]
  const unknown = { 'DAV: lockdiscovery': '', 'http://x/?a&"b getetag': '', ' plain': '' }
  assert.deepEqual(view({ kind: 'some', properties }, [FILE, DIRECTORY]), [
    { href: FILE.href, 'HTTP/1.1 200 OK': { 'DAV: getetag': '"e<1>"' }, 'HTTP/1.1 404 Not Found': unknown },
    { href: '/dav/f/', 'HTTP/1.1 404 Not Found': { ...unknown, 'DAV: getetag': '' } },
  ])
  assert.deepEqual(view({ kind: 'some', properties: [] }, [FILE]), [{ href: FILE.href, 'HTTP/1.1 200 OK': {} }])
})

test('characters that XML cannot hold are replaced, others survive', () => {
  assert.equal(xmlText('\u0000\u0001\u001f\ufffe\uffff\ud800'), '\ufffd'.repeat(6))
  const text = 'tab\t line\n return\r <&>"\' \u0085 Ümlaut 😀 ]]>'
  const parsed = new DOMParser().parseFromString(`<a>${xmlText(text)}</a>`, 'text/xml')
  assert.equal(parsed.documentElement!.textContent, text)
})

test('a time of any number becomes a date', () => {
  assert.equal(httpDate(-5), 'Thu, 01 Jan 1970 00:00:00 GMT')
  assert.equal(httpDate(Number.NaN), 'Thu, 01 Jan 1970 00:00:00 GMT')
  assert.equal(httpDate(1e300), 'Fri, 31 Dec 9999 23:59:59 GMT')
  assert.match(FINITE_DEPTH_ERROR, /<D:propfind-finite-depth\/>/)
})
