import assert from 'node:assert/strict'
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStore } from '../../src/db/store.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { nodeRandom } from '../../src/platform/node/random.ts'
import { quietLogger } from '../support/logger.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { file, FOLDER } from './records.ts'

const MIB = 1_024 * 1_024

test('the check of pages finds a database that was overwritten while it was open, up to a size', async () => {
  using scratch = scratchDirectory()
  const deps = { disk: nodeDisk, clock: nodeClock, random: nodeRandom, log: quietLogger('db') }
  await using store = await openStore({ directory: scratch.path, ...deps })
  const index = await store.folder(FOLDER)
  // More than the cache holds, so that the check reads the file.
  for (let batch = 0; batch < 60; batch++) {
    const names = Array.from({ length: 500 }, (_none, at) => `${'directory/'.repeat(30)}${batch}-${at}`)
    await index.records.updateLocal(names.map((name) => file(name)))
  }
  assert.deepEqual(await store.checkPages(512 * MIB), [], 'a sound one')
  const name = readdirSync(scratch.path).find((each) => /^folder-.*\.db$/.test(each))!
  const descriptor = openSync(join(scratch.path, name), 'r+')
  for (let at = 1; at <= 8; at++) writeSync(descriptor, Buffer.alloc(64 * 1_024, 0xa5), 0, 64 * 1_024, at * MIB)
  closeSync(descriptor)
  assert.deepEqual(await store.checkPages(1 * MIB), [], 'a larger one is not read')
  const [[folder, reason] = []] = await store.checkPages(512 * MIB)
  assert.equal(folder, FOLDER)
  assert.match(reason ?? '', /damaged|malformed|page/i)
  assert.equal(await (await store.folder(FOLDER)).exchange.sequence('local'), 0, 'an empty one replaces it')
  assert.equal(store.recoveries.length, 1)
})
