import { mkdirSync, writeFileSync } from 'node:fs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createNodeWatcher } from '../../../../src/platform/node/disk/watch.ts'
import type { WatchEvent } from '../../../../src/platform/watch.ts'
import { eventually, scratchDirectory } from '../../../support/scratch.ts'

const skip = process.platform !== 'linux' && 'other systems have no such names'

test('a name that is not UTF-8 is reported as a change of its directory, which a scan lists', { skip }, async () => {
  using scratch = scratchDirectory()
  mkdirSync(join(scratch.path, 'd'))
  const seen: WatchEvent[] = []
  const onError = (error: unknown): void => assert.fail(String(error))
  await using _watch = await createNodeWatcher().watch(
    { root: scratch.path, ignoreLines: undefined },
    (event) => void seen.push(event),
    onError,
  )
  const bytes = (path: string): Buffer =>
    Buffer.concat([Buffer.from(`${join(scratch.path, path)}`), Buffer.from([0xff])])
  writeFileSync(bytes('d/n'), '')
  await eventually(
    `a change of d, seen ${JSON.stringify(seen)}`,
    () => seen.some((event) => event.kind === 'changed' && event.path === 'd') || undefined,
  )
  writeFileSync(bytes('n'), '')
  await eventually(
    `a change of the root, seen ${JSON.stringify(seen)}`,
    () => seen.some(({ kind }) => kind === 'overflow') || undefined,
  )
})

test('the budget counts the watched directories, and none after they are closed', { skip }, async () => {
  using scratch = scratchDirectory()
  mkdirSync(join(scratch.path, 'a', 'b'), { recursive: true })
  const watcher = createNodeWatcher()
  const request = { root: scratch.path, ignoreLines: undefined }
  {
    await using _watch = await watcher.watch(
      request,
      () => {},
      () => {},
    )
    assert.equal(watcher.budget?.()?.used, 3)
    mkdirSync(join(scratch.path, 'c'))
    await eventually('one more', () => (watcher.budget?.()?.used === 4 ? true : undefined))
    assert.ok((watcher.budget?.()?.allowed ?? 0) >= 4)
  }
  assert.equal(watcher.budget?.()?.used, 0)
})
