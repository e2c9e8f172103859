import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { file } from '../../db/records.ts'
import { SERVER } from '../../support/config.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { NEVER, SECRET, sha256, ServedDirectory, requestFor } from './served-directory.ts'

const HOSTILE = [
  '../outside/secret',
  '/etc/passwd',
  'a/../../outside/secret',
  './../outside/secret',
  'link',
  'linkdir/secret',
  'deep/linkdir/secret',
  'a//secret',
  'a/./secret',
  '..',
  '.',
  '',
  '/',
  'a\0b',
  '../folder/../outside/secret',
  'linkdir/../outside/secret',
  'x/..',
  '\\..\\outside\\secret',
  'C:\\secret',
  'loop/loop/loop',
  `${'x/'.repeat(3_000)}y`,
  'y'.repeat(300),
  '\ud800',
  'secre\u0301t',
  'fifo',
  '.stfolder',
  '.stfolder/..',
]

test('N-02: no name in a request reads anything outside of the folder', async () => {
  await using served = await ServedDirectory.make()
  await served.put('deep/a', SECRET)
  rmSync(join(served.root, 'deep/a'))
  symlinkSync(join(served.outside, 'secret'), join(served.root, 'link'))
  symlinkSync(served.outside, join(served.root, 'linkdir'))
  symlinkSync('../../outside', join(served.root, 'deep/linkdir'))
  symlinkSync('.', join(served.root, 'loop'))
  const known = HOSTILE.filter((name) => name !== '' && !name.includes('\0') && name.isWellFormed())
  // The worst case: our own index has every one of these names.
  await served.index.records.updateLocal(
    known.map((name) => file(name, { sizeBytes: SECRET.length, blockHashes: sha256(SECRET) })),
  )
  let [tried, leakedBytes] = [0, 0]
  const attempt = async (name: string, fromTemporary: boolean) => {
    const reply = await served.server.serve(SERVER, requestFor(name, SECRET, { fromTemporary }), NEVER)
    tried++
    if (reply.kind === 'data') leakedBytes += reply.data.length
  }
  for (const name of HOSTILE) for (const fromTemporary of [false, true]) await attempt(name, fromTemporary)
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'linkdir',
    'link',
    'loop',
    'deep',
    'outside',
    'secret',
    'folder',
    '\0',
    '~',
    'a',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), (parts) => attempt(parts.join('/'), false)),
    { numRuns: effort(300) },
  )
  assert.equal(leakedBytes, 0)
  assert.deepEqual(readFileSync(join(served.outside, 'secret')), SECRET)
  reportRow({ id: 'N-02', tried, where: 'requests', leakedBytes })
})

test('N-02: a directory that is swapped for a symlink during reads leaks nothing', async () => {
  await using served = await ServedDirectory.make()
  await served.put('swap/secret', Buffer.from('ours'))
  await served.index.records.updateLocal([
    file('swap/secret', { sizeBytes: SECRET.length, blockHashes: sha256(SECRET) }),
  ])
  renameSync(join(served.root, 'swap'), join(served.root, 'kept'))
  symlinkSync(served.outside, join(served.root, 'link'))
  const swap = join(served.root, 'swap')
  const stop = new AbortController()
  let swaps = 0
  const swapping = (async () => {
    while (!stop.signal.aborted) {
      for (const name of ['link', 'kept']) {
        renameSync(join(served.root, name), swap)
        await new Promise((resolve) => setImmediate(resolve))
        renameSync(swap, join(served.root, name))
        swaps++
      }
    }
  })()
  let [tried, leakedBytes] = [0, 0]
  for (let round = 0; round < effort(1_500); round++) {
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => served.server.serve(SERVER, requestFor('swap/secret', SECRET), NEVER)),
    )
    tried += replies.length
    for (const reply of replies) if (reply.kind === 'data') leakedBytes += reply.data.length
  }
  stop.abort()
  await swapping
  assert.equal(leakedBytes, 0)
  reportRow({ id: 'N-02', tried, swaps, where: 'swapped directories', leakedBytes })
})
