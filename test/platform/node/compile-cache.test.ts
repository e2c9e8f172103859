import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOfSystem, userCache } from '../../../src/platform/node/compile-cache.ts'

test('nothing is written beside a program that a package of the system has installed', () => {
  assert.ok(isOfSystem('/usr/lib/twinfold'))
  for (const root of ['/usr/lib/node_modules/twinfold', '/usr/local/lib/node_modules/twinfold', '/home/you/twinfold'])
    assert.ok(!isOfSystem(root), root)
})

test('the cache of a user is where the system has it', () => {
  const user = { HOME: '/home/you', LOCALAPPDATA: '/local' }
  assert.equal(userCache('linux', user), '/home/you/.cache/twinfold/compiled')
  assert.equal(userCache('linux', { ...user, XDG_CACHE_HOME: '/cache' }), '/cache/twinfold/compiled')
  assert.equal(userCache('darwin', user), '/home/you/Library/Caches/twinfold/compiled')
  assert.equal(userCache('win32', user), '/local/twinfold/compiled')
  for (const platform of ['linux', 'darwin', 'win32']) assert.equal(userCache(platform, {}), undefined)
})
