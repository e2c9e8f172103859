import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { formatAttributeDump, parseAttributeDump } from '../../../src/core/attributes/attribute-dump.ts'
import { inOrder } from '../../../src/core/attributes/attributes.ts'

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((each) => !each.includes('\0'))
const attribute = fc.record({ name: text, value: fc.uint8Array({ maxLength: 40 }) }, { noNullPrototype: true })

function parse(dump: string): [string, [string, string][]][] | undefined {
  const items = parseAttributeDump(Buffer.from(dump, 'latin1'))
  return (
    items &&
    [...items].map(([path, list]) => [path, list.map(({ name, value }) => [name, Buffer.from(value).toString('hex')])])
  )
}

test('the input of setfattr equals the output of getfattr', () => {
  fc.assert(
    fc.property(text, fc.array(attribute, { maxLength: 5 }), (path, attributes) => {
      const list = inOrder(attributes)
      const dump = formatAttributeDump(path, list)
      assert.match(dump, /^[\x20-\x7e\n]*$/, 'no byte has a meaning beyond itself')
      const items = parseAttributeDump(Buffer.from(dump))
      assert.deepEqual(
        [...(items ?? [])].map(([name, each]) => [name, each.map(({ name: key, value }) => [key, [...value]])]),
        [[path, list.map(({ name, value }) => [name, [...value]])]],
      )
    }),
  )
})

test('a dump of getfattr is parsed', () => {
  assert.deepEqual(parse(''), [])
  assert.deepEqual(
    parse(
      '# file: /a\nuser.empty=0s\nuser.none\nuser.foo=0sYmFy\n\n' +
        '# file: /b\\134c\\012d\nuser.we\\075ird\\012x=0sAP8=\n\n',
    ),
    [
      [
        '/a',
        [
          ['user.empty', ''],
          ['user.foo', '626172'],
          ['user.none', ''],
        ],
      ],
      ['/b\\c\nd', [['user.we=ird\nx', '00ff']]],
    ],
  )
  // The name of an attribute may be invalid UTF-8: no record can hold it.
  assert.deepEqual(parse('# file: /a\nuser.\xff=0sYmFy\nuser.\xc3\xa4=0s\n\n'), [['/a', [['user.ä', '']]]])
})

test('any other text is refused as a whole', () => {
  const wrong = [
    '# file: /a\nuser.foo=0sYmFy\n',
    '# file: /a\nuser.foo=0sYmF',
    'user.foo=0sYmFy\n\n',
    '# file: \nuser.foo=0s\n\n',
    '# file: /a\nuser.foo=bar\n\n',
    '# file: /a\nuser.foo=0xff\n\n',
    '# file: /a\nuser.foo=0sYmF\n\n',
    '# file: /a\nuser.foo=0sY!Fy\n\n',
    '# file: /a\n=0sYmFy\n\n',
    '# file: /a\\9\nu=0s\n\n',
    '# file: /\xff\nuser.foo=0s\n\n',
    '# file: /a\nuser.\\=0s\n\n',
    '# file: /a\nu=0s\n\n# file: /a\nv=0s\n\n',
    '\n\n',
    '# file: /a\nu\\400=0s\n\n',
  ]
  for (const dump of wrong) assert.equal(parse(dump), undefined, JSON.stringify(dump))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      parseAttributeDump(bytes)
    }),
  )
})
