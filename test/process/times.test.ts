import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, inSync, startMember, statusOf, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
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
  assert.ok(rounded >= FILES - 1, `${rounded} times are rounded: of neighbours at most one can be set exactly`)
})

test('with native calls every time arrives exactly', { skip: process.platform === 'win32' }, async () => {
  assert.equal(await timesAtBoth({}), 0)
})

const FILES = 30

/** The number of files whose time on disk differs. Without native calls only multiples of 2^-22 s can be set. */
async function timesAtBoth(env: Readonly<Record<string, string>>): Promise<number> {
  using scratch = scratchDirectory()
  await using a = await startMember(scratch.path, 'a', { env })
  await using b = await startMember(scratch.path, 'b', { env })
  for (const { root } of [a, b]) mkdirSync(root)
  const names = Array.from({ length: FILES }, (_, i) => `f${i}`)
  for (const [i, name] of names.entries()) {
    writeFileSync(join(a.root, name), name)
    const { status } = spawnSync('touch', ['-d', `@1700000000.1234567${10 + i}`, join(a.root, name)])
    assert.equal(status, 0)
  }
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

/** Seconds: 1901, 1969, the limits of 31 and 32 bits with their neighbours, and the last of ext4. */
const SECONDS = [-(2 ** 31), -1, 0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 15_032_385_535]

/** Only a failure takes so long: a machine of load 20 needed half a minute. */
const LIMIT_MS = 240_000

test('C-13: files of any time arrive with it, and no scan takes them for changed', async () => {
  using scratch = scratchDirectory()
  await using a = await startMember(scratch.path, 'a')
  await using b = await startMember(scratch.path, 'b')
  for (const { root } of [a, b]) mkdirSync(root)
  const time = (root: string, name: string) => lstatSync(join(root, name), { bigint: true }).mtimeNs
  // Some disks cannot store them all: what was stored counts.
  const wanted = new Map<string, bigint>()
  for (const seconds of SECONDS) {
    const name = `at ${seconds}`
    writeFileSync(join(a.root, name), name)
    const { status } = spawnSync('touch', ['-d', `@${seconds}.000000001`, join(a.root, name)])
    assert.equal(status, 0)
    wanted.set(name, time(a.root, name))
  }
  assert.ok(new Set(wanted.values()).size >= SECONDS.length - 2, 'this disk has no such times')
  await connect(a, b)
  await eventually(
    'all files are at the other device',
    () => [...wanted.keys()].every((name) => lstatSync(join(b.root, name), { throwIfNoEntry: false })) || undefined,
    LIMIT_MS,
  )
  await inSync([a, b], LIMIT_MS) // a file is on disk before it is recorded
  const different = [...wanted].filter(([name, ns]) => time(b.root, name) !== ns).map(([name]) => name)
  assert.deepEqual(different, [])
  for (const member of [a, b]) {
    const before = (await statusOf(member)).sequence
    await member.daemon.post('/rest/db/scan?folder=docs')
    assert.equal((await statusOf(member)).sequence, before, 'a scan finds nothing new')
  }
  reportRow({ id: 'C-13', part: 'times of real files', tried: wanted.size, different: different.length })
})
