/** A home is taken over from a running Syncthing of several versions, and given back, with changes in between. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import {
  changeWhileAway,
  clash,
  ENCRYPTED,
  figuresOf,
  LOCAL_CHANGES,
  makeScene,
  NONE,
  put,
  RECEIVE_ONLY,
  ROUNDS,
  scanEverything,
  statusOf,
  timesOf,
  untilSettled,
  versionCount,
  type Round,
} from './switching-scene.ts'

/** Peers that no registry offers come from a path in the environment. */
const PROGRAMS: readonly (readonly [version: string, program: string | undefined])[] = [
  ['1.19', 'installed'],
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
]

const matrix: string[] = []
after(() => {
  const head = 'switching: resurrections, needless conflicts, bytes re-transferred, times changed'
  console.log(['', head, ...matrix].join('\n'))
})

function report(version: string, what: string, found: string | object): void {
  const figures = typeof found === 'string' ? found : Object.values(found).join(', ')
  matrix.push(`${version}  ${what.padEnd(20)} ${figures}`)
}

for (const [version, program] of PROGRAMS) {
  test(`a home of Syncthing ${version} is taken over after changes, given back and taken over again`, async (t) => {
    process.env['TWINFOLD_SYNCTHING'] = program ?? ''
    const missing = program === undefined ? 'SYNCTHING2_BIN names no program' : missingSyncthing()
    if (missing !== undefined) {
      report(version, 'not run', missing)
      return t.skip(missing)
    }
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [home, peer] = await Promise.all([network.add('syncthing', 'home'), network.add('syncthing', 'peer')])
    await makeScene(home, peer)
    const kept = { deletions: 0, versions: await versionCount(home, 'versioned') }
    assert.equal(kept.versions, 1)
    for (const round of ROUNDS) {
      kept.deletions += await switchOver(version, home, peer, round)
      await exchange(version, home, peer, round)
      put(peer, FOLDER, 'versioned', round)
      await scanEverything(peer)
      await untilSettled(home, peer)
      assert.equal(await versionCount(home, 'versioned'), ++kept.versions)
      if (round === 'take over') await conflict(version, home, peer)
    }
    report(version, 'deletes while away', `${kept.deletions} of ${kept.deletions} stay deleted`)
    report(version, 'versions', `${kept.versions} of ${kept.versions} kept and listed`)
  })
}

/** The other program starts on the home, after changes while none ran. Returns the number of deletions among them. */
async function switchOver(version: string, home: Member, peer: Member, round: Round): Promise<number> {
  const before = timesOf(home)
  await home.stop()
  const deleted = changeWhileAway(home, peer, round)
  await scanEverything(peer)
  home.kind = round === 'give back' ? 'syncthing' : 'twinfold'
  await home.start()
  if (home.kind === 'twinfold') assert.match(home.output, /importing the index of Syncthing/)
  const figures = await figuresOf(home, peer, { before, deleted })
  report(version, round, figures)
  assert.deepEqual(figures, NONE, `${version}: ${round}`)
  // A record that was flagged for a moment is cleared when the other device sends the same.
  const only = await eventually('no local changes but those of the user', async () => {
    const { receiveOnlyTotalItems: count } = await statusOf(home, RECEIVE_ONLY)
    return count === LOCAL_CHANGES ? count : undefined
  })
  report(version, `  receive-only edits`, `${only} of ${LOCAL_CHANGES} kept, no others shown`)
  const { receiveOnlyTotalItems, needTotalItems } = await statusOf(home, ENCRYPTED)
  report(version, '  encrypted', `${receiveOnlyTotalItems} local changes, ${needTotalItems} needed`)
  assert.deepEqual([receiveOnlyTotalItems, needTotalItems], [0, 0])
  return deleted.length
}

/** Each device receives what the other one changes now: no sequence number is taken for a known one. */
async function exchange(version: string, home: Member, peer: Member, round: Round): Promise<void> {
  for (const member of [home, peer]) put(member, FOLDER, `${member.name}-${round}`, round)
  await scanEverything(home, peer)
  await untilSettled(home, peer)
  report(version, `  live peer`, 'sends and receives')
}

/** One conflict copy for one conflict, on both devices. */
async function conflict(version: string, home: Member, peer: Member): Promise<void> {
  const copies = await clash(home, peer)
  report(version, '  conflicts', `${copies.length} copy of 1 conflict`)
  assert.equal(copies.length, 1)
}
