import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import { withUnixOwner } from '../../../src/core/attributes/platform-data.ts'
import type { FolderStatus, NeedPage } from '../../../src/model/types.ts'
import { fakeRest, IDLE } from '../fakes.ts'

test('db/status: unknown is 404, paused is 200 with zeros', async () => {
  const missing = fakeRest({ hub: { status: () => Promise.reject(new TwinfoldError('folder-missing', 'x')) } })
  for (const query of ['', '?folder=', '?folder=nope']) {
    const response = await missing.send('GET', `/rest/db/status${query}`)
    assert.deepEqual([response.status, response.body], [404, 'no such folder\n'])
  }
  const paused = fakeRest({
    hub: { status: async () => ({ ...IDLE, state: '', stateChangedMs: 0, sequence: 0, remoteSequences: undefined }) },
  })
  const status = JSON.parse((await paused.send('GET', '/rest/db/status?folder=share')).body)
  assert.deepEqual(
    [status.state, status.stateChanged, status.remoteSequence, status.globalFiles],
    ['', '0001-01-01T00:00:00Z', null, 0],
  )
})

test('db/browse: levels, prefix and dirsonly are applied; errors are 500', async () => {
  const cases: [query: string, options: object][] = [
    ['', { prefix: '', directoriesOnly: false }],
    ['&levels=0', { prefix: '', levels: 0, directoriesOnly: false }],
    ['&levels=-1', { prefix: '', directoriesOnly: false }],
    ['&levels=x', { prefix: '', directoriesOnly: false }],
    ['&prefix=a/b/&dirsonly=false', { prefix: 'a/b', directoriesOnly: true }],
    ['&dirsonly=', { prefix: '', directoriesOnly: false }],
  ]
  for (const [query, options] of cases) {
    const { send, calls } = fakeRest()
    assert.equal((await send('GET', `/rest/db/browse?folder=share${query}`)).body, '[]\n')
    assert.deepEqual(calls, [`browse share ${JSON.stringify(options)}`])
  }
  for (const code of ['folder-missing', 'folder-paused'] as const) {
    const { send } = fakeRest({ hub: { browse: () => Promise.reject(new TwinfoldError(code, 'x')) } })
    const response = await send('GET', '/rest/db/browse?folder=nope')
    assert.deepEqual([response.status, response.body], [500, 'no such folder\n'])
  }
})

const INFO: FileInfo = {
  name: 'link',
  type: 'symlink',
  deleted: false,
  sizeBytes: 0,
  modifiedS: 0,
  modifiedNs: 0,
  permissions: 0o777,
  noPermissions: true,
  version: [{ device: 0n as ShortId, value: 18_446_744_073_709_551_615n }],
  modifiedBy: 0n as ShortId,
  sequence: 4,
  localFlags: 8,
  blockSizeBytes: 0,
  blocksHash: undefined,
  symlinkTarget: 'x',
  blockHashes: new Uint8Array(96),
}

test('db/file: a missing record is empty, counters are exact, symlinks have no permissions', async () => {
  const { send } = fakeRest({ hub: { file: async () => ({ global: INFO, local: undefined, availability: [] }) } })
  const view = JSON.parse((await send('GET', '/rest/db/file?folder=share&file=link')).body)
  assert.equal(view.availability, null)
  assert.deepEqual(view.global.version, [`${view.global.version[0].split(':')[0]}:18446744073709551615`])
  assert.equal('permissions' in view.global, false)
  assert.deepEqual([view.global.size, view.global.invalid, view.global.numBlocks], [0, true, 3])
  assert.deepEqual([view.local.name, view.local.permissions, view.local.version], ['', '0', []])
  const absent = fakeRest({ hub: { file: () => Promise.reject(new TwinfoldError('file-missing', 'x')) } })
  const response = await absent.send('GET', '/rest/db/file?folder=share&file=../x')
  assert.deepEqual([response.status, response.body], [404, 'No such object in the index\n'])
})

