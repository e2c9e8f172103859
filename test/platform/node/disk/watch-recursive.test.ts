/** The watcher of macOS and Windows, over the recursive `fs.watch` that Node has on Linux as well. */
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { IgnoreRules } from '../../../../src/core/ignore/ignore.ts'
import { watchRecursively } from '../../../../src/platform/node/disk/watch-recursive.ts'
import type { WatchEvent } from '../../../../src/platform/watch.ts'
import { eventually, scratchDirectory } from '../../../support/scratch.ts'

test('the recursive watcher reports what is there and what is gone, and nothing internal or ignored', async () => {
  using scratch = scratchDirectory()
  const at = (name: string) => join(scratch.path, name)
  mkdirSync(at('d'))
  const seen: WatchEvent[] = []
  const fail = (error: Error) => assert.fail(error)
  const rules = new IgnoreRules(['caf\u00e9'])
  await using _watch = await watchRecursively(scratch.path, rules, (event) => seen.push(event), fail)
  const reported = (kind: WatchEvent['kind'], path: string) =>
    eventually(
      `${kind} ${path}: ${JSON.stringify(seen)}`,
      () => seen.some((event) => event.kind === kind && 'path' in event && event.path === path) || undefined,
    )
  writeFileSync(at('.stignore'), 'x')
  writeFileSync(at('cafe\u0301'), 'ignored in the other Unicode form')
  writeFileSync(at('d/one'), 'x')
  await reported('changed', 'd/one')
  renameSync(at('d/one'), at('d/two'))
  await reported('removed', 'd/one')
  await reported('changed', 'd/two')
  rmSync(at('d/two'))
  await reported('removed', 'd/two')
  const paths = new Set(seen.map((event) => ('path' in event ? event.path : event.kind)))
  assert.deepEqual([...paths].filter((path) => path !== 'd').sort(), ['d/one', 'd/two'])
})
