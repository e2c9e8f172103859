import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disk } from '../../src/platform/disk.ts'
import type { WalkBatch, Walker, WalkRequest } from '../../src/platform/walk.ts'

export interface WalkerWorld extends AsyncDisposable {
  readonly walker: Walker
  readonly disk: Disk
  readonly root: string
  put(path: string, content?: string): Promise<void>
  putPipe(path: string): Promise<void>
  putInvalidName(directory: string): Promise<void>
}

const NEVER = new AbortController().signal

/** What every Walker owes its callers. */
export function walkerContract(name: string, make: () => Promise<WalkerWorld>): void {
  async function walk(world: WalkerWorld, options: Partial<WalkRequest> = {}): Promise<WalkBatch> {
    const all = { items: [] as WalkBatch['items'][number][], problems: [] as WalkBatch['problems'][number][], unnormalized: [] as string[] }
    const request = { root: world.root, subs: [''], ignoreLines: undefined, ...options }
    for await (const batch of world.walker.walk(request, NEVER)) {
      all.items.push(...batch.items)
      all.problems.push(...batch.problems)
      all.unnormalized.push(...batch.unnormalized)
    }
    return all
  }
  const names = (batch: WalkBatch): string[] => batch.items.map((item) => item.name)

  test(`${name}: everything comes in byte order of the whole path`, async () => {
    await using world = await make()
    for (const path of ['a/z', 'a-b', 'a.txt', 'a/-', 'a b', 'A', 'a-b-/x', '\uff5e', '😀', 'é']) await world.put(path)
    const found = names(await walk(world))
    assert.deepEqual(found, [...found].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
    assert.deepEqual(found, ['A', 'a', 'a b', 'a-b', 'a-b-', 'a-b-/x', 'a.txt', 'a/-', 'a/z', 'é', '\uff5e', '😀'])
  })

  test(`${name}: an item carries what the disk says, to the nanosecond`, async () => {
    await using world = await make()
    await world.put('file', 'twelve bytes')
    await world.disk.chmod(`${world.root}/file`, 0o640)
    await world.disk.makeSymlink('some/where', `${world.root}/link`)
    const stat = await world.disk.lstat(`${world.root}/file`)
    const [file, link] = (await walk(world)).items
    const { changeStamp: _, ...rest } = file!
    assert.deepEqual(rest, {
      name: 'file', type: 'file', sizeBytes: 12, modifiedS: stat.modifiedS, modifiedNs: stat.modifiedNs, mode: 0o640, symlinkTarget: '',
    })
    assert.equal(link?.type, 'symlink')
    assert.equal(link?.symlinkTarget, 'some/where')
  })

  test(`${name}: items come with their owners where somebody wants to know`, async () => {
    await using world = await make()
    await world.put('d/file')
    const { userId, groupId } = await world.disk.lstat(`${world.root}/d/file`)
    const { items } = await walk(world, { ownership: true })
    assert.deepEqual(items.map(({ name: path, owner }) => [path, owner]), [['d', { userId, groupId }], ['d/file', { userId, groupId }]])
    assert.ok((await walk(world)).items.every((item) => !('owner' in item)))
  })

  test(`${name}: symlinks are not followed, pipes and internal names are passed over`, async () => {
    await using world = await make()
    await world.put('d/x')
    await world.disk.makeSymlink('d', `${world.root}/l`)
    await world.putPipe(`${world.root}/pipe`)
    for (const path of ['.stfolder/x', '.stignore', '.stversions/y', 'sub/.stignore']) await world.put(path)
    assert.deepEqual(names(await walk(world)), ['d', 'd/x', 'l', 'sub', 'sub/.stignore'])
    assert.deepEqual(names(await walk(world, { subs: ['l/x'] })), [])
  })

  test(`${name}: a name that is no UTF-8 is a problem, one not in NFC is told apart`, async () => {
    await using world = await make()
    await world.putInvalidName(world.root)
    await world.put('e\u0301/x')
    const found = await walk(world)
    assert.deepEqual(names(found), [])
    assert.deepEqual(found.problems.map((problem) => problem.message), ['scan: item is not in UTF8 encoding'])
    assert.deepEqual(found.unnormalized, ['e\u0301'])
  })

  test(`${name}: subs come with the directories above them, in order, and nothing else`, async () => {
    await using world = await make()
    for (const path of ['a/b/c/d', 'a/b/x', 'a-b/y', 'a-b/z', 'q']) await world.put(path)
    assert.deepEqual(names(await walk(world, { subs: ['a-b/y', 'a/b/c'] })), ['a', 'a-b', 'a-b/y', 'a/b', 'a/b/c', 'a/b/c/d'])
    assert.deepEqual(names(await walk(world, { subs: ['a/b/x'] })), ['a', 'a/b', 'a/b/x'])
    assert.deepEqual(names(await walk(world, { subs: ['nothing/here'] })), [])
    assert.deepEqual(names(await walk(world, { subs: ['q/below'] })), [])
  })

  test(`${name}: an ignored directory is reported when something below it is not ignored`, async () => {
    await using world = await make()
    for (const path of ['d/e/keep', 'd/drop', 'd-x', 'o/drop']) await world.put(path)
    const ignoreLines = ['!keep', 'd', 'o', 'drop']
    assert.deepEqual(names(await walk(world, { ignoreLines })), ['d', 'd-x', 'd/e', 'd/e/keep'])
    assert.deepEqual(names(await walk(world, { ignoreLines, subs: ['d/e/keep'] })), ['d', 'd/e', 'd/e/keep'])
    assert.deepEqual(names(await walk(world, { ignoreLines, subs: ['o/drop'] })), [])
  })

  test(`${name}: old temporary files are removed, and none is reported`, async () => {
    await using world = await make()
    for (const path of ['.syncthing.a.tmp', '~syncthing~b.tmp', '.syncthing.d/child']) await world.put(path)
    await world.disk.setModified(`${world.root}/.syncthing.a.tmp`, 1_000, 0)
    assert.deepEqual(names(await walk(world, { removeTemporariesBeforeS: 2_000 })), ['.syncthing.d/child'])
    const left = (await world.disk.list(world.root)).map((entry) => entry.name).filter((entry) => entry.includes('syncthing')).sort()
    assert.deepEqual(left, ['.syncthing.d', '~syncthing~b.tmp'])
  })

  test(`${name}: a symlink that a crash left under a temporary name is removed when it is old`, async () => {
    await using world = await make()
    await world.disk.makeSymlink('elsewhere', `${world.root}/.syncthing.link.tmp`)
    const { modifiedS } = await world.disk.lstat(`${world.root}/.syncthing.link.tmp`)
    const left = async () => (await world.disk.list(world.root)).map((entry) => entry.name).filter((entry) => entry !== '.stfolder')
    assert.deepEqual(names(await walk(world, { removeTemporariesBeforeS: modifiedS })), [])
    assert.deepEqual(await left(), ['.syncthing.link.tmp'], 'somebody may be making it just now')
    assert.deepEqual(names(await walk(world, { removeTemporariesBeforeS: modifiedS + 1 })), [])
    assert.deepEqual(await left(), [])
  })

  test(`${name}: a temporary name that a finished file has kept is removed, however young`, async () => {
    await using world = await make()
    for (const path of ['f', '.syncthing.other.tmp']) await world.put(path)
    await world.disk.linkNew(`${world.root}/f`, `${world.root}/.syncthing.f.tmp`)
    assert.deepEqual(names(await walk(world, { removeTemporariesBeforeS: 2_000 })), ['f'])
    const left = (await world.disk.list(world.root)).map((entry) => entry.name).filter((entry) => entry !== '.stfolder')
    assert.deepEqual(left.sort(), ['.syncthing.other.tmp', 'f'])
  })

  test(`${name}: more items than fit a batch come in several, still in order`, async () => {
    await using world = await make()
    for (let i = 0; i < 2_500; i++) await world.put(`d${i % 7}/f${i}`, '')
    const found = names(await walk(world))
    assert.equal(found.length, 2_507)
    assert.deepEqual(found, [...found].sort())
  })

  test(`${name}: a root that is not there ends the walk with the system's code`, async () => {
    await using world = await make()
    await assert.rejects(walk(world, { root: `${world.root}/missing` }), { code: 'ENOENT' })
  })

  test(`${name}: an abort ends the walk with the reason given, and another walk still works`, async () => {
    await using world = await make()
    for (let i = 0; i < 1_500; i++) await world.put(`f${i}`, '')
    const stop = new AbortController()
    const reason = new Error('enough')
    await assert.rejects(async () => {
      for await (const _ of world.walker.walk({ root: world.root, subs: [''], ignoreLines: undefined }, stop.signal)) stop.abort(reason)
    }, (error) => error === reason)
    assert.equal((await walk(world)).items.length, 1_500)
  })
}