test('db/file and lists: the content that the author changed is shown where it was announced', async () => {
  const found = { ...INFO, previousBlocksHash: Buffer.from('before') }
  const { send } = fakeRest({
    hub: {
      file: async () => ({ global: found, local: INFO, availability: [] }),
      need: async () => ({ progress: [], queued: [found], rest: [] }),
    },
  })
  const view = JSON.parse((await send('GET', '/rest/db/file?folder=share&file=link')).body)
  assert.deepEqual([view.global.previousBlocksHash, view.local.previousBlocksHash], ['YmVmb3Jl', null])
  const { queued } = JSON.parse((await send('GET', '/rest/db/need?folder=share')).body)
  assert.equal(queued[0].previousBlocksHash, 'YmVmb3Jl')
})

test('db/file and lists: owners and attributes are shown in the format of their system', async () => {
  const platform = Buffer.concat([
    withUnixOwner(undefined, { ownerName: 'ann', groupName: 'staff', userId: 1000, groupId: 50 }),
    Buffer.from('1a0d0a0b0a06757365722e6112016b', 'hex'),
  ])
  const found = { ...INFO, platform }
  const { send } = fakeRest({
    hub: {
      file: async () => ({ global: found, local: undefined, availability: [] }),
      need: async () => ({ progress: [], queued: [found], rest: [] }),
    },
  })
  const none = { Unix: null, Windows: null, Linux: null, Darwin: null, FreeBSD: null, NetBSD: null }
  const shown = {
    ...none,
    Unix: { ownerName: 'ann', groupName: 'staff', uid: 1000, gid: 50 },
    Linux: { xattrs: [{ name: 'user.a', value: 'aw==' }] },
  }
  const view = JSON.parse((await send('GET', '/rest/db/file?folder=share&file=link')).body)
  assert.deepEqual([view.global.platform, view.local.platform], [shown, none])
  const { queued } = JSON.parse((await send('GET', '/rest/db/need?folder=share')).body)
  assert.deepEqual(queued[0].platform, shown)
})

test('db/need and db/prio: an empty page needs no query of the index, whatever its number', async () => {
  const nothing: NeedPage = { progress: [], queued: [], rest: [] }
  const { send, calls } = fakeRest({ hub: { needNow: () => nothing } })
  const slow = fakeRest({ hub: { need: async () => nothing } })
  for (const query of ['', '', '&page=2&perpage=10', '']) {
    for (const [method, path] of [
      ['GET', `/rest/db/need?folder=share${query}`],
      ['POST', `/rest/db/prio?folder=share&file=a${query}`],
    ] as const) {
      assert.equal((await send(method, path)).body, (await slow.send(method, path)).body)
    }
  }
  assert.deepEqual(new Set(calls), new Set(['front share a']))
})

test('db/status: the reply of an unchanged status is cached, and a pending status is awaited', async () => {
  let now: FolderStatus | undefined = IDLE
  const { send, calls } = fakeRest({ hub: { statusNow: () => now } })
  const status = async () => JSON.parse((await send('GET', '/rest/db/status?folder=share')).body)
  const first = await status()
  assert.deepEqual(await status(), first)
  assert.deepEqual(calls, [])
  now = { ...IDLE, state: 'scanning', sequence: 9 }
  assert.deepEqual(await status(), { ...first, state: 'scanning', sequence: 9, version: 9 })
  now = undefined
  assert.deepEqual(await status(), first)
  assert.deepEqual(calls, ['status share'])
})

test('db/ignores: lines are written unchanged; an invalid body is 500 and writes nothing', async () => {
  const { send, calls } = fakeRest()
  assert.equal((await send('POST', '/rest/db/ignores?folder=share', '{"Ignore":["*.tmp","","// c"]}')).status, 200)
  assert.equal((await send('POST', '/rest/db/ignores?folder=share', '{}')).status, 200)
  assert.deepEqual(calls, ['setIgnores share ["*.tmp","","// c"]', 'setIgnores share []'])
  for (const body of ['{bad', '[]', '"x"', 'null', '{"ignore":"x"}', '{"ignore":[1]}', '{"ignore":["a\\nb"]}', '']) {
    const response = await send('POST', '/rest/db/ignores?folder=share', body)
    assert.equal(response.status, 500, body)
  }
  assert.equal(calls.length, 2)
  const unknown = fakeRest({ hub: { setIgnores: () => Promise.reject(new TwinfoldError('folder-missing', 'x')) } })
  assert.equal(
    (await unknown.send('POST', '/rest/db/ignores?folder=nope', '{"ignore":[]}')).body,
    'folder  does not exist\n',
  )
})
