import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Disk } from '../../src/platform/disk.ts'
import type { Hasher, HashJob } from '../../src/platform/hasher.ts'

export interface HasherPorts extends AsyncDisposable {
  readonly hasher: Hasher
  readonly disk: Disk
  readonly root: string
  put(path: string, content: Uint8Array): Promise<void>
  putPipe(path: string): Promise<void>
}

const NEVER = new AbortController().signal
const KIB = 1_024

/** What every Hasher owes its callers. */
export function hasherContract(name: string, make: () => Promise<HasherPorts>): void {
  async function job(platform: HasherPorts, path: string, blockSizeBytes = 128 * KIB): Promise<HashJob> {
    const { sizeBytes, modifiedS, modifiedNs } = await platform.disk.lstat(`${platform.root}/${path}`)
    return { path: `${platform.root}/${path}`, sizeBytes, modifiedS, modifiedNs, blockSizeBytes }
  }

  for (const sizeBytes of [0, 1, 128 * KIB - 1, 128 * KIB, 128 * KIB + 1, 1_300 * KIB, 70 * KIB * KIB + 5]) {
    test(`${name}: ${sizeBytes} bytes yield the hashes of their blocks`, async () => {
      await using platform = await make()
      const content = new Uint8Array(sizeBytes).map((_, i) => i * 7 + (i >> 8))
      await platform.put('file', content)
      let reported = 0
      const [result] = await platform.hasher.hash(
        [await job(platform, 'file')],
        (count) => {
          reported += count
        },
        NEVER,
      )
      assert.ok(result?.kind === 'hashed')
      const blocks: Buffer[] = []
      for (let at = 0; at < sizeBytes || at === 0; at += 128 * KIB) {
        blocks.push(
          createHash('sha256')
            .update(content.subarray(at, at + 128 * KIB))
            .digest(),
        )
      }
      assert.deepEqual(Buffer.from(result.blockHashes), Buffer.concat(blocks))
      assert.deepEqual(Buffer.from(result.blocksHash), createHash('sha256').update(Buffer.concat(blocks)).digest())
      assert.equal(reported, sizeBytes)
    })
  }

  test(`${name}: many jobs return their results in order, also failures`, async () => {
    await using platform = await make()
    const jobs: HashJob[] = []
    for (let i = 0; i < 600; i++) {
      await platform.put(`f${i}`, Buffer.from(`content ${i}`))
      jobs.push(await job(platform, `f${i}`))
    }
    await platform.disk.removeFile(`${platform.root}/f100`)
    await platform.put('f200', Buffer.from('another size altogether'))
    const results = await platform.hasher.hash(jobs, () => {}, NEVER)
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
    await using platform = await make()
    await platform.put('file', Buffer.from('secret'))
    const wanted = await job(platform, 'file')
    await platform.disk.makeSymlink('file', `${platform.root}/link`)
    await platform.disk.makeDirectory(`${platform.root}/directory`, 0o755)
    await platform.putPipe(`${platform.root}/pipe`)
    const paths = ['link', 'directory', 'pipe'].map((path) => ({ ...wanted, path: `${platform.root}/${path}` }))
    for (const jobs of [paths, ...paths.map((one) => [one])]) {
      for (const result of await platform.hasher.hash(jobs, () => {}, NEVER)) assert.notEqual(result.kind, 'hashed')
    }
  })

  test(`${name}: no jobs, no results; an abort before the start is an abort`, async () => {
    await using platform = await make()
    assert.deepEqual(await platform.hasher.hash([], () => {}, NEVER), [])
    const reason = new Error('stop')
    await platform.put('file', Buffer.from('content'))
    const one = await job(platform, 'file')
    for (const jobs of [[one], [one, one]]) {
      let reported = 0
      const hashing = platform.hasher.hash(
        jobs,
        (count) => {
          reported += count
        },
        AbortSignal.abort(reason),
      )
      await assert.rejects(hashing, (error) => error === reason)
      assert.equal(reported, 0)
    }
  })

  test(`${name}: an abort during the work rejects with its reason`, async () => {
    await using platform = await make()
    const jobs: HashJob[] = []
    for (let i = 0; i < 1_200; i++) {
      await platform.put(`f${i}`, Buffer.from(`${i}`))
      jobs.push(await job(platform, `f${i}`))
    }
    const stop = new AbortController()
    const reason = new Error('stop')
    await assert.rejects(
      platform.hasher.hash(jobs, () => stop.abort(reason), stop.signal),
      (error) => error === reason,
    )
  })
}
