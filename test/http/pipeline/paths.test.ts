import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodePath, normalisePath, splitTarget } from '../../../src/http/pipeline/paths.ts'

describe('a request target', () => {
  const cases: readonly [target: string, rawPath: string, query: string, host: string | undefined][] = [
    ['/', '/', '', undefined],
    ['/a?b=c', '/a', 'b=c', undefined],
    ['/a?', '/a', '', undefined],
    ['/a?b?c', '/a', 'b?c', undefined],
    ['/http://x/y', '/http://x/y', '', undefined],
    ['http://host/a?b', '/a', 'b', 'host'],
    ['HTTPS://Host:1/a', '/a', '', 'Host:1'],
    ['http://host', '/', '', 'host'],
    ['http://host?b', '', 'b', 'host'],
    ['http:///a', '/a', '', ''],
    ['ftp://host/a', 'ftp://host/a', '', undefined],
    ['*', '*', '', undefined],
  ]
  for (const [target, rawPath, query, host] of cases) {
    it(target, () => assert.deepEqual(splitTarget(target), { rawPath, query, host }))
  }
})

describe('a path', () => {
  const cases: readonly [raw: string, path: string | undefined, redirect?: boolean][] = [
    ['/', '/', false],
    ['/a/b', '/a/b', false],
    ['/a/', '/a/', false],
    ['/a%20b', '/a b', false],
    ['/a.b', '/a.b', false],
    ['/.a', '/.a', false],
    ['/..a/b', '/..a/b', false],
    ['//', '/', true],
    ['//a', '/a', true],
    ['/a//b', '/a/b', true],
    ['/a/./b', '/a/b', true],
    ['/a/.', '/a/', true],
    ['/a/b/..', '/a/', true],
    ['/a/b/../', '/a/', true],
    ['/a/b/../c', '/a/c', true],
    ['/..', '/', true],
    ['/../../a', '/a', true],
    ['/a/..', '/', true],
    ['/%2e%2e/a', '/a', true],
    ['/a%2f%2fb', '/a/b', true],
    ['', undefined],
    ['a/b', undefined],
    ['/%', undefined],
    ['/%ff', undefined],
  ]
  for (const [raw, path, redirect] of cases) {
    const wanted = path === undefined ? undefined : { path, redirect }
    it(`${JSON.stringify(raw)} is ${path ?? 'invalid'}`, () => assert.deepEqual(normalisePath(raw), wanted))
  }

  it('is encoded part by part', () => assert.equal(encodePath('/a b/ü/?#\\'), '/a%20b/%C3%BC/%3F%23%5C'))
})
