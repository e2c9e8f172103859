import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { systemCode } from '../../src/core/errors.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { effort } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'

/** So deep that no path below leads out of what the test may touch. */
const DEPTH = '/1/2/3/4'

/** Paths that meet each other: files where directories were, links to links, dots. */
const path = fc
  .array(fc.constantFrom('a', 'b', 'c', '..', '.', ''), { maxLength: 2 })
  .chain((parts) => fc.constantFrom('a', 'b', 'c').map((last) => [...parts, last].join('/')))
const target = fc.constantFrom('a', 'b', 'c', 'a/b', '../a', '.', 'nowhere', './c')
const text = fc.constantFrom('', 'x', 'hello', 'longer content '.repeat(20))
const mode = fc.constantFrom(0o700, 0o755, 0o777)

type Step = (disk: Disk, root: string) => Promise<unknown>

function act(what: string, run: Step): readonly [what: string, run: Step] {
  return [what, run]
}

const step = fc.oneof(
  fc.tuple(path, text).map(([p, t]) => act(`create ${p} ${t.length}`, (disk, root) => create(disk, `${root}/${p}`, t))),
  fc
    .tuple(path, text, fc.nat(9_000))
    .map(([p, t, at]) => act(`write ${p} ${t.length}@${at}`, (disk, root) => write(disk, `${root}/${p}`, t, at))),
  fc
    .tuple(path, fc.nat(9_000))
    .map(([p, size]) => act(`truncate ${p} ${size}`, (disk, root) => truncate(disk, `${root}/${p}`, size))),
  path.map((p) => act(`read ${p}`, (disk, root) => read(disk, `${root}/${p}`))),
  path.map((p) => act(`lstat ${p}`, (disk, root) => look(disk, `${root}/${p}`))),
  path.map((p) => act(`stat ${p}`, async (disk, root) => (await disk.stat(`${root}/${p}`)).type)),
  path.map((p) => act(`list ${p}`, (disk, root) => names(disk, `${root}/${p}`))),
  fc.tuple(path, mode).map(([p, m]) => act(`mkdir ${p}`, (disk, root) => disk.makeDirectory(`${root}/${p}`, m))),
  fc.tuple(path, mode).map(([p, m]) => act(`mkdirs ${p}`, (disk, root) => makeAll(disk, `${root}/${p}`, m))),
  path.map((p) => act(`unlink ${p}`, (disk, root) => disk.removeFile(`${root}/${p}`))),
  path.map((p) => act(`rmdir ${p}`, (disk, root) => disk.removeDirectory(`${root}/${p}`))),
  fc
    .tuple(path, path)
    .map(([p, q]) => act(`rename ${p} ${q}`, (disk, root) => disk.rename(`${root}/${p}`, `${root}/${q}`))),
  fc.tuple(target, path).map(([t, p]) => act(`symlink ${t} ${p}`, (disk, root) => disk.makeSymlink(t, `${root}/${p}`))),
  path.map((p) => act(`readlink ${p}`, (disk, root) => disk.readSymlink(`${root}/${p}`))),
  fc.tuple(path, mode).map(([p, m]) => act(`chmod ${p} ${m}`, (disk, root) => disk.chmod(`${root}/${p}`, m))),
  path.map((p) => act(`utime ${p}`, (disk, root) => disk.setModified(`${root}/${p}`, 1_000, 0))),
  path.map((p) => act(`realpath ${p}`, (disk, root) => realBelow(disk, root, p))),
)

test('the same calls have the same outcome on the real and on the simulated disk', async () => {
  let tried = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      using scratch = scratchDirectory()
      const sim = new SimDisk(new SimClock(), { umask: process.umask() })
      const roots = [`${scratch.path}${DEPTH}`, `/root${DEPTH}`] as const
      await nodeDisk.makeDirectories(roots[0], 0o755)
      await sim.makeDirectories(roots[1], 0o755)
      for (const [what, run] of steps) {
        const [expected, actual] = [await outcome(run(nodeDisk, roots[0])), await outcome(run(sim, roots[1]))]
        assert.deepEqual(actual, expected, `${what}, in: ${steps.map(([name]) => name).join(', ')}`)
        tried++
      }
      assert.deepEqual(await tree(sim, '/root'), await tree(nodeDisk, scratch.path))
    }),
    { numRuns: effort(150) },
  )
  assert.ok(tried > 1_000)
})

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await promise }
  } catch (error) {
    return { code: systemCode(error) ?? String(error) }
  }
}

/** Either of two codes is valid for an existing dangling symlink. */
async function makeAll(disk: Disk, at: string, bits: number): Promise<unknown> {
  try {
    return await disk.makeDirectories(at, bits)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'no way'
    throw error
  }
}

async function create(disk: Disk, at: string, content: string): Promise<void> {
  await using file = await disk.open(at, 'create', 0o644)
  await file.write(Buffer.from(content), 0)
}

async function write(disk: Disk, at: string, content: string, positionBytes: number): Promise<void> {
  await using file = await disk.open(at, 'write')
  await file.write(Buffer.from(content), positionBytes)
}

async function truncate(disk: Disk, at: string, sizeBytes: number): Promise<void> {
  await using file = await disk.open(at, 'write')
  await file.truncate(sizeBytes)
}

async function read(disk: Disk, at: string): Promise<string> {
  await using file = await disk.open(at, 'read')
  const into = Buffer.alloc(20_000)
  return into.toString('latin1', 0, await file.read(into, 0))
}

async function look(disk: Disk, at: string): Promise<object> {
  const { type, mode: bits, sizeBytes } = await disk.lstat(at)
  return type === 'directory' ? { type, bits } : { type, sizeBytes, bits }
}

async function names(disk: Disk, at: string): Promise<string[]> {
  return (await disk.list(at)).map(({ name }) => name).sort()
}

async function realBelow(disk: Disk, root: string, at: string): Promise<string> {
  const top = await disk.realPath(root.slice(0, -DEPTH.length))
  return (await disk.realPath(`${root}/${at}`)).slice(top.length)
}

async function tree(disk: Disk, at: string): Promise<object> {
  const found: Record<string, unknown> = {}
  for (const { name } of await disk.list(at)) {
    const child = `${at}/${name}`
    const { type, mode: bits } = await disk.lstat(child)
    if (type === 'directory') found[name] = { bits, below: await tree(disk, child) }
    else found[name] = { bits, content: type === 'symlink' ? await disk.readSymlink(child) : await read(disk, child) }
  }
  return found
}
