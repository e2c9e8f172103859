import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentDisposition, contentTypeOf } from '../../../src/core/formats/content-type.ts'

const types: [name: string, expected: string][] = [
  ['film.mp4', 'video/mp4'],
  ['a/b/Photo.JPG', 'image/jpeg'],
  ['notes.md', 'text/plain; charset=utf-8'],
  ['page.html', 'text/html; charset=utf-8'],
  ['code.js', 'text/plain; charset=utf-8'],
  ['paper.pdf', 'application/pdf'],
  ['none', 'application/octet-stream'],
  ['.mp4/none', 'application/octet-stream'],
  ['x.unknown', 'application/octet-stream'],
  ['x.constructor', 'application/octet-stream'],
  ['dot.', 'application/octet-stream'],
]
for (const [name, expected] of types) {
  test(`${name} is ${expected}`, () => {
    assert.equal(contentTypeOf(name), expected)
  })
}

test('the name of a file cannot end or extend its header', () => {
  const header = contentDisposition('attachment', 'dir/a"; x=\\ü\r\nSet-Cookie: 1\ud800%41.txt')
  assert.match(header, /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[\w%.~!-]*$/)
  assert.equal(
    contentDisposition('inline', 'x/ä (1).png'),
    `inline; filename="_ (1).png"; filename*=UTF-8''%C3%A4%20%281%29.png`,
  )
})
