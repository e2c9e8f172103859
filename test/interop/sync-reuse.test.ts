import assert from 'node:assert/strict'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { someBytes } from '../support/bytes.ts'
import { reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { link, Network } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const BLOCK = 128 * 1_024
const SIZE = 64 * BLOCK
/** Records of the changed files and all other talk. */
const TALK_BYTES_MAX = 200 * 1_024

test(
  'of what a Syncthing renamed, edited and put together only the new blocks are fetched',
  { skip: missingSyncthing() ?? false },
  async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [twinfold, syncthing] = await Promise.all([
      network.add('twinfold', 'twinfold'),
      network.add('syncthing', 'syncthing'),
    ])
    const at = (name: string) => join(syncthing.root, name)
    writeFileSync(at('large'), someBytes(SIZE, 1))
    await link([[twinfold, syncthing]])
    await untilInSync([twinfold, syncthing])
    const received = async () => (await twinfold.connectionTo(syncthing))?.inBytesTotal ?? 0
    const expectOnly = async (what: string, newBytes: number) => {
      const before = await received()
      await syncthing.scan()
      await untilInSync([twinfold, syncthing])
      const crossed = (await received()) - before
      assert.ok(
        crossed >= newBytes && crossed < newBytes + TALK_BYTES_MAX,
        `${what}: ${crossed} bytes for ${newBytes} new ones`,
      )
      reportRow({ id: 'block-reuse', source: 'syncthing', what, tried: 1, newBytes, crossedBytes: crossed })
    }

    const edited = readFileSync(at('large'))
    someBytes(BLOCK, 2).copy(edited, 10 * BLOCK)
    renameSync(at('large'), at('renamed'))
    writeFileSync(at('renamed'), edited)
    await expectOnly('renamed and edited', BLOCK)

    writeFileSync(
      at('mixed'),
      Buffer.concat([someBytes(BLOCK, 3), edited.subarray(30 * BLOCK), edited.subarray(0, 30 * BLOCK)]),
    )
    await expectOnly('put together', BLOCK)
  },
)
