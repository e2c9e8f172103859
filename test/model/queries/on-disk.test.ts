import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diskFacts } from '../../../src/model/queries/on-disk.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimDisk } from '../../../src/platform/sim/disk.ts'

const ROOT = '/data/docs'

function scene(): SimDisk {
  const disk = new SimDisk(new SimClock(), { umask: 0 })
  disk.put(`${ROOT}/.stignore`, '// comment\n!keep.tmp\n*.tmp\n(?d)cache\n#include more\n')
  disk.put(`${ROOT}/more`, '*.o\n')
  for (const name of ['letter.txt', 'Photos/beach.jpg', 'Photos/beach2.jpg', 'a.tmp', 'cache/deep/x'])
    disk.put(`${ROOT}/${name}`, 'x')
  return disk
}

const cases: [name: string, expected: object][] = [
  ['letter.txt', { kind: 'present' }],
  ['Photos', { kind: 'present' }],
  ['a.tmp', { kind: 'ignored', line: '*.tmp' }],
  ['cache/deep/x', { kind: 'ignored', line: '(?d)cache' }],
  ['main.o', { kind: 'ignored', line: '*.o', isIncluded: true }],
  ['keep.tmp', { kind: 'absent', nearest: [] }],
  ['../docs2/x', { kind: 'outside' }],
  ['/data/docs/letter.txt', { kind: 'outside' }],
  ['.stignore', { kind: 'reserved' }],
  ['sub/.syncthing.x.tmp', { kind: 'reserved' }],
  ['leter.txt', { kind: 'absent', nearest: ['letter.txt'] }],
  ['Photos/bech.jpg', { kind: 'absent', nearest: ['Photos/beach.jpg', 'Photos/beach2.jpg'] }],
  ['photo/beach.jpg', { kind: 'absent', nearest: ['Photos'] }],
  ['elephant', { kind: 'absent', nearest: [] }],
]
for (const [name, expected] of cases) {
  test(`on disk: ${name}`, async () => assert.deepEqual(await diskFacts(scene(), ROOT, name, true), expected))
}

test('on disk: an unreadable file is named with its error', async () => {
  const disk = scene()
  disk.fail({ call: 'open', code: 'EACCES', under: `${ROOT}/letter.txt` })
  const facts = await diskFacts(disk, ROOT, 'letter.txt', true)
  assert.match(facts.kind === 'unreadable' ? facts.error : '', /EACCES/)
})

test('on disk: what is behind a symlink is not read', async () => {
  const disk = scene()
  disk.put('/data/other/secret/x', 'x')
  await disk.makeSymlink('/data/other', `${ROOT}/out`)
  for (const name of ['out/secret/x', 'out/secrt']) {
    assert.deepEqual(await diskFacts(disk, ROOT, name, true), { kind: 'behind-symlink', symlink: 'out' })
  }
  assert.deepEqual(await diskFacts(disk, ROOT, 'out', true), { kind: 'present' })
})

test('on disk: a folder without ignore patterns reads none', async () => {
  assert.deepEqual(await diskFacts(scene(), ROOT, 'a.tmp', false), { kind: 'present' })
})
