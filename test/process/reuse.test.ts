import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { someBytes } from '../support/bytes.ts'
import { connect, differencesOf, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const KIB = 1_024
const BLOCK = 128 * KIB
const SIZE = 64 * BLOCK
/** Records of the changed files and all other talk. */
const TALK_BYTES_MAX = 100 * KIB

async function receivedBytes({ daemon }: Member): Promise<number> {
  const { total } = (await daemon.get('/rest/system/connections')) as { total: { inBytesTotal: number } }
  return total.inBytesTotal
}

interface Change {
  readonly name: string
  /** New content, in whole blocks. */
  readonly newBytes: number
  make(root: string, music: string): void
}

const changes: readonly Change[] = [
  {
    name: 'renamed and edited',
    newBytes: BLOCK,
    make: (root) => {
      const data = readFileSync(join(root, 'large'))
      someBytes(BLOCK, 2).copy(data, 10 * BLOCK)
      renameSync(join(root, 'large'), join(root, 'renamed'))
      writeFileSync(join(root, 'renamed'), data)
    },
  },
  {
    name: 'appended to elsewhere',
    newBytes: BLOCK,
    make: (root) =>
      writeFileSync(join(root, 'longer'), Buffer.concat([readFileSync(join(root, 'renamed')), someBytes(BLOCK, 3)])),
  },
  {
    name: 'in another folder',
    newBytes: 2 * BLOCK,
    make: (root, music) => {
      const data = readFileSync(join(root, 'longer'))
      writeFileSync(
        join(music, 'mixed'),
        Buffer.concat([
          someBytes(BLOCK, 4),
          data.subarray(20 * BLOCK),
          someBytes(BLOCK, 5),
          data.subarray(0, 20 * BLOCK),
        ]),
      )
    },
  },
]

test('only new blocks cross the wire: renamed and edited, appended to elsewhere, in another folder', async () => {
  using scratch = scratchDirectory()
  await using a = await startMember(scratch.path, 'a')
  await using b = await startMember(scratch.path, 'b')
  const quiet = { fsWatcherEnabled: false, rescanIntervalS: 0 }
  const music = new Map([a, b].map((member) => [member, `${member.root}-music`]))
  for (const member of [a, b]) for (const path of [member.root, music.get(member)!]) mkdirSync(path)
  writeFileSync(join(a.root, 'large'), someBytes(SIZE, 1))
  await connect(a, b, quiet)
  for (const [self, peer] of [
    [a, b],
    [b, a],
  ] as const) {
    await self.daemon.addFolder('music', music.get(self)!, { devices: [{ deviceID: peer.id }], ...quiet })
  }
  await inSync([a, b])
  for (const { name, newBytes, make } of changes) {
    const before = await receivedBytes(b)
    make(a.root, music.get(a)!)
    for (const folder of ['music', 'docs']) await a.daemon.post(`/rest/db/scan?folder=${folder}`)
    await eventually(
      `${name}: the same on both sides`,
      async () => {
        try {
          return (
            [...differencesOf(a.root, b.root), ...differencesOf(music.get(a)!, music.get(b)!)].length === 0 || undefined
          )
        } catch {
          return undefined // a temporary file got its name while we looked
        }
      },
      60_000,
    )
    const crossed = (await receivedBytes(b)) - before
    assert.ok(
      crossed >= newBytes && crossed < newBytes + TALK_BYTES_MAX,
      `${name}: ${crossed} bytes for ${newBytes} new ones`,
    )
    reportRow({ id: 'block-reuse', what: name, tried: 1, newBytes, crossedBytes: crossed })
  }
})
