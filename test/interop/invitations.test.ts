/** The field of the Hello that proves an invitation, and devices that do not know it. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseDeviceId } from '../../src/core/device-id.ts'
import type { FolderId } from '../../src/core/ids.ts'
import { formatInvitation } from '../../src/core/invitations/invitation.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const PROGRAMS: readonly (readonly [version: string, program: string | undefined])[] = [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
]

for (const [version, program] of PROGRAMS) {
  test(`Syncthing ${version} ignores the proof of an invitation and shows the usual request`, async (t) => {
    process.env['TWINFOLD_SYNCTHING'] = program ?? ''
    const missing = program === undefined ? 'SYNCTHING2_BIN names no program' : missingSyncthing()
    if (missing !== undefined) return t.skip(missing)
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [ours, other] = await Promise.all([network.add('twinfold', 'ours'), network.add('syncthing', 'other')])
    await ours.request('PATCH', '/rest/config/options', { reconnectionIntervalS: 1 })
    const invitation = formatInvitation({
      device: parseDeviceId(other.id),
      name: 'other',
      addresses: [other.address],
      folders: [{ id: FOLDER as FolderId, label: '', type: 'sendreceive' }],
      expiresMs: 0,
      secret: new Uint8Array(16).fill(3),
    })
    await ours.request('POST', '/rest/twinfold/join', { invitation, path: ours.root })
    assert.equal(joinsOf(ours), 1)
    await eventually('the request', async () => (await pendingAt(other)).includes(ours.id) || undefined, 60_000)
    await eventually(
      'the reason',
      async () => /does not accept the invitation/.test(await dialsOf(ours)) || undefined,
      60_000,
    )

    // Once it has been added there as usual, the Hello with the field is one of a known device.
    await other.introduce(ours)
    await other.share([ours])
    writeFileSync(join(other.root, 'a.txt'), 'from the other side')
    await other.scan()
    await untilInSync([ours, other])
    assert.equal(readFileSync(join(ours.root, 'a.txt'), 'utf8'), 'from the other side')
    await eventually('the end of the join', async () => joinsOf(ours) === 0 || undefined, 60_000)
  })
}

function joinsOf({ home }: Member): number {
  return JSON.parse(readFileSync(join(home, 'twinfold-invitations.json'), 'utf8')).joins.length
}

async function pendingAt(member: Member): Promise<readonly string[]> {
  return Object.keys((await member.get('/rest/cluster/pending/devices')) as object)
}

async function dialsOf(member: Member): Promise<string> {
  const { lastDialStatus } = (await member.get('/rest/system/status')) as { lastDialStatus: unknown }
  return JSON.stringify(lastDialStatus)
}
