import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Extensions } from '../../src/core/config/extensions.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type ProgramKind, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? false

interface DeviceJson {
  readonly deviceID: string
  readonly name: string
  readonly introducedBy: string
  readonly addresses: readonly string[]
}

interface FolderJson {
  readonly id: string
  readonly label: string
  readonly path: string
  readonly versioning?: { readonly type: string }
  readonly devices: readonly { readonly deviceID: string; readonly introducedBy: string }[]
}

async function devicesOf(member: Member): Promise<readonly DeviceJson[]> {
  return (await member.get('/rest/config/devices')) as readonly DeviceJson[]
}

async function foldersOf(member: Member): Promise<readonly FolderJson[]> {
  return (await member.get('/rest/config/folders')) as readonly FolderJson[]
}

async function knows(member: Member, other: Member): Promise<boolean> {
  return (await devicesOf(member)).some(({ deviceID }) => deviceID === other.id)
}

async function until(what: string, condition: () => Promise<boolean>, members: readonly Member[] = []): Promise<void> {
  await eventually(what, async () => (await condition()) || undefined, 60_000).catch(async (error: unknown) => {
    const facts = await Promise.all(
      members.map(async (member) => [member.name, await devicesOf(member), await foldersOf(member)]),
    )
    throw new Error(`${String(error)}: ${JSON.stringify(facts, undefined, 1)}`, { cause: error })
  })
}

/** A server in the middle, and two that know only the server and believe it who else there is. */
for (const kinds of [
  ['twinfold', 'syncthing', 'twinfold'],
  ['syncthing', 'twinfold', 'syncthing'],
  ['twinfold', 'twinfold', 'syncthing'],
] as const satisfies readonly ProgramKind[][]) {
  test(
    `an introducer brings two devices together and apart: ${kinds.join(', ')} in the middle first`,
    { skip },
    async () => {
      using scratch = scratchDirectory()
      await using network = await Network.open(scratch.path)
      const [server, one, two] = await Promise.all(kinds.map((kind, i) => network.add(kind, `${kind} ${i}`)))
      assert.ok(server !== undefined && one !== undefined && two !== undefined)
      const all = [server, one, two]
      for (const client of [one, two]) {
        await server.introduce(client)
        // Syncthing applies an introduction only while it has the folder; we apply it later, too.
        await client.introduce(server, { introducer: true, paused: client.kind === 'syncthing' })
      }
      await server.share([one, two])
      for (const client of [one, two]) {
        await client.share([server])
        await client.request('PATCH', `/rest/config/devices/${server.id}`, { paused: false })
      }
      await until('both clients know each other', async () => (await knows(one, two)) && (await knows(two, one)), all)
      const introduced = (await devicesOf(one)).find(({ deviceID }) => deviceID === two.id)
      assert.equal(introduced?.introducedBy, server.id)
      await until('and talk to each other', async () => await one.isConnectedTo(two), all)
      writeFileSync(join(one.root, 'f'), 'from one')
      await one.scan()
      await untilInSync(all)
      assert.equal(readFileSync(join(two.root, 'f'), 'utf8'), 'from one')

      await server.shareWith([one])
      await until('the one forgets the other', async () => !(await knows(one, two)), all)
      const [folder] = await foldersOf(one)
      assert.deepEqual(folder?.devices.map(({ deviceID }) => deviceID).sort(), [one.id, server.id].sort())
      assert.equal(await knows(one, server), true)
      reportRow({ id: 'introducer', tried: 3, kinds: kinds.join(' ') })
    },
  )
}

for (const kind of ['twinfold', 'syncthing'] as const) {
  test(`${kind} takes what a trusted device offers, to safe places only`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [taker, giver] = await Promise.all([
      network.add(kind, 'taker'),
      network.add(kind === 'twinfold' ? 'syncthing' : 'twinfold', 'giver'),
    ])
    const place = join(scratch.path, 'accepted')
    mkdirSync(join(place, 'Taken already'), { recursive: true })
    await taker.request('PATCH', '/rest/config/defaults/folder', { path: place })
    await taker.introduce(giver, { autoAcceptFolders: true })
    await giver.introduce(taker)
    const offers = [
      ['a-1', 'My Label/odd:name?'],
      ['b-2', 'Taken already'],
      ['c-3', ''],
    ] as const
    for (const [id, label] of offers) {
      const path = join(scratch.path, `of ${id}`)
      mkdirSync(path)
      writeFileSync(join(path, 'f'), `content of ${id}`)
      await giver.request('POST', '/rest/config/folders', {
        id,
        label,
        path,
        devices: [{ deviceID: taker.id }],
        fsWatcherEnabled: false,
      })
    }
    await until('all folders are accepted', async () => (await foldersOf(taker)).length === offers.length, [taker])
    const paths = new Map((await foldersOf(taker)).map(({ id, path }) => [id, path]))
    assert.deepEqual(
      [...paths.values()].sort(),
      [join(place, 'My Label odd name'), join(place, 'b-2'), join(place, 'c-3')].sort(),
    )
    for (const [id, path] of paths) {
      await until(
        `the content of ${id}`,
        async () => existsSync(join(path, 'f')) && readFileSync(join(path, 'f'), 'utf8') === `content of ${id}`,
        [taker],
      )
    }
    assert.deepEqual(await taker.get('/rest/cluster/pending/folders'), {})
    assert.equal((await foldersOf(taker)).find(({ id }) => id === 'a-1')?.label, 'My Label/odd:name?')
    if (kind === 'twinfold') {
      const types = (await foldersOf(taker)).map(({ versioning }) => versioning?.type)
      assert.deepEqual(types, ['trashcan', 'trashcan', 'trashcan'])
      const { folders } = (await taker.get('/rest/twinfold/settings')) as Extensions
      assert.deepEqual([folders['a-1']?.guard, folders['c-3']?.versionsPercentMax], [true, 10])
    }
  })
}

test(
  'an offer to a Twinfold without auto-accept stays pending, can be ignored, and returns when it is not',
  { skip },
  async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [taker, giver] = await Promise.all([network.add('twinfold', 'taker'), network.add('syncthing', 'giver')])
    await giver.introduce(taker)
    await until('the device waits', async () =>
      Object.keys((await taker.get('/rest/cluster/pending/devices')) as object).includes(giver.id),
    )
    await taker.introduce(giver)
    await giver.share([taker], { label: 'Offered' })
    const pending = async () =>
      (await taker.get('/rest/cluster/pending/folders')) as Record<
        string,
        { offeredBy: Record<string, { label: string }> }
      >
    await until('the folder waits', async () => (await pending())[FOLDER]?.offeredBy[giver.id]?.label === 'Offered')
    assert.deepEqual(await foldersOf(taker), [])
    await taker.request('PATCH', `/rest/config/devices/${giver.id}`, {
      ignoredFolders: [{ id: FOLDER, label: 'Offered', time: '2024-01-01T00:00:00Z' }],
    })
    await until('it waits no more', async () => (await pending())[FOLDER] === undefined)
    await taker.request('POST', `/rest/system/pause?device=${giver.id}`)
    await until('a paused device is not connected', async () => !(await giver.isConnectedTo(taker)))
    await taker.request('POST', `/rest/system/resume?device=${giver.id}`)
    await until('they are connected', async () => await taker.isConnectedTo(giver))
    assert.equal((await pending())[FOLDER], undefined)
  },
)
