import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Disk } from '../../src/platform/disk.ts'
import type { Hasher, HashJob } from '../../src/platform/hasher.ts'

export interface HasherWorld extends AsyncDisposable {
  readonly hasher: Hasher
  readonly disk: Disk
  readonly root: string
  put(path: string, content: Uint8Array): Promise<void>
  putPipe(path: string): Promise<void>
}

const NEVER = new AbortController().signal
const KIB = 1_024

/** What every Hasher owes its callers. */
export function hasherContract(name: string, make: () => Promise<HasherWorld>): void {
  async function job(world: HasherWorld, path: string, blockSizeBytes = 128 * KIB): Promise<HashJob> {
    const { sizeBytes, modifiedS, modifiedNs } = await world.disk.lstat(`${world.root}/${path}`)
    return { path: `${world.root}/${path}`, sizeBytes, modifiedS, modifiedNs, blockSizeBytes }
  }

  for (const sizeBytes of [0, 1, 128 * KIB - 1, 128 * KIB, 128 * KIB + 1, 1_300 * KIB, 70 * KIB * KIB + 5]) {
    test(`${name}: ${sizeBytes} bytes give the hashes of their blocks`, async () => {
      await using world = await make()
      const content = new Uint8Array(sizeBytes).map((_, i) => i * 7 + (i >> 8))
      await world.put('file', content)
      let told = 0
      const [result] = await world.hasher.hash([await job(world, 'file')], (count) => { told += count }, NEVER)
      assert.ok(result?.kind === 'hashed')
      const blocks: Buffer[] = []
      for (let at = 0; at < sizeBytes || at === 0; at += 128 * KIB) {
        blocks.push(createHash('sha256').update(content.subarray(at, at + 128 * KIB)).digest())
      }
      assert.deepEqual(Buffer.from(result.blockHashes), Buffer.concat(blocks))
      assert.deepEqual(Buffer.from(result.blocksHash), createHash('sha256').update(Buffer.concat(blocks)).digest())
      assert.equal(told, sizeBytes)
    })
  }

  test(`${name}: many jobs have their results in order, whatever became of each`, async () => {
    await using world = await make()
    const jobs: HashJob[] = []
    for (let i = 0; i < 600; i++) {
      await world.put(`f${i}`, Buffer.from(`content ${i}`))
      jobs.push(await job(world, `f${i}`))
    }
    await world.disk.removeFile(`${world.root}/f100`)
    await world.put('f200', Buffer.from('another size altogether'))
    const results = await world.hasher.hash(jobs, () => {}, NEVER)
    assert.equal(results.length, 600)
    results.forEach((result, i) => {
      if (i === 100) assert.ok(result.kind === 'failed' && result.code === 'ENOENT')
      else if (i === 200) assert.equal(result.kind, 'changed')
      else {
        assert.ok(result.kind === 'hashed')
        assert.deepEqual(Buffer.from(result.blockHashes), createHash('sha256').update(`content ${i}`).digest())
      }
    })
  })

  test(`${name}: a symlink, a directory or a pipe in place of the file is never hashed`, async () => {
    await using world = await make()
    await world.put('file', Buffer.from('secret'))
    const wanted = await job(world, 'file')
    await world.disk.makeSymlink('file', `${world.root}/link`)
    await world.disk.makeDirectory(`${world.root}/directory`, 0o755)
    await world.putPipe(`${world.root}/pipe`)
    const paths = ['link', 'directory', 'pipe'].map((path) => ({ ...wanted, path: `${world.root}/${path}` }))
    for (const jobs of [paths, ...paths.map((one) => [one])]) {
      for (const result of await world.hasher.hash(jobs, () => {}, NEVER)) assert.notEqual(result.kind, 'hashed')
    }
  })

  test(`${name}: no jobs, no results; an abort before the start is an abort`, async () => {
    await using world = await make()
    assert.deepEqual(await world.hasher.hash([], () => {}, NEVER), [])
    const reason = new Error('stop')
    await world.put('file', Buffer.from('content'))
    const one = await job(world, 'file')
    for (const jobs of [[one], [one, one]]) {
      let told = 0
      const hashing = world.hasher.hash(jobs, (count) => { told += count }, AbortSignal.abort(reason))
      await assert.rejects(hashing, (error) => error === reason)
      assert.equal(told, 0)
    }
  })

  test(`${name}: an abort in the middle rejects with the reason given`, async () => {
    await using world = await make()
    const jobs: HashJob[] = []
    for (let i = 0; i < 1_200; i++) {
      await world.put(`f${i}`, Buffer.from(`${i}`))
      jobs.push(await job(world, `f${i}`))
    }
    const stop = new AbortController()
    const reason = new Error('stop')
    await assert.rejects(world.hasher.hash(jobs, () => stop.abort(reason), stop.signal), (error) => error === reason)
  })
}
