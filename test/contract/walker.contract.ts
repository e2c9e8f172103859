import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disk } from '../../src/platform/disk.ts'
import type { WalkBatch, Walker, WalkRequest } from '../../src/platform/walk.ts'

export interface WalkerPorts extends AsyncDisposable {
  readonly walker: Walker
  readonly disk: Disk
  readonly root: string
  put(path: string, content?: string): Promise<void>
  putPipe(path: string): Promise<void>
  putInvalidName(directory: string): Promise<void>
}

const NEVER = new AbortController().signal

/** What every Walker owes its callers. */
export function walkerContract(name: string, make: () => Promise<WalkerPorts>): void {
  async function walk(platform: WalkerPorts, options: Partial<WalkRequest> = {}): Promise<WalkBatch> {
    const all = {
      items: [] as WalkBatch['items'][number][],
      problems: [] as WalkBatch['problems'][number][],
      unnormalized: [] as string[],
      asides: [] as string[],
    }
    const request = { root: platform.root, subs: [''], ignoreLines: undefined, ...options }
    for await (const batch of platform.walker.walk(request, NEVER)) {
      all.items.push(...batch.items)
      all.problems.push(...batch.problems)
      all.unnormalized.push(...batch.unnormalized)
      all.asides.push(...batch.asides)
    }
    return all
  }
  const names = (batch: WalkBatch): string[] => batch.items.map((item) => item.name)

  test(`${name}: items are in byte order of the whole path`, async () => {
    await using platform = await make()
    for (const path of ['a/z', 'a-b', 'a.txt', 'a/-', 'a b', 'A', 'a-b-/x', '\uff5e', '😀', 'é'])
      await platform.put(path)
    const found = names(await walk(platform))
    assert.deepEqual(
      found,
      [...found].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
    assert.deepEqual(found, ['A', 'a', 'a b', 'a-b', 'a-b-', 'a-b-/x', 'a.txt', 'a/-', 'a/z', 'é', '\uff5e', '😀'])
  })

  test(`${name}: a file that is found without a walk is as a walk finds it`, async () => {
    await using platform = await make()
    const { disk, root, walker } = platform
    for (const path of ['a/b/file', 'other', 'a/ignored']) await platform.put(path)
    await disk.makeSymlink('file', `${root}/a/b/link`)
    await disk.makeSymlink('b', `${root}/a/to-b`)
    await platform.putPipe(`${root}/pipe`)
    const request = { root, ignoreLines: ['ignored'] }
    for (const path of ['a/b/file', 'other']) {
      assert.deepEqual(walker.findFile(path, request), (await walk(platform, { ...request, subs: [path] })).items)
    }
    const others = ['', 'a', 'a/ignored', 'a/b/link', 'a/to-b/file', 'pipe', 'none', 'a/none', 'other/none']
    for (const path of others) assert.equal(walker.findFile(path, request), undefined, path)
  })

  test(`${name}: an item has the metadata of the disk, to the nanosecond`, async () => {
    await using platform = await make()
    await platform.put('file', 'twelve bytes')
    await platform.disk.chmod(`${platform.root}/file`, 0o640)
    await platform.disk.makeSymlink('some/where', `${platform.root}/link`)
    const stat = await platform.disk.lstat(`${platform.root}/file`)
    const [file, link] = (await walk(platform)).items
    const { changeStamp, inode, ...rest } = file!
    assert.deepEqual(rest, {
      name: 'file',
      type: 'file',
      sizeBytes: 12,
      modifiedS: stat.modifiedS,
      modifiedNs: stat.modifiedNs,
      mode: 0o640,
      symlinkTarget: '',
    })
    assert.deepEqual({ changeStamp, inode }, { changeStamp: stat.changeStamp, inode: Number(stat.inode) })
    assert.equal(link?.type, 'symlink')
    assert.equal(link?.symlinkTarget, 'some/where')
  })

  test(`${name}: items include their owners on request`, async () => {
    await using platform = await make()
    await platform.put('d/file')
    const { userId, groupId } = await platform.disk.lstat(`${platform.root}/d/file`)
    const { items } = await walk(platform, { ownership: true })
    assert.deepEqual(
      items.map(({ name: path, owner }) => [path, owner]),
      [
        ['d', { userId, groupId }],
        ['d/file', { userId, groupId }],
      ],
    )
    assert.ok((await walk(platform)).items.every((item) => !('owner' in item)))
  })

  test(`${name}: symlinks are not followed, pipes and internal names are skipped`, async () => {
    await using platform = await make()
    await platform.put('d/x')
    await platform.disk.makeSymlink('d', `${platform.root}/l`)
    await platform.putPipe(`${platform.root}/pipe`)
    for (const path of ['.stfolder/x', '.stignore', '.stversions/y', 'sub/.stignore']) await platform.put(path)
    assert.deepEqual(names(await walk(platform)), ['d', 'd/x', 'l', 'sub', 'sub/.stignore'])
    for (const path of ['.Stversions/y', 'STIGNO~1', 'd/.Syncthing.x.tmp', '~SYNCTHING~d/x']) await platform.put(path)
    const removeTemporariesBeforeS = Number.MAX_SAFE_INTEGER
    assert.deepEqual(names(await walk(platform, { removeTemporariesBeforeS })), [
      'd',
      'd/x',
      'l',
      'sub',
      'sub/.stignore',
    ])
    assert.deepEqual(names(await walk(platform, { subs: ['~SYNCTHING~d/x', 'd/.Syncthing.x.tmp'] })), ['d'])
    await platform.disk.lstat(`${platform.root}/d/.Syncthing.x.tmp`) // it may be the user's, so it stays
    assert.deepEqual(names(await walk(platform, { subs: ['l/x'] })), [])
  })

  test(`${name}: a name that is no UTF-8 is a problem, one not in NFC is listed separately`, async () => {
    await using platform = await make()
    await platform.putInvalidName(platform.root)
    await platform.put('e\u0301/x')
    const found = await walk(platform)
    assert.deepEqual(names(found), [])
    assert.deepEqual(
      found.problems.map((problem) => problem.message),
      ['scan: item is not in UTF8 encoding'],
    )
    assert.deepEqual(found.unnormalized, ['e\u0301'])
  })

  test(`${name}: subs are reported with the directories above them, in order, and nothing else`, async () => {
    await using platform = await make()
    for (const path of ['a/b/c/d', 'a/b/x', 'a-b/y', 'a-b/z', 'q']) await platform.put(path)
    assert.deepEqual(names(await walk(platform, { subs: ['a-b/y', 'a/b/c'] })), [
      'a',
      'a-b',
      'a-b/y',
      'a/b',
      'a/b/c',
      'a/b/c/d',
    ])
    assert.deepEqual(names(await walk(platform, { subs: ['a/b/x'] })), ['a', 'a/b', 'a/b/x'])
    assert.deepEqual(names(await walk(platform, { subs: ['nothing/here'] })), [])
    assert.deepEqual(names(await walk(platform, { subs: ['q/below'] })), [])
  })

  test(`${name}: an ignored directory is reported when something below it is not ignored`, async () => {
    await using platform = await make()
    for (const path of ['d/e/keep', 'd/drop', 'd-x', 'o/drop']) await platform.put(path)
    const ignoreLines = ['!keep', 'd', 'o', 'drop']
    assert.deepEqual(names(await walk(platform, { ignoreLines })), ['d', 'd-x', 'd/e', 'd/e/keep'])
    assert.deepEqual(names(await walk(platform, { ignoreLines, subs: ['d/e/keep'] })), ['d', 'd/e', 'd/e/keep'])
    assert.deepEqual(names(await walk(platform, { ignoreLines, subs: ['o/drop'] })), [])
  })

  test(`${name}: old temporary files are removed, and none is reported`, async () => {
    await using platform = await make()
    for (const path of ['.syncthing.a.tmp', '~syncthing~b.tmp', '.syncthing.d/child']) await platform.put(path)
    await platform.disk.setModified(`${platform.root}/.syncthing.a.tmp`, 1_000, 0)
    assert.deepEqual(names(await walk(platform, { removeTemporariesBeforeS: 2_000 })), ['.syncthing.d/child'])
    const left = (await platform.disk.list(platform.root))
      .map((entry) => entry.name)
      .filter((entry) => entry.includes('syncthing'))
      .sort()
    assert.deepEqual(left, ['.syncthing.d', '~syncthing~b.tmp'])
  })

  test(`${name}: items that were moved aside are kept at any age, and reported as such`, async () => {
    await using platform = await make()
    const [file, link] = ['a/.syncthing.f.0123456789abcdef.aside', '.syncthing.l.0123456789abcdef.aside']
    await platform.put(file)
    await platform.disk.setModified(`${platform.root}/${file}`, 1_000, 0)
    await platform.disk.makeSymlink('elsewhere', `${platform.root}/${link}`)
    const found = await walk(platform, { removeTemporariesBeforeS: Number.MAX_SAFE_INTEGER })
    assert.deepEqual([names(found), found.asides], [['a'], [link, file]])
    assert.deepEqual((await walk(platform, { subs: [file] })).asides, [file])
    for (const path of [file, link]) await platform.disk.lstat(`${platform.root}/${path}`)
  })

  test(`${name}: a temporary file in use is kept at any age`, async () => {
    await using platform = await make()
    const paths = ['a/.syncthing.used.tmp', 'a/.syncthing.left.tmp']
    for (const path of paths) {
      await platform.put(path)
      await platform.disk.setModified(`${platform.root}/${path}`, 1_000, 0)
    }
    const keptTemporaries = ['a/.syncthing.used.tmp']
    assert.deepEqual(names(await walk(platform, { removeTemporariesBeforeS: 2_000, keptTemporaries })), ['a'])
    const left = (await platform.disk.list(`${platform.root}/a`)).map((entry) => entry.name)
    assert.deepEqual(left, ['.syncthing.used.tmp'])
  })

  test(`${name}: a symlink that a crash left under a temporary name is removed when it is old`, async () => {
    await using platform = await make()
    await platform.disk.makeSymlink('elsewhere', `${platform.root}/.syncthing.link.tmp`)
    const { modifiedS } = await platform.disk.lstat(`${platform.root}/.syncthing.link.tmp`)
    const left = async () =>
      (await platform.disk.list(platform.root)).map((entry) => entry.name).filter((entry) => entry !== '.stfolder')
    assert.deepEqual(names(await walk(platform, { removeTemporariesBeforeS: modifiedS })), [])
    assert.deepEqual(await left(), ['.syncthing.link.tmp'], 'somebody may be making it just now')
    assert.deepEqual(names(await walk(platform, { removeTemporariesBeforeS: modifiedS + 1 })), [])
    assert.deepEqual(await left(), [])
  })

  test(`${name}: a temporary name of a finished file is removed at any age`, async () => {
    await using platform = await make()
    for (const path of ['f', '.syncthing.other.tmp']) await platform.put(path)
    await platform.disk.linkNew(`${platform.root}/f`, `${platform.root}/.syncthing.f.tmp`)
    assert.deepEqual(names(await walk(platform, { removeTemporariesBeforeS: 2_000 })), ['f'])
    const left = (await platform.disk.list(platform.root))
      .map((entry) => entry.name)
      .filter((entry) => entry !== '.stfolder')
    assert.deepEqual(left.sort(), ['.syncthing.other.tmp', 'f'])
  })

  test(`${name}: more items than fit a batch yield several, in order`, async () => {
    await using platform = await make()
    for (let i = 0; i < 2_500; i++) await platform.put(`d${i % 7}/f${i}`, '')
    const found = names(await walk(platform))
    assert.equal(found.length, 2_507)
    assert.deepEqual(found, [...found].sort())
  })

  test(`${name}: a missing root ends the walk with the system's code`, async () => {
    await using platform = await make()
    await assert.rejects(walk(platform, { root: `${platform.root}/missing` }), { code: 'ENOENT' })
  })

  test(`${name}: an abort ends the walk with its reason, and another walk still works`, async () => {
    await using platform = await make()
    for (let i = 0; i < 1_500; i++) await platform.put(`f${i}`, '')
    const stop = new AbortController()
    const reason = new Error('enough')
    await assert.rejects(
      async () => {
        for await (const _ of platform.walker.walk(
          { root: platform.root, subs: [''], ignoreLines: undefined },
          stop.signal,
        ))
          stop.abort(reason)
      },
      (error) => error === reason,
    )
    assert.equal((await walk(platform)).items.length, 1_500)
  })
}
