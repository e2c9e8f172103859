import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOMParser } from '@xmldom/xmldom'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { readPlainXml } from '../../../src/core/config/xml-plain.ts'
import { readAnyXml, readXml } from '../../../src/core/config/xml-read.ts'
import { printXml, type XmlElement, type XmlNode } from '../../../src/core/config/xml-tree.ts'
import { configFixture } from '../../support/config.ts'

/** The tree of another parser, adjacent texts joined, lines omitted. Undefined: it refuses. */
function otherView(text: string): unknown {
  try {
    const parser = new DOMParser({
      normalizeLineEndings: (source) => source.replace(/\r\n?/g, '\n'),
      onError: (_level, message) => {
        throw new Error(message)
      },
    })
    const root = parser.parseFromString(text, 'text/xml').documentElement
    return root === null ? undefined : viewOfDom(root)
  } catch {
    return undefined
  }
}

type DomElement = NonNullable<ReturnType<DOMParser['parseFromString']>['documentElement']>

function viewOfDom(source: DomElement): unknown {
  const children: XmlNode[] = []
  for (let node = source.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.ELEMENT_NODE) children.push(viewOfDom(node as DomElement) as XmlNode)
    else if (node.nodeType === node.COMMENT_NODE) children.push({ is: 'comment', text: node.nodeValue ?? '' })
    else if (node.nodeType !== node.PROCESSING_INSTRUCTION_NODE)
      children.push({ is: 'text', text: node.nodeValue ?? '' })
  }
  return {
    name: source.tagName,
    attributes: Array.from(source.attributes, ({ name, value }) => [name, value]),
    children: joined(children),
  }
}

function viewOf({ name, attributes, children }: XmlElement): unknown {
  return {
    name,
    attributes,
    children: joined(children.map((node) => (node.is === 'element' ? (viewOf(node) as XmlNode) : node))),
  }
}

function joined(children: readonly XmlNode[]): readonly unknown[] {
  const out: XmlNode[] = []
  for (const node of children) {
    const last = out.at(-1)
    if (node.is === 'text' && last?.is === 'text') out[out.length - 1] = { is: 'text', text: last.text + node.text }
    else if (node.is !== 'text' || node.text !== '') out.push(node)
  }
  return out
}

function refusal(text: string): string | undefined {
  try {
    readXml(text)
    return undefined
  } catch (error) {
    assert.ok(error instanceof TwinfoldError && error.code === 'config-invalid', String(error))
    return error.message
  }
}

const TEXT = fc.string({ unit: fc.constantFrom(...'ab <>&"\'\t\n\r]-é😀\u2028\u0085') })
const NAME = fc.constantFrom('a', 'folder', 'é', 'a-b.c', '_1')
const TREE = fc.letrec<{ node: XmlNode; element: XmlElement }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    TEXT.filter((text) => text !== '').map((text) => ({ is: 'text' as const, text })),
    fc.constantFrom('', 'a comment', ' - ').map((text) => ({ is: 'comment' as const, text })),
    tie('element'),
  ),
  element: fc.record({
    is: fc.constant('element' as const),
    name: NAME,
    attributes: fc.uniqueArray(fc.tuple(fc.constantFrom('id', 'label', 'é'), TEXT), { selector: ([name]) => name }),
    children: fc.array(tie('node'), { maxLength: 4 }),
    line: fc.constant(0),
  }),
})).element

test('xml: a printed tree is read back unchanged, by us and by another parser', () => {
  fc.assert(
    fc.property(TREE, (tree) => {
      const holder: XmlElement = {
        is: 'element',
        name: 'r',
        attributes: [],
        children: [{ is: 'text', text: 'x' }, tree],
        line: 0,
      }
      const text = printXml(holder)
      assertSameByBoth(text)
      assert.deepEqual(viewOf(readXml(text)), viewOf(holder))
      assert.deepEqual(viewOf(readXml(text)), otherView(text))
    }),
    { numRuns: 300 },
  )
})

test('xml: a damaged file is never read differently from another parser', () => {
  const full = configFixture('full.xml').slice(0, 6_000)
  const pieces = [
    '<',
    '>',
    '&',
    '"',
    "'",
    '/',
    '=',
    '-->',
    '<!--',
    '<![CDATA[',
    ']]>',
    '<?x ?>',
    '&#65;',
    '&lt;',
    '\r\n',
    ' ',
    'x',
    '<a/>',
    '</a>',
    '<!-- x -->',
    'y',
    'z',
    '--',
    '\u0001',
  ]
  let taken = 0
  let plain = 0
  const damage = fc.record({ at: fc.nat(), cut: fc.nat({ max: 6 }), piece: fc.constantFrom(...pieces, '') })
  const small = fc.constantFrom(
    '<a b="1">x<c/>&amp;<!-- y --><![CDATA[<]]></a>',
    '<a b="1" c="&lt;">\n  <d>x &amp; y</d>\n  <!-- y -->\n  <d/>\n</a>\n',
    "<?xml version='1.0'?>\n<a\tb = 'x' >\r\n</a >",
    full,
  )
  fc.assert(
    fc.property(small, fc.array(damage, { minLength: 1, maxLength: 2 }), (start, damages) => {
      let text = start
      for (const { at, cut, piece } of damages) {
        const place = at % (text.length + 1)
        text = text.slice(0, place) + piece + text.slice(place + cut)
      }
      if (refusal(text) !== undefined) return
      taken++
      if (assertSameByBoth(text)) plain++
      assert.deepEqual(viewOf(readXml(text)), otherView(text), text)
    }),
    { numRuns: 3_000 },
  )
  assert.ok(taken > 50, `${taken} files were taken`)
  assert.ok(plain > 50, `${plain} of them were read without the parser for all of XML`)
})

