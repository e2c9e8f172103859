import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { NodeFile } from '../../../../src/platform/node/disk/disk-file.ts'
import { scratchDirectory } from '../../../support/scratch.ts'

/** A handle that counts the calls that are made in a thread. */
async function countingHandle(path: string): Promise<{ readonly handle: FileHandle; readonly calls: string[] }> {
  const handle = await open(path, 'w+')
  const calls: string[] = []
  const counted = new Proxy(handle, {
    get: (object, key) => {
      const value: unknown = Reflect.get(object, key, object)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) => {
        calls.push(String(key))
        return value.apply(object, args)
      }
    },
  })
  return { handle: counted, calls }
}

for (const isQuick of [true, false]) {
  test(`a small write and a state take no thread where the file system is quick (${isQuick})`, async () => {
    using scratch = scratchDirectory()
    const path = join(scratch.path, 'file')
    const { handle, calls } = await countingHandle(path)
    await using file = new NodeFile(handle, 'write', { isQuick })
    await file.write(Buffer.from('content'), 3)
    assert.equal((await file.stat()).sizeBytes, 10)
    assert.deepEqual(calls, isQuick ? [] : ['write', 'stat'])
    await file.write(Buffer.alloc(100_000, 'x'), 10)
    assert.equal(calls.at(-1), 'write', 'a large one may wait for the disk')
    assert.equal((await file.stat()).sizeBytes, 100_010)
    assert.equal(readFileSync(path, 'latin1').slice(0, 12), '\0\0\0contentxx')
  })
}
