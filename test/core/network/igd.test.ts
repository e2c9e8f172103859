import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { parseIgdDescription, parseSoapReply, soapRequest } from '../../../src/core/network/igd.ts'
import { readXml } from '../../../src/core/config/xml-read.ts'
import { GATEWAY_TYPES, isGatewayUrl, parseSsdpReply, ssdpSearch } from '../../../src/core/network/ssdp.ts'
import { effort, reportRow } from '../../support/effort.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const LOCAL = { address: '192.168.1.10', prefixLength: 24 }
const REPLY = [
  'HTTP/1.1 200 OK',
  'CACHE-CONTROL: max-age=120',
  `st: ${GATEWAY_TYPES[0]}`,
  `USN: uuid:1::${GATEWAY_TYPES[0]}`,
  'Location:http://192.168.1.1:5000/rootDesc.xml',
  '',
  '',
].join('\r\n')
const service = (type: string, url: string) =>
  `<service><serviceType>urn:schemas-upnp-org:service:${type}</serviceType><controlURL>${url}</controlURL></service>`
const DESCRIPTION = `<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0"><device>
  <deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:2</deviceType>
  <friendlyName>a \u00e9router</friendlyName>
  <serviceList>${service('Layer3Forwarding:1', '/l3')}</serviceList>
  <deviceList><device><deviceList><device><serviceList>
    ${service('WANIPConnection:1', 'ctl/one')}
    ${service('WANIPConnection:2', '/ctl/two')}
    ${service('WANIPv6FirewallControl:1', '/ctl/six')}
  </serviceList></device></deviceList></device></deviceList>
</device></root>`
const LOCATION = 'http://192.168.1.1:5000/dir/rootDesc.xml'

test('a search, and the reply of a gateway', () => {
  const search = Buffer.from(ssdpSearch(GATEWAY_TYPES[1], 'ff02::c', 2)).toString()
  assert.match(
    search,
    /^M-SEARCH \* HTTP\/1\.1\r\nHOST: \[ff02::c\]:1900\r\nMAN: "ssdp:discover"\r\nMX: 2\r\nST: urn:\S+:1\r\n\r\n$/,
  )
  assert.deepEqual(parseSsdpReply(bytes(REPLY)), { location: 'http://192.168.1.1:5000/rootDesc.xml', id: 'uuid:1' })
})

test('R-09 replies that are none are ignored', () => {
  for (const text of [
    '',
    'HTTP/1.1 200',
    REPLY.replace('200', '404'),
    REPLY.replace('InternetGatewayDevice', 'MediaServer'),
    REPLY.replace(/Location.*\r\n/, ''),
    REPLY.replace('/rootDesc', '/root\u0001Desc'),
    REPLY.replace('/rootDesc', `/${'x'.repeat(2_000)}`),
    REPLY + 'x'.repeat(5_000),
    'NOTIFY * HTTP/1.1\r\n\r\n',
  ]) {
    assert.equal(parseSsdpReply(bytes(text)), undefined, text.slice(0, 60))
  }
})

test('R-09 requests go to the gateway that replied, to no other host', () => {
  const is = (url: string, sender = '192.168.1.1') => isGatewayUrl(url, sender, LOCAL)
  assert.deepEqual([is('http://192.168.1.1:5000/x'), is('http://192.168.1.1/')], [true, true])
  for (const url of [
    'http://192.168.1.2:5000/x',
    'http://127.0.0.1:8384/',
    'http://192.168.1.10:8384/',
    'https://192.168.1.1/',
    'ftp://192.168.1.1/',
    'http://a@192.168.1.1/',
    'http://router/',
    'http://[::1]/',
    'nonsense',
  ]) {
    assert.equal(is(url), false, url)
  }
  assert.equal(is('http://192.168.1.10:8384/', '192.168.1.10'), false, 'this device itself')
  const local = { address: '2001:db8:1::10', prefixLength: 128 }
  assert.equal(isGatewayUrl('http://[2001:db8:1::1]:5000/', 'fe80::1', local), true)
  assert.equal(isGatewayUrl('http://[2001:db8:2::1]:5000/', 'fe80::1', local), false)
  assert.equal(isGatewayUrl('http://[2001:db8:1::10]:5000/', 'fe80::1', local), false)
})

test('a description: the services by version, addresses relative to it', () => {
  const { name, mapping, pinholes } = parseIgdDescription(DESCRIPTION, LOCATION)
  assert.equal(name, 'a router')
  assert.deepEqual(
    mapping.map(({ controlUrl }) => controlUrl),
    ['http://192.168.1.1:5000/ctl/two', 'http://192.168.1.1:5000/dir/ctl/one'],
  )
  assert.deepEqual(
    pinholes.map(({ controlUrl }) => controlUrl),
    ['http://192.168.1.1:5000/ctl/six'],
  )
  const based = DESCRIPTION.replace('<device>', '<URLBase>http://192.168.1.1:80/base/</URLBase><device>')
  assert.equal(parseIgdDescription(based, LOCATION).mapping[1]?.controlUrl, 'http://192.168.1.1/base/ctl/one')
  const other = DESCRIPTION.replace('InternetGatewayDevice', 'MediaServer')
  assert.throws(() => parseIgdDescription(other, LOCATION), /it describes no Internet gateway/)
  const many = `<root>${'<a/>'.repeat(6_000)}</root>`
  assert.throws(() => parseIgdDescription(many, LOCATION), /too many elements/)
})

test('requests and replies of a service', () => {
  const text = soapRequest('urn:x:service:Y:1', 'Do', { A: '<&>', B: 5 })
  const action = readXml(text).children.flatMap((body) => (body.is === 'element' ? body.children : []))[0]
  assert.ok(action?.is === 'element' && action.name === 'u:Do')
  assert.match(text, /<A>&#60;&#38;&#62;<\/A><B>5<\/B>/)
  const reply = parseSoapReply('<s:E><s:B><m:DoResponse><NewX> 7 </NewX></m:DoResponse></s:B></s:E>', 'Do')
  assert.deepEqual(reply, { kind: 'fields', fields: new Map([['NewX', '7']]) })
  const failure =
    '<s:E><UPnPError><errorCode>725</errorCode><errorDescription>Only\u00e9</errorDescription></UPnPError></s:E>'
  assert.deepEqual(parseSoapReply(failure, 'Do'), { kind: 'error', code: 725, reason: 'error 725 Only' })
  assert.throws(() => parseSoapReply('<a/>', 'Do'), /cannot be read/)
})

test('R-09 documents of any content are parsed or refused with a reason', () => {
  const runs = effort(1_000)
  const pieces = [
    '<!DOCTYPE a [<!ENTITY b "c">]>',
    '&b;',
    '<device>',
    '</device>',
    '<![CDATA[',
    ']]>',
    '<service>',
    '\0',
    'x'.repeat(999),
  ]
  const damaged = fc
    .tuple(fc.nat(DESCRIPTION.length), fc.nat(40), fc.constantFrom(...pieces, ''))
    .map(([at, cut, piece]) => DESCRIPTION.slice(0, at) + piece + DESCRIPTION.slice(at + cut))
  let refused = 0
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 300 }), damaged), (text) => {
      for (const parse of [() => parseIgdDescription(text, LOCATION), () => parseSoapReply(text, 'Do')]) {
        try {
          parse()
        } catch (error) {
          assert.ok(error instanceof TwinfoldError, String(error))
          refused++
        }
      }
      parseSsdpReply(bytes(text))
    }),
    { numRuns: runs },
  )
  reportRow({ id: 'R-09', tried: runs, refused })
})