/** The reader of what programs print refuses a text, or reads what the parser for all of XML does, with all lines. */
function assertSameByBoth(text: string): boolean {
  const plain = readPlainXml(text)
  if (plain !== undefined) assert.deepEqual(plain, readAnyXml(text), text)
  return plain !== undefined
}

test('xml: what programs print is read without the parser for all of XML, and is the same', () => {
  for (const text of [
    configFixture('full.xml'),
    '<a>\n  <!-- x -->\n  <b c="&#34;&amp;"/></a>',
    '\n<a b="1" />\n<!-- end -->\n',
    '<a>é😀&lt;&#x1F600;&#10;</a>',
    '<a><!--> --></a>',
  ])
    assert.ok(assertSameByBoth(text), text)
})

// Each is valid or not; what matters is that only one of the two readers decides.
for (const text of [
  '\u00a0<a/>',
  '<a/>\u00a0',
  '<a b="x\ty"/>',
  '<a\nb="x"/>',
  '<a b="x"\n/>',
  "<a b='x'/>",
  '<a>x\r\ny</a>',
  '<a>\ud800</a>',
  '<a>\ufffe</a>',
  '<a>&#xfffe;</a>',
  '<a>&#x;</a>',
  '<a>&nbsp;</a>',
  '<a>&amp</a>',
  '<a b="&"/>',
  '<a:b/>',
  '<é/>',
  '<a>]]></a>',
  '<a><![CDATA[x]]></a>',
  '<?xml version="1.0"?><a/>',
  '<a><!-- -- --></a>',
  '<a/><a/>',
  'x<a/>',
  '<a></b>',
  '<a b="1" b="2"/>',
])
  test(`xml: ${JSON.stringify(text)} is left to the parser for all of XML`, () =>
    assert.equal(readPlainXml(text), undefined))

const REFUSED: readonly (readonly [text: string, expected: RegExp])[] = [
  ['<a>\n<b>\n</a>', /^line 3: <b> of line 2 must be closed by <\/b> first/],
  ['<a>\n', /^line 1: <a> is never closed/],
  ['<a/><b/>', /a second root element/],
  ['</a>', /ends what was never begun/],
  ['<a b="1"c="2"/>', /does not belong there/],
  ['<a b/>', /<a> has something in its tag/],
  ['<a b c="1"/>', /<a> has an attribute without a value/],
  ['<a>\n<b>x & y</b>\n<c>;</c></a>', /^line 2: a "&" that starts no known entity/],
  ['<a>\n<!-- & -->&amp;<b>x & y</b>\n</a>', /^line 2: a "&" that starts no known entity/],
  ['\n<!DOCTYPE a [\n<!ENTITY b "c">\n]><a/>', /^line 2: a document type/],
  ['<a>\n<b><![CDATA[x</b></a>', /^line 2: "<!\[C" is never closed/],
  ['<?xml version="1.1"?><a>&#1;</a>', /<a> holds a character that XML forbids/],
  ['<a b=1/>', /must be in quotes/],
  ['<a b="<"/>', /holds a "<"/],
  ['<a b="1" b="2"/>', /has the attribute b twice/],
  ['<1/>', /the name of an element is missing or not allowed/],
  ['< a/>', /the name of an element is missing or not allowed/],
  ['<a>]]></a>', /"\]\]>" in a text/],
  ['<a><!-- -- --></a>', /"--" inside a comment/],
  ['<a>&#x110000;</a>', /<a> holds a character that XML forbids/],
  ['<a>&#xD800;</a>', /<a> holds a character that XML forbids/],
  ['<a>&#0;</a>', /<a> holds a character that XML forbids/],
  ['<a/>\n<?xml version="1.0"?>', /^line 2: an XML declaration belongs at the very beginning/],
  ['<!-- only a comment -->', /the file holds no element/],
  ['<a/><![CDATA[x]]>', /text outside of the root element/],
]

for (const [text, expected] of REFUSED) {
  test(`xml: refuses ${JSON.stringify(text)}`, () => assert.match(refusal(text) ?? 'accepted', expected))
}

test('xml: parse time of a hostile file is linear in its length', () => {
  const size = 2_000_000
  // Each of these took a parser quadratic time: hours, at this size.
  for (const text of [
    `<a>${'<b/>x'.repeat(size / 5)}&amp;</a>`,
    `<a>${'<![CDATA[x]]>'.repeat(size / 13)}</a>`,
    `<a b="${'&amp;'.repeat(size / 5)}"/>`,
    `<a ${'b '.repeat(size / 2)}/>`,
    `<a>${'<b '.repeat(size / 3)}`,
    `<a ${Array.from({ length: size / 10 }, (_none, place) => `b${place}=""`).join(' ')}/>`,
    `<a${' '.repeat(size)}`,
    `<a${' b="x"'.repeat(size / 6)}`,
  ])
    refusal(text)
})
