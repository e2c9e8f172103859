import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { fakeHash, fakeRest } from '../fakes.ts'
import { reportRow } from '../../support/effort.ts'

const PAGE = '<!doctype html>\n<html lang="en">\n<body></body></html>'
const SCRIPT = `console.log(${'1'.repeat(2_000)})`

/** A daemon with its page in a real directory. */
function withPage(directory: string, gui: Parameters<typeof fakeRest>[0] = {}): ReturnType<typeof fakeRest>['call'] {
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'index.html'), PAGE)
  writeFileSync(join(directory, 'secret.js'), 'secret')
  writeFileSync(join(directory, 'assets', 'index-abcd_123.js'), SCRIPT)
  writeFileSync(join(directory, 'assets', 'index-abcd_123.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(directory, 'assets', 'icon.svg'), '<svg/>')
  writeFileSync(join(directory, 'assets', 'notes.txt'), 'no type')
  symlinkSync('/etc/hostname', join(directory, 'assets', 'link.js'))
  return fakeRest({
    ...gui,
    deps: { disk: nodeDisk },
    options: { guiDirectories: [join(directory, 'nothing'), directory] },
  }).call
}

const LANGUAGES: readonly [header: string, expected: string][] = [
  ['', 'en'],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.1,fr-CH;q=0.9', 'fr'],
  ['pt-BR,es;q=0.5', 'es'],
  ['zh-Hans-CN', 'zh'],
  ['"><script>', 'en'],
  ['__proto__', 'en'],
]
for (const [header, expected] of LANGUAGES) {
  test(`the page has the language of ${JSON.stringify(header)}`, async () => {
    using scratch = scratchDirectory()
    const call = withPage(scratch.path)
    const response = await call({ target: '/', headers: { 'Accept-Language': header } })
    assert.equal(response.body, PAGE.replace('lang="en"', `lang="${expected}"`))
    assert.equal(response.headers['vary'], 'Accept-Language')
  })
}

test('the page allows no external and no inline resources', async () => {
  using scratch = scratchDirectory()
  const call = withPage(scratch.path)
  for (const target of ['/', '/index.html']) {
    const { headers, status } = await call({ target })
    assert.equal(status, 200)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|data:|\*/)
    assert.equal(headers['cache-control'], 'no-cache, must-revalidate')
  }
})

test('files of the page are cacheable, compressed if the browser accepts it, and need no login', async () => {
  using scratch = scratchDirectory()
  const call = withPage(scratch.path, { gui: { user: 'alice', password: fakeHash('s3cret') } })
  const plain = await call({ target: '/assets/index-abcd_123.js' })
  assert.equal(plain.status, 200)
  assert.equal(plain.body, SCRIPT)
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.match(String(plain.headers['cache-control']), /immutable/)
  const icon = await call({ target: '/assets/icon.svg' })
  assert.deepEqual([icon.headers['content-type'], icon.headers['cache-control']], ['image/svg+xml', 'no-cache'])
})

const REFUSED = [
  '/assets/secret.js',
  '/assets/../secret.js',
  '/assets/..%2fsecret.js',
  '/assets/%2e%2e/secret.js',
  '/assets/missing.js',
  '/assets/notes.txt',
  '/assets/index-abcd_123.js.gz',
  '/assets/',
  '/assets/.',
  '/assets/..',
  '/assets/a%00.js',
  '/secret.js',
]

for (const target of REFUSED) {
  test(`W-05: ${target} is not found`, async () => {
    using scratch = scratchDirectory()
    const call = withPage(scratch.path)
    const { status, body } = await call({ target })
    assert.ok([301, 400, 404].includes(status), `${status}`)
    assert.doesNotMatch(body, /^secret/)
  })
}

test('W-05: a symlink among the files is not followed', async () => {
  using scratch = scratchDirectory()
  const call = withPage(scratch.path)
  assert.equal((await call({ target: '/assets/link.js' })).status, 404)
  reportRow({ id: 'W-05', tried: REFUSED.length + 1 })
})

test('without a built page the reply explains how to build it, and a built page is served', async () => {
  using scratch = scratchDirectory()
  const { call } = fakeRest({ deps: { disk: nodeDisk }, options: { guiDirectories: [scratch.path] } })
  assert.match((await call({ target: '/' })).body, /npm run build/)
  assert.equal((await call({ target: '/assets/index.js' })).status, 404)
  mkdirSync(join(scratch.path, 'assets'))
  writeFileSync(join(scratch.path, 'index.html'), PAGE)
  assert.equal((await call({ target: '/' })).body, PAGE)
  writeFileSync(join(scratch.path, 'index.html'), `${PAGE}new`)
  writeFileSync(join(scratch.path, 'assets', 'new.js'), 'new')
  assert.equal((await call({ target: '/' })).body, `${PAGE}new`, 'after a rebuild')
  assert.equal((await call({ target: '/assets/new.js' })).body, 'new')
})
