import assert from 'node:assert/strict'
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startMember } from '../support/daemon-pair.ts'
import { treeItems } from '../support/tree-compare.ts'
import { startWindows, windowsDirectory } from '../support/windows.ts'
import { put, scan, share, untilEqual } from './scene.ts'

test('two Twinfolds, on Windows and on Linux, keep nested directories in sync both ways', async () => {
  using scratch = windowsDirectory()
  await using windows = await startWindows(scratch.path)
  await using linux = await startMember(scratch.path, 'linux')
  for (const [member, prefix] of [
    [windows, 'w'],
    [linux, 'l'],
  ] as const) {
    put(member.root, `${prefix}.txt`, prefix)
    for (let i = 0; i < 20; i++)
      put(member.root, `${prefix}-a/b${i % 3}/c/d${i % 2}/${i}.txt`, `${prefix} ${i}`, 1_600_000_000 + i)
    put(member.root, `${prefix}-large/deep/er/large.bin`, Buffer.alloc(3_000_000, prefix))
    mkdirSync(join(member.root, `${prefix}-empty/inner`), { recursive: true })
  }
  chmodSync(join(linux.root, 'l.txt'), 0o755)
  chmodSync(join(linux.root, 'l-a/b0/c/d0/0.txt'), 0o640)
  chmodSync(join(linux.root, 'l-a/b1'), 0o750)
  await share(windows, linux)
  await untilEqual([windows, linux])
  assert.ok(treeItems(linux.root).size > 60)

  // An edit, a rename and a deletion on each side.
  put(windows.root, 'l-a/b0/c/d0/0.txt', 'edited on Windows')
  put(linux.root, 'w-a/b0/c/d0/0.txt', 'edited on Linux')
  for (const [{ root }, other] of [
    [windows, 'l'],
    [linux, 'w'],
  ] as const) {
    renameSync(join(root, `${other}-large/deep`), join(root, `${other}-large/moved`))
    rmSync(join(root, `${other}-a/b2`), { recursive: true })
  }
  await scan(windows)
  await scan(linux)
  await untilEqual([windows, linux])
  assert.equal(readFileSync(join(linux.root, 'l-a/b0/c/d0/0.txt'), 'utf8'), 'edited on Windows')
  assert.equal(readFileSync(join(windows.root, 'w-a/b0/c/d0/0.txt'), 'utf8'), 'edited on Linux')
  const modeOf = (name: string) => (lstatSync(join(linux.root, name)).mode & 0o777).toString(8)
  const modes = ['l.txt', 'l-a/b0/c/d0/0.txt', 'l-a/b1'].map(modeOf)
  assert.deepEqual(modes, ['755', '640', '750'], 'permission bits are neither lost nor spread')
})
