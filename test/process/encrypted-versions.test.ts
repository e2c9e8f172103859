import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addPeer, startMember, statusOf, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const LIMIT_MS = 60_000

/** Paths of files, without the marker. */
function filesOf(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = entries.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  return names.filter((name) => !name.startsWith('.stfolder'))
}

async function stored(holder: Member, items: number): Promise<void> {
  await eventually(
    `${items} items at the untrusted device`,
    async () => {
      const { state, needTotalItems, globalTotalItems } = await statusOf(holder)
      return (state === 'idle' && needTotalItems === 0 && globalTotalItems === items) || undefined
    },
    LIMIT_MS,
  )
}

test('versions of an untrusted device are encrypted, and can be listed and restored there', async () => {
  using scratch = scratchDirectory()
  await using owner = await startMember(scratch.path, 'owner')
  await using holder = await startMember(scratch.path, 'holder')
  for (const { root } of [owner, holder]) mkdirSync(root, { recursive: true })
  await addPeer(owner, holder, { untrusted: true })
  await addPeer(holder, owner)
  await holder.daemon.addFolder('docs', holder.root, {
    type: 'receiveencrypted',
    versioning: { type: 'trashcan', params: { cleanoutDays: '0' } },
    devices: [{ deviceID: owner.id }],
  })
  writeFileSync(join(owner.root, 'secret.txt'), 'the first content')
  await owner.daemon.addFolder('docs', owner.root, {
    devices: [{ deviceID: holder.id, encryptionPassword: 'a password of some length' }],
  })
  await stored(holder, 1)
  rmSync(join(owner.root, 'secret.txt'))
  await owner.daemon.post('/rest/db/scan?folder=docs')
  await eventually(
    'the version',
    () => filesOf(holder.root).some((name) => name.startsWith('.stversions/')) || undefined,
    LIMIT_MS,
  )

  await stored(holder, 1) // the pull removes empty directories last, those of the restored file among them
  const versions = (await holder.daemon.get('/rest/folder/versions?folder=docs')) as Readonly<
    Record<string, readonly { readonly versionTime: string }[]>
  >
  const [name = '', ...others] = Object.keys(versions)
  assert.deepEqual(others, [])
  assert.match(name, /^[0-9A-V]\.syncthing-enc\//)
  for (const file of filesOf(holder.root)) {
    assert.ok(!readFileSync(join(holder.root, file)).includes('first content') && !file.includes('secret'), file)
  }
  const refused = await holder.daemon.post('/rest/folder/versions?folder=docs', {
    [name]: versions[name]?.[0]?.versionTime,
  })
  assert.deepEqual(JSON.parse(refused), {})
  assert.ok(filesOf(holder.root).includes(name), 'the encrypted file is back')
})
