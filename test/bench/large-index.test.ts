import { test } from 'node:test'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { benchFolder, largeIndex, NEEDED_OF, writeLargeIndex } from '../../bench/large-index.ts'
import { openStore } from '../../src/db/store.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { nodeRandom } from '../../src/platform/node/random.ts'
import { quietLogger } from '../support/logger.ts'
import { scratchDirectory } from '../support/scratch.ts'

const OWN = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'
const OTHER = 'AIR6LPZ-7K4PTTV-UXQSMUU-CPQ5YWH-OEDFIIQ-JUG777G-2YQXXR5-YD6AWQR'
const FILES = 1_000

test('an index written directly passes the check of every row, and has needs and a history', async () => {
  using scratch = scratchDirectory()
  const directory = join(scratch.path, 'index')
  await writeLargeIndex(directory, largeIndex(FILES), { own: OWN, other: OTHER })
  await nodeDisk.removeFile(join(directory, 'folder-62656e6368.db.seal')) // so that opening it checks every row
  const deps = { disk: nodeDisk, clock: nodeClock, random: nodeRandom, log: quietLogger('db') }
  await using store = await openStore({ directory, ...deps })
  const { needs, history } = await store.folder(benchFolder())
  assert.deepEqual(store.recoveries, [])
  const { global, need } = await needs.counts()
  assert.equal(global.files, FILES)
  assert.equal(need.files, FILES / NEEDED_OF)
  assert.ok((await history.lastBatch()) > 0)
})
