import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compareVersions, parseVersion, versionText } from '../../../src/core/releases/semver.ts'

const parse = (text: string) => parseVersion(text) ?? assert.fail(text)

/** In ascending order, from the specification of semantic versions. */
const ORDER = [
  '0.9.9',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1-0',
  '1.0.1',
  '1.2.0',
  '1.10.0',
  '2.0.0-rc.1',
  '2.0.0',
]

test('versions are ordered as specified', () => {
  for (const [i, a] of ORDER.entries()) {
    for (const [j, b] of ORDER.entries())
      assert.equal(Math.sign(compareVersions(parse(a), parse(b))), Math.sign(i - j), `${a} ${b}`)
  }
})

test('build metadata and a leading v are ignored', () => {
  assert.equal(compareVersions(parse('v1.2.3+linux.5'), parse('1.2.3')), 0)
  assert.equal(versionText(parse('v1.2.3-rc.1+x')), '1.2.3-rc.1')
})

const NOT_VERSIONS = [
  '',
  '1',
  '1.2',
  '1.2.3.4',
  '01.2.3',
  '1.2.3-',
  '1.2.3-a..b',
  ' 1.2.3',
  '1.2.3 ',
  '1.2.3\n',
  '1.2.3;rm',
  '$(x)',
  '1.2.3-ü',
  '9999999999.0.0',
  `1.0.0-${'a'.repeat(64)}`,
]
for (const text of NOT_VERSIONS) {
  test(`${JSON.stringify(text)} is not a version`, () => assert.equal(parseVersion(text), undefined))
}

test('every accepted version is safe in a command line and round-trips', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^v?\d{1,3}\.\d{1,3}\.\d{1,3}(-[\w.$;' -]{1,10})?$/), (text) => {
      const version = parseVersion(text)
      if (version === undefined) return
      const canonical = versionText(version)
      assert.match(canonical, /^[\w.-]+$/)
      assert.deepEqual(parseVersion(canonical), version)
    }),
  )
})
