import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, inflateSync } from 'node:zlib'
import { encodePng } from '../../src/http/png.ts'
import { fakeRest, OWN } from './fakes.ts'

test('a text becomes a picture; one that is too long is refused in one word', async () => {
  const rest = fakeRest()
  const answer = await rest.send('GET', `/qr/?text=${OWN}`)
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'image/png'])
  const long = await rest.send('GET', `/qr/?text=${'x'.repeat(3_000)}`)
  assert.deepEqual([long.status, long.body], [500, 'Invalid\n'])
  assert.equal((await rest.send('GET', '/qr/')).status, 200)
  assert.equal((await rest.send('POST', '/qr/')).status, 405)
})

test('pictures: every chunk is whole, every pixel is where it was drawn', () => {
  const isBlack = (x: number, y: number) => (x * 7 + y * 3) % 5 < 2
  const png = Buffer.from(encodePng(21, isBlack))
  assert.equal(png.subarray(0, 8).toString('hex'), '89504e470d0a1a0a')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += 12 + length
  }
  assert.deepEqual([...chunks.keys()], ['IHDR', 'IDAT', 'IEND'])
  assert.deepEqual([chunks.get('IHDR')!.readUInt32BE(0), chunks.get('IHDR')!.readUInt32BE(4)], [21, 21])
  const rows = inflateSync(chunks.get('IDAT')!)
  for (let y = 0; y < 21; y++) {
    for (let x = 0; x < 21; x++) {
      const white = ((rows[y * 4 + 1 + (x >>> 3)]! >>> (7 - (x & 7))) & 1) === 1
      assert.equal(white, !isBlack(x, y))
    }
  }
})
