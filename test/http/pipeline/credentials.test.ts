import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cookiePath, isSecure, pageCookie } from '../../../src/http/pipeline/cookies.ts'
import { basicCredentials, cookieValues, equalsSecret, hasApiKey } from '../../../src/http/pipeline/credentials.ts'
import { fakeConfig } from '../fakes.ts'
import { requestWith } from './request.ts'

describe('a secret', () => {
  const secret = Buffer.from('päss')
  it('equals itself only', () => {
    assert.equal(equalsSecret('päss', secret), true)
    for (const given of ['', 'päs', 'pässs', 'pass', 'pÄss', 'päss '])
      assert.equal(equalsSecret(given, secret), false, given)
  })
  it('that is empty equals nothing', () => assert.equal(equalsSecret('', Buffer.alloc(0)), false))
})

describe('an API key', () => {
  const keys = [Buffer.from('first'), Buffer.from('second')]
  const cases: readonly [headers: Record<string, string>, isValid: boolean][] = [
    [{}, false],
    [{ 'x-api-key': 'first' }, true],
    [{ 'x-api-key': 'second' }, true],
    [{ 'x-api-key': 'third' }, false],
    [{ authorization: 'Bearer first' }, true],
    [{ authorization: 'bEARER second' }, true],
    [{ authorization: 'Bearer third' }, false],
    [{ authorization: 'Bearer  first' }, false],
    [{ authorization: 'Bearer' }, false],
    [{ authorization: 'Bearer ' }, false],
    [{ authorization: 'Bearerfirst' }, false],
    [{ authorization: 'Basic first' }, false],
    [{ 'x-api-key': 'wrong', authorization: 'Bearer first' }, true],
  ]
  for (const [headers, isValid] of cases) {
    it(`${JSON.stringify(headers)}: ${isValid}`, () => assert.equal(hasApiKey(requestWith(headers), keys), isValid))
  }
})

describe('Basic credentials', () => {
  const read = (bytes: Buffer, scheme = 'Basic ') =>
    basicCredentials(requestWith({ authorization: scheme + bytes.toString('base64') }))
  it('are the texts around the first colon', () => {
    assert.deepEqual(read(Buffer.from('a:b:c')), [{ username: 'a', password: 'b:c' }])
    assert.deepEqual(read(Buffer.from(':'), 'bASIC '), [{ username: '', password: '' }])
  })
  it('are read as UTF-8 and as ISO-8859-1 where they differ', () => {
    assert.deepEqual(read(Buffer.from('ä:1')), [
      { username: 'ä', password: '1' },
      { username: 'Ã¤', password: '1' },
    ])
    assert.deepEqual(read(Buffer.from('ä:1', 'latin1')), [{ username: 'ä', password: '1' }])
    assert.equal(read(Buffer.from('\ufeffa:b'))[0]?.username, '\ufeffa')
  })
  it('are none without a colon, with another scheme, or above 16 KiB', () => {
    assert.deepEqual(read(Buffer.from('ab')), [])
    assert.deepEqual(read(Buffer.from('a:b'), 'Bearer '), [])
    assert.deepEqual(read(Buffer.from('a:b'), 'Basic'), [])
    assert.deepEqual(basicCredentials(requestWith({})), [])
    const padded = (length: number) =>
      basicCredentials(requestWith({ authorization: `Basic YTpi${' '.repeat(length - 10)}` }))
    assert.deepEqual([padded(16 * 1_024).length, padded(16 * 1_024 + 1).length], [1, 0])
  })
})

describe('cookies', () => {
  it('of a name are all found, and no others', () => {
    const read = (cookie: string) => cookieValues(requestWith({ cookie }), 'id')
    assert.deepEqual(read('id=1; other=2;id = 3 ;id=a=b; xid=4; ID=5; id; =6; id='), ['1', '3', 'a=b', ''])
    assert.deepEqual(read('other=id'), [])
    assert.deepEqual(cookieValues(requestWith({}), 'id'), [])
  })

  it('have a path that cannot add attributes', () => {
    for (const path of ['/', '/a/b', '/a:b<']) assert.equal(cookiePath(path), path)
    for (const path of ['', 'a', '/a;b', '/a b', '/a\n', '/ä', 'x/']) assert.equal(cookiePath(path), '/', path)
  })

  it('are secure over TLS, also that of a proxy', () => {
    const plain = { useTLS: false }
    assert.equal(isSecure(requestWith({}), plain), false)
    assert.equal(isSecure(requestWith({}, true), plain), true)
    assert.equal(isSecure(requestWith({}), { useTLS: true }), true)
    const cases: readonly [header: string, value: string, secure: boolean][] = [
      ['x-forwarded-proto', 'HTTPS', true],
      ['x-forwarded-proto', 'http', false],
      ['forwarded', 'for=1.2.3.4;proto=https', true],
      ['forwarded', 'Proto="https", for=x', true],
      ['forwarded', 'proto=http', false],
      ['forwarded', 'xproto=https', false],
      ['forwarded', 'proto=httpsx', false],
    ]
    for (const [header, value, secure] of cases) {
      assert.equal(isSecure(requestWith({ [header]: value }), plain), secure, `${header}: ${value}`)
    }
  })

  it('of the page can be read by its scripts', () => {
    const { gui } = fakeConfig()
    assert.equal(pageCookie(requestWith({}), gui, 'a', 'b'), 'a=b; Path=/; SameSite=Lax')
    assert.equal(pageCookie(requestWith({}, true), gui, 'a', 'b'), 'a=b; Path=/; SameSite=Lax; Secure')
  })
})
