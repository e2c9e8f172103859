import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changesUpTo,
  newestRelease,
  readChanges,
  readReleaseList,
  releaseRelation,
} from '../../../src/core/releases/releases.ts'
import { releaseSource } from '../../../src/core/releases/release-source.ts'

const list = (versions: readonly string[], latest?: string) => ({ latest, versions })

test('the list holds installable versions', () => {
  const read = readReleaseList({
    'dist-tags': { latest: 'v1.1.0' },
    versions: {
      '1.0.0': {},
      '1.1.0': { deprecated: '' },
      '1.2.0': { deprecated: 'broken' },
      nonsense: {},
      '1.3.0': null,
      '1.4.0+b': {},
    },
  })
  assert.deepEqual(read, { latest: '1.1.0', versions: ['1.0.0', '1.1.0', '1.4.0'] })
  assert.deepEqual(readReleaseList({ versions: { '1.0.0': {} }, 'dist-tags': { latest: 7 } }), list(['1.0.0']))
  for (const bad of [null, [], 'x', 3, {}, { versions: null }, { versions: 'x' }])
    assert.equal(readReleaseList(bad), undefined)
})

const NEWEST: [
  why: string,
  versions: string[],
  latest: string | undefined,
  stable: string | undefined,
  all: string | undefined,
][] = [
  ['the latest tag of the registry', ['1.0.0', '1.2.0', '1.3.0'], '1.2.0', '1.2.0', '1.3.0'],
  ['the newest without a latest tag', ['1.10.0', '1.9.0'], undefined, '1.10.0', '1.10.0'],
  ['the newest when the latest tag does not exist', ['1.0.0', '1.1.0'], '9.0.0', '1.1.0', '1.1.0'],
  ['pre-releases only when enabled', ['1.0.0', '2.0.0-rc.1'], '1.0.0', '1.0.0', '2.0.0-rc.1'],
  ['also when the latest tag is a pre-release', ['1.0.0', '2.0.0-rc.1'], '2.0.0-rc.1', '1.0.0', '2.0.0-rc.1'],
  ['none', ['1.0.0-rc.1'], undefined, undefined, '1.0.0-rc.1'],
]
for (const [why, versions, latest, stable, all] of NEWEST) {
  test(`the release to upgrade to: ${why}`, () => {
    assert.equal(newestRelease(list(versions, latest), false), stable)
    assert.equal(newestRelease(list(versions, latest), true), all)
  })
}

const RELATIONS: [release: string, running: string, relation: string][] = [
  ['1.0.0', '1.0.0', 'same'],
  ['1.0.0', '1.0.1', 'older'],
  ['1.0.1', 'v1.0.0', 'newer'],
  ['1.1.0', '1.0.9', 'newer'],
  ['2.0.0', '1.9.9', 'major-newer'],
  ['1.0.0', '1.0.0-rc.1', 'newer'],
  ['0.2.0', '0.1.9', 'major-newer'],
  ['0.1.2', '0.1.1', 'newer'],
  ['x', '1.0.0', 'older'],
  ['1.0.1', 'unknown', 'older'],
]
for (const [release, running, relation] of RELATIONS) {
  test(`${release} for ${running}: ${relation}`, () => assert.equal(releaseRelation(release, running), relation))
}

test('the changes are those between the two versions, the newest first', () => {
  const changes = ['1.0.0', '1.1.0', '1.3.0', '1.2.0', '1.4.0'].map((version) => ({ version, text: version }))
  assert.deepEqual(
    changesUpTo('1.3.0', '1.0.0', changes).map(({ version }) => version),
    ['1.3.0', '1.2.0', '1.1.0'],
  )
})

test('texts of the registry are converted to plain text and limited', () => {
  const changes = [
    { version: '1.1.0', text: 'One\r\n\r\n\r\n\r\n<b>two</b> \u{1b}[2J\u202Eolleh\t!' },
    { version: '1.2.0', text: 'x'.repeat(100_000) },
    { version: 'bad', text: 'x' },
    { version: '1.3.0' },
    null,
    'text',
    ...Array.from({ length: 100 }, () => ({ version: '1.4.0', text: '' })),
  ]
  const read = readChanges({ twinfold: { changes } })
  assert.deepEqual(read[0], { version: '1.1.0', text: 'One\n\n<b>two</b>  [2J olleh !' })
  assert.equal(read[1]?.text.length, 4_000)
  assert.equal(read.length, 16)
  for (const bad of [undefined, {}, { twinfold: 3 }, { twinfold: { changes: {} } }])
    assert.deepEqual(readChanges(bad), [])
})

const SOURCES: [url: string, source: string | RegExp][] = [
  ['', 'https://registry.npmjs.org/twinfold'],
  ['https://upgrades.syncthing.net/meta.json', 'https://registry.npmjs.org/twinfold'],
  ['https://npm.example/twinfold/', 'https://npm.example/twinfold'],
  ['http://127.0.0.1:4873/twinfold', 'http://127.0.0.1:4873/twinfold'],
  ['http://[::1]:4873/twinfold', 'http://[::1]:4873/twinfold'],
  ['http://localhost/twinfold', 'http://localhost/twinfold'],
  ['http://npm.example/twinfold', /must be the https address/],
  ['http://127.0.0.1.evil.example/x', /must be the https address/],
  ['file:///etc/passwd', /must be the https address/],
  ['nonsense', /must be the https address/],
  ['https://me:secret@npm.example/x', /^releasesURL: user, password/],
  ['https://npm.example/x?y', /query and fragment are not supported/],
]
for (const [url, source] of SOURCES) {
  test(`releasesURL ${JSON.stringify(url)}`, () => {
    if (typeof source === 'string') assert.equal(releaseSource(url), source)
    else
      assert.throws(
        () => releaseSource(url),
        (error) => error instanceof Error && source.test(error.message) && !error.message.includes('secret'),
      )
  })
}
