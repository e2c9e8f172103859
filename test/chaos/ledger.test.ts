import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Chance } from '../interop/random-changes.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { differences } from '../support/tree-compare.ts'
import { hiddenAtSyncthing, isKeptDeletion, lossesAmong, onlyAtSyncthing, tornFiles, type Place } from './checks.ts'
import { Ledger } from './ledger.ts'
import { User } from './user.ts'

function places(directory: string): readonly [Place, Place] {
  const [a, b] = (['twinfold', 'syncthing'] as const).map((kind) => ({ kind, name: kind, root: join(directory, kind) }))
  for (const { root } of [a!, b!]) mkdirSync(join(root, '.stfolder'), { recursive: true })
  return [a!, b!]
}

describe('the ledger of a chaos run', () => {
  it('misses what was not replaced, once', () => {
    using scratch = scratchDirectory()
    const [a, b] = places(scratch.path)
    const ledger = new Ledger()
    const [kept, lost, replaced] = ['kept', 'lost', 'replaced'].map((text) => Buffer.from(text))
    for (const content of [kept!, lost!, replaced!]) ledger.add(content, a.name, 'file', 1)
    ledger.replace(replaced!)
    writeFileSync(join(b.root, 'elsewhere.sync-conflict-20260101-000000-AAAAAAA'), kept!)
    const { lost: found } = lossesAmong([a, b], ledger)
    assert.equal(found.length, 1)
    assert.match(found[0]!, /^file, written at twinfold in round 1/)
    assert.deepEqual(lossesAmong([a, b], ledger).lost, [])
  })

  it('finds a content among the versions, and counts apart what only the other program can have lost', () => {
    using scratch = scratchDirectory()
    const [a, b] = places(scratch.path)
    const ledger = new Ledger()
    ledger.add(Buffer.from('old'), a.name, 'file', 1)
    ledger.add(Buffer.from('gone'), b.name, 'file', 1)
    mkdirSync(join(a.root, '.stversions'))
    writeFileSync(join(a.root, '.stversions', 'file~1'), 'old')
    assert.deepEqual(lossesAmong([a, b], ledger), { lost: [], lostAtSyncthing: 1, versionsOnly: 1 })
  })

  it('finds a file that no device wrote, unless it is unfinished', () => {
    using scratch = scratchDirectory()
    const [a] = places(scratch.path)
    const ledger = new Ledger()
    ledger.add(Buffer.from('whole'), a.name, 'file', 1)
    for (const name of ['file', '.syncthing.file.tmp', '.1.saving-1']) writeFileSync(join(a.root, name), 'whole')
    assert.deepEqual(tornFiles(a, ledger), [])
    for (const name of ['file', '.syncthing.file.tmp', '.1.saving-1']) writeFileSync(join(a.root, name), 'whol')
    assert.equal(tornFiles(a, ledger).length, 1)
  })

  it('has everything that a user does: nothing is missing or torn without synchronization', () => {
    using scratch = scratchDirectory()
    const [a] = places(scratch.path)
    const ledger = new Ledger()
    const user = new User(ledger, new Chance(1))
    for (let count = 0; count < 600; count++) user.act(a)
    assert.deepEqual(tornFiles(a, ledger), [])
    assert.deepEqual(lossesAmong([a], ledger).lost, [])
    assert.ok(ledger.replaced > 50, `${ledger.replaced} replaced`)
    for (const action of ['save', 'edit in place', 'append', 'delete', 'rename', 'remove directory'])
      assert.ok((user.done[action] ?? 0) > 0, `${action} was never done: ${JSON.stringify(user.done)}`)
  })

  it('finds what the other program has hidden from itself: another content of equal size and time', () => {
    using scratch = scratchDirectory()
    const [a, b] = places(scratch.path)
    for (const [name, ours, theirs, isSameTime] of [
      ['hidden', 'ours', 'them', true],
      ['newer', 'ours', 'them', false],
      ['longer', 'ours', 'theirs', true],
      ['equal', 'same', 'same', true],
    ] as const) {
      for (const [{ root }, content] of [[a, ours] as const, [b, theirs] as const]) {
        writeFileSync(join(root, name), content)
        utimesSync(join(root, name), 1, content === theirs && !isSameTime ? 2 : 1)
      }
    }
    const unlike = differences([a.root, b.root])
    assert.equal(unlike.length, 3)
    assert.deepEqual(hiddenAtSyncthing([a, b], unlike), ['hidden'])
    assert.deepEqual(onlyAtSyncthing([a, b], unlike), [])
  })

  it('finds a file that the other program keeps with the version of its deletion', () => {
    using scratch = scratchDirectory()
    const [a, b] = places(scratch.path)
    writeFileSync(join(a.root, 'ours'), '')
    writeFileSync(join(b.root, 'theirs'), '')
    assert.deepEqual(onlyAtSyncthing([a, b], differences([a.root, b.root])), ['theirs'])
    const view = (deleted: boolean, counter: number) => ({ deleted, version: [`AAAAAAA:${counter}`] })
    assert.equal(isKeptDeletion({ local: view(false, 2), global: view(true, 2) }), true)
    assert.equal(isKeptDeletion({ local: view(false, 1), global: view(true, 2) }), false)
    assert.equal(isKeptDeletion({ local: view(true, 2), global: view(true, 2) }), false)
  })

  it('misses a content that somebody removes behind the back of its writer', () => {
    using scratch = scratchDirectory()
    const [a] = places(scratch.path)
    const ledger = new Ledger()
    ledger.add(Buffer.from('content'), a.name, 'file', 1)
    writeFileSync(join(a.root, 'file'), 'content')
    assert.deepEqual(lossesAmong([a], ledger).lost, [])
    assert.equal(readFileSync(join(a.root, 'file'), 'utf8'), 'content')
    rmSync(join(a.root, 'file'))
    assert.equal(lossesAmong([a], ledger).lost.length, 1)
  })
})
