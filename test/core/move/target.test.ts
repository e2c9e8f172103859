import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withMovedFolder } from '../../../src/core/move/settings.ts'
import { moveProblem, spaceFor, spaceProblem, type MoveFacts } from '../../../src/core/move/target.ts'
import { folderId, simConfig, simFolder } from '../../support/model.ts'

const FACTS: MoveFacts = {
  from: '/data/docs',
  to: '/mnt/docs',
  place: { kind: 'missing' },
  otherFolders: [{ id: 'music', root: '/data/music' }],
  homes: ['/home/me/.config/syncthing'],
  mounts: [],
}

test('a new or empty directory apart from everything is accepted', () => {
  assert.equal(moveProblem(FACTS), undefined)
  assert.equal(moveProblem({ ...FACTS, place: { kind: 'empty' } }), undefined)
  assert.equal(moveProblem({ ...FACTS, to: '/data/docs2' }), undefined)
})

test('every other directory is refused with a reason and a remedy', () => {
  const cases: readonly (readonly [Partial<MoveFacts>, string])[] = [
    [{ to: '/data/docs' }, 'same'],
    [{ to: '/data/docs/sub' }, 'inside'],
    [{ to: '/data' }, 'around'],
    [{ to: '/' }, 'around'],
    [{ from: 'D:/docs', to: 'E:/docs', otherFolders: [{ id: 'stick', root: 'E:/' }] }, 'other-folder'],
    [{ from: 'E:/', to: 'E:/docs' }, 'inside'],
    [{ to: '/data/music' }, 'other-folder'],
    [{ to: '/data/music/docs' }, 'other-folder'],
    [{ to: '/media', otherFolders: [{ id: 'music', root: '/media/music' }] }, 'other-folder'],
    [{ otherFolders: [{ id: 'part', root: '/data/docs/part' }] }, 'other-folder'],
    [{ to: '/home/me' }, 'home'],
    [{ to: '/home/me/.config/syncthing/docs' }, 'home'],
    [{ from: '/home/me' }, 'home'],
    [{ mounts: ['photos'] }, 'mounted'],
    [{ place: { kind: 'used' } }, 'used'],
    [{ place: { kind: 'no-directory' } }, 'no-directory'],
    [{ place: { kind: 'no-parent' } }, 'no-parent'],
    [{ place: { kind: 'unreadable', reason: 'EACCES' } }, 'unreadable'],
  ]
  for (const [change, code] of cases) {
    const problem = moveProblem({ ...FACTS, ...change })
    assert.equal(problem?.code, code, JSON.stringify(change))
    assert.match(problem.text, /already|;/, 'a remedy')
  }
})

test('the space is counted in whole units, with some to spare', () => {
  assert.equal(spaceFor(0), 0)
  assert.equal(spaceFor(1), 4_096)
  assert.equal(spaceFor(4_097), 8_192)
  assert.equal(spaceProblem('/mnt', 1_000, undefined), undefined)
  assert.equal(spaceProblem('/mnt', 1_000, 100_000_000), undefined)
  assert.equal(spaceProblem('/mnt', 100_000_000, 100_000_000)?.code, 'no-space')
})

test('old versions that an absolute path puts inside the folder move along', () => {
  const versioning = { type: 'simple', params: {}, cleanupIntervalS: 3_600, fsType: 'basic', fsPath: '' } as const
  const moved = (fsPath: string) => {
    const folder = { ...simFolder('docs'), versioning: { ...simFolder('docs').versioning, ...versioning, fsPath } }
    const entry = { folder: folderId('docs'), fromPath: '/data/docs', toPath: '~/docs' }
    const [first, second] = withMovedFolder(simConfig([folder, simFolder('music')]), entry, '/home/me').folders
    assert.equal(second?.path, '/data/music')
    return [first?.path, first?.versioning.fsPath]
  }
  assert.deepEqual(moved(''), ['~/docs', ''])
  assert.deepEqual(moved('.old'), ['~/docs', '.old'])
  assert.deepEqual(moved('/data/docs/.old'), ['~/docs', '/home/me/docs/.old'])
  assert.deepEqual(moved('/srv/old'), ['~/docs', '/srv/old'])
})
