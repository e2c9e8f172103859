import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBer } from '../../../src/core/ldap/ber.ts'
import { encodeFilter } from '../../../src/core/ldap/filter.ts'
import { bindRequest, readReply, searchRequest, startTlsRequest } from '../../../src/core/ldap/messages.ts'
import { bindName, searchFilter } from '../../../src/core/ldap/names.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Encoded by hand, by RFC 4511. */
const FILTERS: Readonly<Record<string, string>> = {
  '(cn=a)': 'a3070402636e040161',
  '(cn=*)': '8702636e',
  '(cn=a*b*c)': 'a40f0402636e3009800161810162820163',
  '(cn=*b)': 'a4090402636e3003820162',
  '(age>=5)': 'a5080403616765040135',
  '(age<=5)': 'a6080403616765040135',
  '(cn~=a)': 'a8070402636e040161',
  '(cn=\\2a\\C3\\a4)': 'a3090402636e04032ac3a4',
  '(!(cn=a))': 'a209a3070402636e040161',
  '(&(cn=a)(|(cn=*)(!(cn=*))))': 'a015a3070402636e040161a10a8702636ea2048702636e',
  '(cn:dn:2.4:=a)': 'a90f8103322e348202636e8301618401ff',
  '(cn=)': 'a3060402636e0400',
}

test('filters are encoded as RFC 4511 has them', () => {
  for (const [text, expected] of Object.entries(FILTERS)) assert.equal(hex(encodeFilter(text)), expected, text)
  const deep = `${'(!'.repeat(30)}(cn=a)${')'.repeat(30)}`
  for (const text of ['', 'cn=a', '(cn=a', '(cn)', '(=a)', '(cn=a)(cn=b)', '(cn=\\2)', '(cn=**)', '(&(cn=a)', deep])
    assert.throws(() => encodeFilter(text), { code: 'config-invalid' }, text)
})

test('requests are encoded as RFC 4511 has them', () => {
  assert.equal(hex(bindRequest(1, 'cn=a', 'p')), '3011020101600c0201030404636e3d61800170')
  assert.equal(hex(startTlsRequest(2)), `301d02010277188016${Buffer.from('1.3.6.1.4.1.1466.20037').toString('hex')}`)
  const [message] = readBer(searchRequest(300, 'dc=x', '(cn=*)', 5))
  const [id, search] = readBer(message!.content)
  assert.equal(hex(id!.content), '012c')
  assert.deepEqual(
    readBer(search!.content).map(({ tag, content }) => `${tag} ${hex(content)}`),
    ['4 64633d78', '10 02', '10 00', '2 02', '2 05', '1 ff', '135 636e', '48 0403312e31'],
  )
})

test('replies are read, and what is none is refused', () => {
  const read = (text: string) => readReply(Buffer.from(text, 'hex'))
  assert.deepEqual(read('02010161070a010004000400'), { id: 1, is: 'bound', code: 0 })
  assert.deepEqual(read('02010161070a013104000400'), { id: 1, is: 'bound', code: 49 })
  assert.deepEqual(read('020102640404003000'), { id: 2, is: 'entry', code: 0 })
  for (const text of [
    '',
    '020101',
    '0201016100',
    '02010161070a01000400',
    '02018061',
    '0201016c00',
    '020101618',
    '02010161ff',
  ])
    assert.throws(() => read(text), { code: 'password-unavailable' }, text)
})

test('the name of a user is a value in the templates, whatever is in it', () => {
  const name = (user: string) => bindName('uid=%s,dc=x', user)
  assert.equal(name('a,b+c="d"<e>;\\'), 'uid=a\\,b\\+c\\=\\"d\\"\\<e\\>\\;\\\\,dc=x')
  assert.equal(name(' #x '), 'uid=\\ #x\\ ,dc=x')
  assert.equal(name('$&\0'), 'uid=$&\\00,dc=x')
  assert.equal(bindName('cn=admin', 'x'), 'cn=admin')
  assert.equal(
    searchFilter('(|(uid=%s)(cn=%s))', 'a*()\\\0'),
    '(|(uid=a\\2a\\28\\29\\5c\\00)(cn=a\\2a\\28\\29\\5c\\00))',
  )
})
