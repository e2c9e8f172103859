import assert from 'node:assert/strict'
import { chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const USER = 54_321
const GROUP = 54_322

function ownersIn(root: string): readonly string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('.'))
  return names.sort().map((name) => {
    const { uid, gid } = lstatSync(join(root, name))
    return `${name} ${uid}:${gid}`
  })
}

async function sameOwners([a, b]: readonly [Member, Member]): Promise<void> {
  await a.daemon.post('/rest/db/scan?folder=docs')
  await eventually('the owners are the same', async () => {
    await inSync([a, b])
    return ownersIn(a.root).join('\n') === ownersIn(b.root).join('\n') || undefined
  })
}

test(
  'owners follow the files where both sides want that',
  { skip: process.getuid?.() !== 0 && 'only root may give files away' },
  async () => {
    using scratch = scratchDirectory()
    await using a = await startMember(scratch.path, 'a')
    await using b = await startMember(scratch.path, 'b')
    mkdirSync(join(a.root, 'd'), { recursive: true })
    writeFileSync(join(a.root, 'd/small'), 'x')
    writeFileSync(join(a.root, 'large'), Buffer.alloc(300_000, 'l'))
    symlinkSync('large', join(a.root, 'link'))
    for (const name of ['d', 'd/small', 'link']) lchownSync(join(a.root, name), USER, GROUP)
    await connect(a, b, { syncOwnership: true })
    await sameOwners([a, b])
    assert.deepEqual(ownersIn(b.root), [
      `d ${USER}:${GROUP}`,
      `d/small ${USER}:${GROUP}`,
      'large 0:0',
      `link ${USER}:${GROUP}`,
    ])
    // A change of owner alone is a change.
    chownSync(join(a.root, 'large'), USER, 0)
    await sameOwners([a, b])
    assert.ok(ownersIn(b.root).includes(`large ${USER}:0`))
  },
)
