import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, inflateSync } from 'node:zlib'
import { decodeQR } from 'qr/decode.js'
import { encodeModules } from '../../../src/http/formats/png.ts'
import { bytesOf } from '../bytes-of.ts'
import { fakeRest, LOCAL_ID } from '../fakes.ts'

test('qr: every image decodes to its text', async () => {
  const rest = fakeRest()
  // Digits and capitals are packed more densely than bytes, so each kind has its own largest text.
  const texts = [LOCAL_ID, '', 'https://example.org/?a=1&b=%20', 'Größe 😀', '7'.repeat(5_596), 'A'.repeat(3_391)]
  for (const text of [...texts, ...[1, 20, 300, 1_000, 2_331].map((length) => 'a'.repeat(length))]) {
    const png = await bytesOf(rest, `/qr/?text=${encodeURIComponent(text)}`)
    const { size, isBlack } = pixelsOf(png)
    const data = new Uint8Array(size * size * 3)
    for (let i = 0; i < size * size; i++) data.fill(isBlack(i % size, Math.floor(i / size)) ? 0 : 255, i * 3, i * 3 + 3)
    assert.equal(decodeQR({ width: size, height: size, data }, { timeLimit: Infinity }), text)
  }
})

test('qr: the code of a device id has 33 modules and a border of 4, 8 pixels each', async () => {
  const { size, isBlack } = pixelsOf(await bytesOf(fakeRest(), `/qr/?text=${LOCAL_ID}`))
  assert.equal(size, (33 + 2 * 4) * 8)
  assert.deepEqual([isBlack(31, 31), isBlack(32, 32)], [false, true])
})

test('qr: a text that is too long is refused with the limit', async () => {
  const rest = fakeRest()
  for (const long of ['a'.repeat(2_332), 'é'.repeat(1_166), '7'.repeat(5_597), 'A'.repeat(3_392)]) {
    const response = await rest.send('GET', `/qr/?text=${encodeURIComponent(long)}`)
    assert.equal(response.status, 500)
    assert.match(response.body, /^Invalid: .* 2331 bytes/)
  }
  assert.equal((await rest.send('GET', '/qr/')).headers['content-type'], 'image/png')
  assert.equal((await rest.send('POST', '/qr/')).status, 405)
})

test('images: every chunk is complete, every pixel is in its place', () => {
  const drawn = (x: number, y: number) => (x * 7 + y * 3) % 5 < 2
  const modules = Array.from({ length: 21 }, (_, y) => Array.from({ length: 21 }, (_unused, x) => drawn(x, y)))
  const { size, isBlack } = pixelsOf(Buffer.from(encodeModules(modules)))
  assert.equal(size, 21 * 8)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) assert.equal(isBlack(x, y), drawn(x >>> 3, y >>> 3), `${x}, ${y}`)
  }
})

function pixelsOf(png: Buffer): { readonly size: number; isBlack(x: number, y: number): boolean } {
  assert.equal(png.subarray(0, 8).toString('hex'), '89504e470d0a1a0a')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += 12 + length
  }
  assert.deepEqual([...chunks.keys()], ['IHDR', 'IDAT', 'IEND'])
  const size = chunks.get('IHDR')!.readUInt32BE(0)
  assert.equal(chunks.get('IHDR')!.readUInt32BE(4), size)
  const rows = inflateSync(chunks.get('IDAT')!)
  const rowBytes = 1 + Math.ceil(size / 8)
  return { size, isBlack: (x, y) => ((rows[y * rowBytes + 1 + (x >>> 3)]! >>> (7 - (x & 7))) & 1) === 0 }
}
