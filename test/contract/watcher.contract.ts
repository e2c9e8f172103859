import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disk } from '../../src/platform/disk.ts'
import type { Watcher, WatchEvent } from '../../src/platform/watch.ts'
import { eventually } from '../support/scratch.ts'

export interface WatcherPorts extends AsyncDisposable {
  readonly watcher: Watcher
  readonly disk: Disk
  readonly root: string
  put(path: string, content?: string): Promise<void>
}

/** What every Watcher owes its callers. */
export function watcherContract(name: string, make: () => Promise<WatcherPorts>): void {
  async function watching(
    platform: WatcherPorts,
    ignoreLines?: readonly string[],
  ): Promise<AsyncDisposable & { readonly seen: WatchEvent[] }> {
    const seen: WatchEvent[] = []
    const watch = await platform.watcher.watch(
      { root: platform.root, ignoreLines },
      (event) => seen.push(event),
      (error) => {
        throw error
      },
    )
    return { seen, [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose]() }
  }
  const reported = (seen: readonly WatchEvent[], kind: WatchEvent['kind'], path: string): Promise<true> =>
    eventually(
      `${kind} ${path}, seen ${JSON.stringify(seen)}`,
      () => seen.some((event) => event.kind === kind && 'path' in event && event.path === path) || undefined,
    )

  test(`${name}: creations, edits, moves and removals are reported`, async () => {
    await using platform = await make()
    await platform.put('d/file')
    await using watch = await watching(platform)
    await platform.put('d/new')
    await reported(watch.seen, 'changed', 'd/new')
    await platform.put('d/file', 'edited')
    await reported(watch.seen, 'changed', 'd/file')
    await platform.disk.rename(`${platform.root}/d/file`, `${platform.root}/moved`)
    await reported(watch.seen, 'removed', 'd/file')
    await reported(watch.seen, 'changed', 'moved')
    await platform.disk.removeFile(`${platform.root}/moved`)
    await reported(watch.seen, 'removed', 'moved')
    await platform.disk.chmod(`${platform.root}/d/new`, 0o600)
  })

  test(`${name}: items created in new directories are reported, at any depth and rate`, async () => {
    await using platform = await make()
    await using watch = await watching(platform)
    for (let i = 0; i < 20; i++) await platform.put(`n${i}/a/b/c`)
    for (let i = 0; i < 20; i++) await reported(watch.seen, 'changed', `n${i}/a/b/c`)
    await platform.put('n3/a/b/c', 'edited later')
    await platform.put('n3/a/b/d')
    await reported(watch.seen, 'changed', 'n3/a/b/d')
  })

  test(`${name}: a moved directory is watched at its new path`, async () => {
    await using platform = await make()
    await platform.put('old/deep/file')
    await using watch = await watching(platform)
    await platform.disk.rename(`${platform.root}/old`, `${platform.root}/new`)
    await reported(watch.seen, 'removed', 'old')
    await reported(watch.seen, 'changed', 'new')
    await platform.put('new/deep/later')
    await reported(watch.seen, 'changed', 'new/deep/later')
    assert.ok(!watch.seen.some((event) => 'path' in event && event.path === 'old/deep/later'))
  })

  test(`${name}: a directory that replaces another is watched`, async () => {
    await using platform = await make()
    await platform.put('d/x')
    await using watch = await watching(platform)
    await platform.disk.rename(`${platform.root}/d`, `${platform.root}/e`)
    await platform.disk.makeDirectory(`${platform.root}/d`, 0o755)
    await reported(watch.seen, 'changed', 'e')
    await reported(watch.seen, 'changed', 'd')
    await eventually('a change in the new directory', async () => {
      await platform.put('d/fresh', String(watch.seen.length))
      return watch.seen.some((event) => 'path' in event && event.path === 'd/fresh') || undefined
    })
  })

  test(`${name}: ignored and internal items are not reported`, async () => {
    await using platform = await make()
    await platform.put('ignored/x')
    await using watch = await watching(platform, ['ignored'])
    for (const path of ['ignored/y', '.stfolder/z', '.stversions/v', 'seen']) await platform.put(path)
    await reported(watch.seen, 'changed', 'seen')
    assert.deepEqual(
      watch.seen.filter((event) => 'path' in event && event.path !== 'seen'),
      [],
    )
  })

  test(`${name}: nothing is reported after disposal`, async () => {
    await using platform = await make()
    const watch = await watching(platform)
    await watch[Symbol.asyncDispose]()
    const count = watch.seen.length
    await platform.put('late')
    await using again = await watching(platform)
    await platform.put('later')
    await reported(again.seen, 'changed', 'later')
    assert.equal(watch.seen.length, count)
  })

  test(`${name}: a missing root is rejected`, async () => {
    await using platform = await make()
    await assert.rejects(
      platform.watcher.watch(
        { root: `${platform.root}/missing`, ignoreLines: undefined },
        () => {},
        () => {},
      ),
      { code: 'ENOENT' },
    )
  })
}
