import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { parseDepth, parsePropfind, PROPFIND_BYTES_MAX } from '../../../src/core/webdav/propfind-request.ts'

const parse = (text: string) => parsePropfind(Buffer.from(text))
const refused = (text: string, reason: RegExp) =>
  assert.throws(
    () => parse(text),
    (error) => error instanceof TwinfoldError && error.code === 'bad-request' && reason.test(error.message),
    text,
  )
const inside = (text: string) => `<propfind xmlns="DAV:">${text}</propfind>`

test('the depth is 0, 1 or infinity, which it is without a header', () => {
  assert.deepEqual(['0', ' 1 ', 'Infinity', undefined, '2', '', '1,noroot', '-1'].map(parseDepth), [
    0,
    1,
    'infinity',
    'infinity',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('an empty body and allprop ask for everything, propname for names', () => {
  assert.deepEqual(parse(''), { kind: 'all' })
  assert.deepEqual(parse(inside('<allprop/>')), { kind: 'all' })
  assert.deepEqual(parse(inside('<allprop/><include><supportedlock/></include>')), { kind: 'all' })
  assert.deepEqual(parse('<?xml version="1.0"?>\n<D:propfind xmlns:D="DAV:"><D:propname/></D:propfind>'), {
    kind: 'names',
  })
})

test('prop names properties by namespace, each once', () => {
  const text = `\ufeff<?xml version="1.0" encoding="utf-8"?>
    <a:propfind xmlns:a="DAV:" xmlns:b="http://b/"><a:prop>
      <a:getetag/><x xmlns="DAV:"/><b:getetag>text<b:inner/></b:getetag><none/><a:getetag/>
    </a:prop><b:prop><a:lost/></b:prop></a:propfind>`
  assert.deepEqual(parse(text), {
    kind: 'some',
    properties: [
      { namespace: 'DAV:', name: 'getetag' },
      { namespace: 'DAV:', name: 'x' },
      { namespace: 'http://b/', name: 'getetag' },
      { namespace: '', name: 'none' },
    ],
  })
  assert.deepEqual(parse(inside('<prop/>')), { kind: 'some', properties: [] })
})

test('no entity is declared, expanded or fetched', () => {
  refused(`<!DOCTYPE a [<!ENTITY x "y">]>${inside('<prop>&x;</prop>')}`, /document type/)
  refused(`<!DOCTYPE propfind SYSTEM "file:///etc/passwd">${inside('<allprop/>')}`, /document type/)
  refused(inside('<prop>&x;</prop>'), /undefined entity/)
})

test('a body that is no request is refused with the reason', () => {
  refused('text', /not usable/)
  refused('<propfind><allprop/></propfind>', /root is not propfind/)
  refused('<propertyupdate xmlns="DAV:"/>', /root is not propfind/)
  refused(inside(''), /neither prop/)
  refused(inside('<allprop/><propname/>'), /more than one/)
  refused(inside('<b:prop/>'), /unbound namespace prefix/)
  refused(inside('<prop><a></prop>'), /unexpected close tag|unclosed|mismatch/)
  refused(inside('<allprop/>').slice(0, -3), /not usable/)
  refused(inside(`<prop>${'<a>'.repeat(9)}${'</a>'.repeat(9)}</prop>`), /nested more than 8/)
  assert.throws(() => parsePropfind(Buffer.from([0xff, 0xfe, 0x3c, 0])), /not UTF-8/)
})

test('the number of properties is bounded: each is repeated for every item', () => {
  const ask = (count: number) =>
    parse(inside(`<prop>${Array.from({ length: count }, (_, i) => `<p${i}/>`).join('')}</prop>`))
  const most = ask(64)
  assert.equal(most.kind === 'some' && most.properties.length, 64)
  assert.throws(() => ask(65), /more than 64 properties/)
})

test('property: any body is read or refused as a bad request', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '/',
    '<D:prop>',
    '</D:prop>',
    '<D:propfind xmlns:D="DAV:">',
    '&',
    ';',
    '"',
    'a',
    ' ',
    '<!',
    '<?',
    ']]>',
    '\u0000',
    'é',
    '\ud800',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'grapheme-ascii' })), { maxLength: 20 }), (pieces) => {
      const body = Buffer.from(pieces.join('')).subarray(0, PROPFIND_BYTES_MAX)
      try {
        assert.ok(['all', 'names', 'some'].includes(parsePropfind(body).kind))
      } catch (error) {
        assert.ok(error instanceof TwinfoldError && error.code === 'bad-request', String(error))
      }
    }),
  )
})
