import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, inSync, startMember, statusOf, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

interface FileView {
  readonly local: { readonly modified: string; readonly version: readonly string[] }
  readonly mtime: { readonly value: { readonly real: string; readonly virtual: string } }
}

async function viewOf({ daemon }: Member, name: string): Promise<FileView> {
  return (await daemon.get(`/rest/db/file?folder=docs&file=${name}`)) as FileView
}

test('two devices report the same time of a file to the nanosecond, even if the puller could not set it', async () => {
  const rounded = await timesAtBoth({ TWINFOLD_NATIVE: 'off' })
  assert.ok(rounded > 0, 'of thirty times one at least is no fraction that the runtime can set')
})

test('with native calls every time arrives exactly', { skip: process.platform === 'win32' }, async () => {
  assert.equal(await timesAtBoth({}), 0)
})

/** The number of files whose time on disk differs, of thirty. */
async function timesAtBoth(env: Readonly<Record<string, string>>): Promise<number> {
  using scratch = scratchDirectory()
  await using a = await startMember(scratch.path, 'a', { env })
  await using b = await startMember(scratch.path, 'b', { env })
  for (const { root } of [a, b]) mkdirSync(root)
  const names = Array.from({ length: 30 }, (_, i) => `f${i}`)
  for (const name of names) writeFileSync(join(a.root, name), name)
  await connect(a, b)
  await inSync([a, b])
  await eventually(
    'all files are at the other device',
    async () => names.every((name) => lstatSync(join(b.root, name), { throwIfNoEntry: false })) || undefined,
  )
  await inSync([a, b]) // a file is on disk before it is recorded
  let rounded = 0
  for (const name of names) {
    const [here, there] = [await viewOf(a, name), await viewOf(b, name)]
    assert.deepEqual([there.local.modified, there.local.version], [here.local.modified, here.local.version])
    const time = (root: string) => lstatSync(join(root, name), { bigint: true }).mtimeNs
    if (time(a.root) === time(b.root)) continue
    rounded++
    assert.equal(there.mtime.value.virtual, here.local.modified)
    assert.notEqual(there.mtime.value.real, here.local.modified)
  }
  const before = (await statusOf(b)).sequence
  await b.daemon.post('/rest/db/scan?folder=docs')
  assert.equal((await statusOf(b)).sequence, before, 'a scan finds nothing new')
  return rounded
}
