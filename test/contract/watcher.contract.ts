import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disk } from '../../src/platform/disk.ts'
import type { Watcher, WatchEvent } from '../../src/platform/watch.ts'
import { eventually } from '../support/scratch.ts'

export interface WatcherWorld extends AsyncDisposable {
  readonly watcher: Watcher
  readonly disk: Disk
  readonly root: string
  put(path: string, content?: string): Promise<void>
}

/** What every Watcher owes its callers. */
export function watcherContract(name: string, make: () => Promise<WatcherWorld>): void {
  async function watching(world: WatcherWorld, ignoreLines?: readonly string[]): Promise<AsyncDisposable & { readonly seen: WatchEvent[] }> {
    const seen: WatchEvent[] = []
    const watch = await world.watcher.watch({ root: world.root, ignoreLines }, (event) => seen.push(event), (error) => { throw error })
    return { seen, [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose]() }
  }
  const told = (seen: readonly WatchEvent[], kind: WatchEvent['kind'], path: string): Promise<true> =>
    eventually(`${kind} ${path}, seen ${JSON.stringify(seen)}`, () => seen.some((event) => event.kind === kind && 'path' in event && event.path === path) || undefined)

  test(`${name}: makes, edits, moves and removals are told`, async () => {
    await using world = await make()
    await world.put('d/file')
    await using watch = await watching(world)
    await world.put('d/new')
    await told(watch.seen, 'changed', 'd/new')
    await world.put('d/file', 'edited')
    await told(watch.seen, 'changed', 'd/file')
    await world.disk.rename(`${world.root}/d/file`, `${world.root}/moved`)
    await told(watch.seen, 'removed', 'd/file')
    await told(watch.seen, 'changed', 'moved')
    await world.disk.removeFile(`${world.root}/moved`)
    await told(watch.seen, 'removed', 'moved')
    await world.disk.chmod(`${world.root}/d/new`, 0o600)
  })

  test(`${name}: what is made in new directories is told, however deep and fast`, async () => {
    await using world = await make()
    await using watch = await watching(world)
    for (let i = 0; i < 20; i++) await world.put(`n${i}/a/b/c`)
    for (let i = 0; i < 20; i++) await told(watch.seen, 'changed', `n${i}/a/b/c`)
    await world.put('n3/a/b/c', 'edited later')
    await world.put('n3/a/b/d')
    await told(watch.seen, 'changed', 'n3/a/b/d')
  })

  test(`${name}: a directory that was moved is watched where it is now`, async () => {
    await using world = await make()
    await world.put('old/deep/file')
    await using watch = await watching(world)
    await world.disk.rename(`${world.root}/old`, `${world.root}/new`)
    await told(watch.seen, 'removed', 'old')
    await told(watch.seen, 'changed', 'new')
    await world.put('new/deep/later')
    await told(watch.seen, 'changed', 'new/deep/later')
    assert.ok(!watch.seen.some((event) => 'path' in event && event.path === 'old/deep/later'))
  })

  test(`${name}: a directory put in the place of another is watched`, async () => {
    await using world = await make()
    await world.put('d/x')
    await using watch = await watching(world)
    await world.disk.rename(`${world.root}/d`, `${world.root}/e`)
    await world.disk.makeDirectory(`${world.root}/d`, 0o755)
    await told(watch.seen, 'changed', 'e')
    await told(watch.seen, 'changed', 'd')
    await eventually('a change in the new directory', async () => {
      await world.put('d/fresh', String(watch.seen.length))
      return watch.seen.some((event) => 'path' in event && event.path === 'd/fresh') || undefined
    })
  })

  test(`${name}: what is ignored or internal is not told`, async () => {
    await using world = await make()
    await world.put('ignored/x')
    await using watch = await watching(world, ['ignored'])
    for (const path of ['ignored/y', '.stfolder/z', '.stversions/v', 'seen']) await world.put(path)
    await told(watch.seen, 'changed', 'seen')
    assert.deepEqual(watch.seen.filter((event) => 'path' in event && event.path !== 'seen'), [])
  })

  test(`${name}: nothing is told after the end`, async () => {
    await using world = await make()
    const watch = await watching(world)
    await watch[Symbol.asyncDispose]()
    const count = watch.seen.length
    await world.put('late')
    await using again = await watching(world)
    await world.put('later')
    await told(again.seen, 'changed', 'later')
    assert.equal(watch.seen.length, count)
  })

  test(`${name}: a root that is not there is refused`, async () => {
    await using world = await make()
    await assert.rejects(world.watcher.watch({ root: `${world.root}/missing`, ignoreLines: undefined }, () => {}, () => {}), { code: 'ENOENT' })
  })
}
