import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '../../tools/markdown.ts'

const html = (source: string) => renderMarkdown(source, (target) => `/to/${target}`).html

const cases: [source: string, expected: string][] = [
  ['# A `b` & c', '<h1 id="a-b--c">A <code>b</code> &amp; c</h1>'],
  ['one\ntwo\n\nthree', '<p>one\ntwo</p>\n<p>three</p>'],
  ['```sh\na < b\n```', '<pre>a &lt; b</pre>'],
  ['- a\n  more\n- **b**', '<ul>\n<li>a\nmore</li>\n<li><strong>b</strong></li>\n</ul>'],
  ['1. a\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>'],
  [
    '| a | b |\n|---|---|\n| `x\\|y` | z |',
    '<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td><code>x|y</code></td><td>z</td></tr>\n</table>',
  ],
  ['[x](y.md)', '<p><a href="/to/y.md">x</a></p>'],
  ['![a"b](p.svg)', '<p><img src="/to/p.svg" alt="a&quot;b"></p>'],
  ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['<!-- hidden -->\ntext', '<p>text</p>'],
]
for (const [source, expected] of cases) {
  test(`markdown: ${JSON.stringify(source)}`, () => assert.equal(html(source), expected))
}

test('markdown: a target that leads nowhere leaves its text; sections have plain text for the search', () => {
  const page = renderMarkdown('# T\n\n[x](y)\n\n## S\n\nsome `code`', () => undefined)
  assert.equal(page.html.split('\n')[1], '<p>x</p>')
  assert.deepEqual(page.sections, [
    { id: 't', title: 'T', text: 'x' },
    { id: 's', title: 'S', text: 'some code' },
  ])
})
