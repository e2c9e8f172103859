import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentAddress, hasContent, previewKind } from '../../gui/view-model/preview.ts'

const kinds: [name: string, sizeBytes: number, expected: string | undefined][] = [
  ['beach.JPG', 10_000_000, 'picture'],
  ['draw.svg', 1, 'picture'],
  ['film.mp4', 10_000_000_000, 'video'],
  ['song.flac', 1, 'audio'],
  ['paper.pdf', 100_000_000, 'pdf'],
  ['notes.md', 1_000, 'text'],
  ['data.json', 1_000, 'text'],
  ['huge.log', 100_000_000, undefined],
  ['raw.heic', 1, undefined],
  ['old.avi', 1, undefined],
  ['archive.zip', 1, undefined],
  ['none', 1, undefined],
]
for (const [name, sizeBytes, expected] of kinds) {
  test(`${name} of ${sizeBytes} bytes: ${expected ?? 'only downloaded'}`, () => {
    assert.equal(previewKind(name, sizeBytes), expected)
  })
}

test('only files that exist have a content, in folders that run and are not encrypted', () => {
  const [file, folder] = [{ type: 'file', deleted: false }, { paused: false, type: 'sendreceive' } as const]
  assert.ok(hasContent(file, folder))
  assert.ok(!hasContent({ ...file, deleted: true }, folder))
  assert.ok(!hasContent({ ...file, type: 'directory' }, folder))
  assert.ok(!hasContent(file, { ...folder, paused: true }))
  assert.ok(!hasContent(file, { ...folder, type: 'receiveencrypted' }))
})

test('any name makes one address of this daemon', () => {
  const address = contentAddress('a&b', '//evil/?#&file=x', true)
  const { origin, searchParams } = new URL(address, 'http://here')
  assert.equal(origin, 'http://here')
  assert.deepEqual(Object.fromEntries(searchParams), { folder: 'a&b', file: '//evil/?#&file=x', download: '1' })
})
