import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type ProgramKind, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { differences } from '../support/tree-compare.ts'

const skip = missingSyncthing() ?? false

/** The first has the folder by that type, the second takes and gives everything. */
async function pairOf(network: Network, special: ProgramKind, type: string): Promise<readonly [Member, Member]> {
  const other: ProgramKind = special === 'twinfold' ? 'syncthing' : 'twinfold'
  const [one, two] = await Promise.all([network.add(special, `${type} ${special}`), network.add(other, other)])
  await one.introduce(two)
  await two.introduce(one)
  await one.share([two], { type })
  await two.share([one])
  return [one, two]
}

function put(member: Member, name: string, content: string): void {
  writeFileSync(join(member.root, name), content)
}

function visible({ root }: Member): readonly string[] {
  return readdirSync(root)
    .filter((name) => !name.startsWith('.st'))
    .sort()
}

function textOf({ root }: Member, name: string): string | undefined {
  return existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : undefined
}

async function until(
  what: string,
  members: readonly Member[],
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await eventually(what, async () => (await condition()) || undefined, 60_000).catch(async (error: unknown) => {
    const facts = await Promise.all(
      members.map(async (member) => [member.name, visible(member), await member.status()]),
    )
    throw new Error(`${String(error)}: ${JSON.stringify(facts, undefined, 1)}`, { cause: error })
  })
}

async function statusOf(member: Member): Promise<Readonly<Record<string, number>>> {
  return (await member.get(`/rest/db/status?folder=${FOLDER}`)) as Record<string, number>
}

/**
 * In sync, and each knows that the other has everything. The received sequence is no criterion here: a Syncthing passes
 * over a record that is what it knew before the change that was reverted.
 */
async function untilSettled(pair: readonly [Member, Member]): Promise<void> {
  const [one, two] = pair
  await until('both are in sync and know it', pair, async () => {
    for (const [self, peer] of [
      [one, two],
      [two, one],
    ] as const) {
      const about = (await self.get(`/rest/db/completion?folder=${FOLDER}&device=${peer.id}`)) as Record<string, number>
      if (about['completion'] !== 100 || about['needItems'] !== 0 || (await statusOf(self))['needTotalItems'] !== 0)
        return false
    }
    return differences(pair.map(({ root }) => root)).length === 0
  })
}

for (const special of ['twinfold', 'syncthing'] as const) {
  test(`a send-only ${special} shows what others changed, and overrides it`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const pair = await pairOf(network, special, 'sendonly')
    const [sender, other] = pair
    for (const name of ['edited', 'removed', 'kept']) put(sender, name, `${name} of the sender`)
    await sender.scan()
    await untilInSync(pair)
    put(other, 'edited', 'changed by the other device')
    put(other, 'new', 'made by the other device')
    rmSync(join(other.root, 'removed'))
    await other.scan()
    await until('three items out of sync', pair, async () => (await statusOf(sender))['needTotalItems'] === 3)
    assert.deepEqual(visible(sender), ['edited', 'kept', 'removed'])
    assert.equal(textOf(sender, 'edited'), 'edited of the sender')
    await sender.request('POST', `/rest/db/override?folder=${FOLDER}`)
    await until(
      'everything is as the sender has it',
      pair,
      () => visible(other).join() === 'edited,kept,removed' && textOf(other, 'edited') === 'edited of the sender',
    )
    await untilInSync(pair)
    assert.equal(textOf(other, 'removed'), 'removed of the sender')
  })

  test(`a receive-only ${special} keeps its changes to itself, lists them, and reverts them`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const pair = await pairOf(network, special, 'receiveonly')
    const [receiver, other] = pair
    for (const name of ['edited', 'removed', 'kept', 'met']) put(other, name, `${name} of the other`)
    await other.scan()
    await untilInSync(pair)
    put(receiver, 'edited', 'changed by the receiver')
    put(receiver, 'new', 'made by the receiver')
    put(receiver, 'met', 'changed by both, here')
    rmSync(join(receiver.root, 'removed'))
    await receiver.scan()
    await until('four changes', pair, async () => (await statusOf(receiver))['receiveOnlyTotalItems'] === 4)
    const { files } = (await receiver.get(`/rest/db/localchanged?folder=${FOLDER}`)) as {
      files: readonly { name: string; localFlags?: number }[]
    }
    assert.deepEqual(
      files.map(({ name }) => name),
      ['edited', 'met', 'new', 'removed'],
    )
    put(other, 'met', 'changed by both, there, and longer')
    put(other, 'later', 'another file')
    await other.scan()
    await until(
      'new files still come',
      pair,
      () => textOf(receiver, 'later') === 'another file' && textOf(receiver, 'met')?.includes('there') === true,
    )
    assert.deepEqual(visible(other), ['edited', 'kept', 'later', 'met', 'removed'])
    assert.equal(textOf(other, 'edited'), 'edited of the other')
    assert.equal(visible(receiver).filter((name) => name.startsWith('met.sync-conflict-')).length, 1)
    await receiver.scan()
    await receiver.request('POST', `/rest/db/revert?folder=${FOLDER}`)
    await until(
      'nothing is changed here any more',
      pair,
      async () =>
        (await statusOf(receiver))['receiveOnlyTotalItems'] === 0 && visible(receiver).join() === visible(other).join(),
    )
    await untilSettled(pair)
    assert.equal(textOf(receiver, 'removed'), 'removed of the other')
    assert.equal(textOf(receiver, 'edited'), 'edited of the other')
  })
}
