import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { browseDisk, type BrowseDeps } from '../../../src/http/routes/browse-disk.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { fakeRest } from '../fakes.ts'

function tree() {
  const scratch = scratchDirectory()
  for (const name of ['Photos', 'photos', 'pictures', 'other', '.hidden']) mkdirSync(join(scratch.path, name))
  writeFileSync(join(scratch.path, 'phone.txt'), 'x')
  symlinkSync(join(scratch.path, 'other'), join(scratch.path, 'phlink'))
  symlinkSync('nowhere', join(scratch.path, 'phnothing'))
  const deps: BrowseDeps = { disk: nodeDisk, userHome: scratch.path, platform: 'linux' }
  const under = (...names: string[]) => names.map((name) => join(scratch.path, name))
  return { deps, under, root: scratch.path, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

test('directories that start with the typed text: exact case first, links to directories too, no files', async () => {
  using made = tree()
  assert.deepEqual(await browseDisk(made.deps, join(made.root, 'ph')), made.under('phlink', 'photos', 'Photos'))
  assert.deepEqual(await browseDisk(made.deps, join(made.root, 'PH')), made.under('Photos', 'phlink', 'photos'))
  assert.deepEqual(
    await browseDisk(made.deps, `${made.root}/`),
    made.under('.hidden', 'Photos', 'other', 'phlink', 'photos', 'pictures'),
  )
})

test('a tilde is the home directory; an empty text lists the roots', async () => {
  using made = tree()
  assert.deepEqual(await browseDisk(made.deps, '~/pi'), made.under('pictures'))
  assert.deepEqual((await browseDisk(made.deps, '~')).length, 6)
  assert.deepEqual(await browseDisk(made.deps, ''), ['/'])
})

test('an unreadable directory has no entries and causes no error', async () => {
  using made = tree()
  for (const typed of [
    'relative',
    `${made.root}/none/x`,
    `${made.root}/phone.txt/`,
    '/\0/x',
    `/${'x/'.repeat(5_000)}`,
  ]) {
    assert.deepEqual(await browseDisk(made.deps, typed), [], typed.slice(0, 40))
  }
  const rest = fakeRest()
  for (const query of ['current=/u', 'current=%00', 'filesystem=fake&current=/', 'current=/&filesystem=nope']) {
    assert.equal((await rest.send('GET', `/rest/system/browse?${query}`)).body, '[]\n')
  }
})

test('on Windows the roots are the existing drives, and both slashes separate', async () => {
  const listed: string[] = []
  const disk: BrowseDeps['disk'] = {
    list: async (path) => (listed.push(path), [{ name: 'Users', valid: true }]),
    stat: async (path) => ({ type: /^[CD]:\\/.test(path) ? 'directory' : 'other' }) as never,
  }
  const deps = { disk, userHome: 'C:\\Users\\a', platform: 'win32' }
  assert.deepEqual(await browseDisk(deps, ''), ['C:\\', 'D:\\'])
  assert.deepEqual(await browseDisk(deps, 'C:/us'), ['C:\\Users'])
  assert.deepEqual(listed, ['C:\\'])
})
