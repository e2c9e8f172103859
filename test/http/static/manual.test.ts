import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { renderManual, writeManual } from '../../../tools/manual.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { fakeRest } from '../fakes.ts'

/** A daemon with the manual in a real directory. */
function withManual(directory: string): ReturnType<typeof fakeRest>['call'] {
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'index.html'), '')
  writeManual(directory)
  return fakeRest({ deps: { disk: nodeDisk }, options: { guiDirectories: [directory] } }).call
}

test('the manual has contents, chapters and pictures, with the policy of the page', async () => {
  using scratch = scratchDirectory()
  const call = withManual(scratch.path)
  const { body, headers } = await call({ target: '/manual' })
  assert.match(String(body), /<a href="\/manual\/first-steps">First steps<\/a>/)
  assert.match(String(body), /<a class="brand" href="\/">/) // the way back
  assert.match(String(body), /<a href="\/manual" aria-current="page">/)
  assert.match(String(headers['content-security-policy']), /^default-src 'self';/)
  const chapter = await call({ target: '/manual/how-it-works' })
  assert.match(String(chapter.body), /<h1 id="how-it-works">How it works<\/h1>/)
  assert.equal((await call({ target: '/assets/how-it-works.svg' })).status, 200)
  for (const target of ['/manual/nope', '/manual/__proto__', '/manual/index.html'])
    assert.equal((await call({ target })).status, 404, target)
})

test('the search finds sections by all words, and shows a query as text', async () => {
  using scratch = scratchDirectory()
  const call = withManual(scratch.path)
  const found = String((await call({ target: '/manual?q=.stignore%20line' })).body)
  assert.match(found, /<a href="\/manual\/files#ignore-patterns">Files: Ignore patterns<\/a>/)
  const hostile = String((await call({ target: `/manual?q=${encodeURIComponent('"><script>x</script>')}` })).body)
  assert.match(hostile, /0 sections with &#34;&#62;&#60;script&#62;/)
  assert.doesNotMatch(hostile, /<script/)
})

test('every link of the manual leads to a chapter and an anchor in it', () => {
  const { pages } = renderManual()
  const anchors = new Set(pages.flatMap(({ id, sections }) => [id, ...sections.map((each) => `${id}#${each.id}`)]))
  for (const { id, html } of pages) {
    for (const [, target = ''] of html.matchAll(/href="\/manual\/([^"]+)"/g))
      assert.ok(anchors.has(target), `${id}: ${target}`)
    assert.doesNotMatch(html, /<(?:script|style|iframe)|javascript:| on\w+=/i, id)
  }
})
