/** A home is taken over from a running Syncthing of several versions, and given back, with changes in between. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { Matrix, type Row } from './switching-matrix.ts'
import {
  changeWhileAway,
  clash,
  ENCRYPTED,
  encryptedCount,
  figuresOf,
  LOCAL_CHANGES,
  makeScene,
  NO_FIGURES,
  prepareGivingBack,
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

/** The old one in a run for it; peers that no registry offers come from a path in the environment. */
const PROGRAMS: readonly (readonly [version: string, program: string | undefined])[] =
  process.env['TWINFOLD_SYNCTHING'] === 'installed'
    ? [['1.19', 'installed']]
    : [
        ['1.29', ''],
        ['2.1', process.env['SYNCTHING2_BIN']],
      ]

const matrix = new Matrix()
after(() => {
  const head = 'switching: resurrections, needless conflicts, bytes re-transferred, files whose time changed'
  console.log(['', head, ...matrix.lines()].join('\n'))
})

for (const [version, program] of PROGRAMS) {
  test(`a home of Syncthing ${version} is taken over after changes, given back and taken over again`, async (t) => {
    process.env['TWINFOLD_SYNCTHING'] = program ?? ''
    const missing = program === undefined ? 'SYNCTHING2_BIN names no program' : missingSyncthing()
    if (missing !== undefined) {
      matrix.notRun(version, missing)
      return t.skip(missing)
    }
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [home, peer] = await Promise.all([network.add('syncthing', 'home'), network.add('syncthing', 'peer')])
    await makeScene(home, peer)
    const switching = new Switching(version, home, peer)
    for (const round of ROUNDS) {
      await switching.switchOver(round)
      await switching.exchange(round)
      await switching.keepVersion(round)
      if (round === 'take over') await switching.conflict()
    }
  })
}

/** The device `home`, on which the program changes, and another one. */
class Switching {
  readonly #version: string
  readonly #home: Member
  readonly #peer: Member
  /** Names that must not return. */
  readonly #deleted: string[] = []
  #before: ReadonlyMap<string, bigint>
  #versions = 1

  constructor(version: string, home: Member, peer: Member) {
    this.#version = version
    this.#home = home
    this.#peer = peer
    this.#before = timesOf(home)
  }

  /** The other program starts on the home, after changes while none ran. */
  async switchOver(round: Round): Promise<void> {
    const [home, peer] = [this.#home, this.#peer]
    this.#before = timesOf(home)
    if (round === 'give back') await prepareGivingBack(home)
    await home.stop()
    this.#deleted.push(...changeWhileAway(home, peer, round))
    await scanEverything(peer)
    home.kind = round === 'give back' ? 'syncthing' : 'twinfold'
    await home.start()
    if (home.kind === 'twinfold') assert.match(home.output, /importing the index of Syncthing/)
    await this.#note(round === 'give back' ? 'give back' : 'take over')
    await this.#note('deletes while away', `${this.#deleted.length} stay deleted`)
    // A record that was flagged for a moment is cleared when the other device sends the same.
    await eventually('no local changes but those of the user', async () => {
      const { receiveOnlyTotalItems: count } = await statusOf(home, RECEIVE_ONLY)
      return count === LOCAL_CHANGES || undefined
    })
    await this.#note('receive-only edits', `${LOCAL_CHANGES} kept, 0 others shown`)
    await eventually('no local changes and no need in the encrypted folder', async () => {
      const { receiveOnlyTotalItems, needTotalItems } = await statusOf(home, ENCRYPTED)
      return (receiveOnlyTotalItems === 0 && needTotalItems === 0) || undefined
    })
    assert.equal(encryptedCount(home), encryptedCount(peer))
    await this.#note('encrypted', `${encryptedCount(home)} files, 0 local changes`)
  }

  /** Each device receives what the other one changes now: no sequence number is taken for a known one. */
  async exchange(round: Round): Promise<void> {
    for (const member of [this.#home, this.#peer]) put(member, FOLDER, `${member.name}-${round}`, round)
    await scanEverything(this.#home, this.#peer)
    await this.#note('live peer, sends and receives')
  }

  async keepVersion(round: Round): Promise<void> {
    put(this.#peer, FOLDER, 'versioned', round)
    await scanEverything(this.#peer)
    await untilSettled(this.#home, this.#peer)
    assert.equal(await versionCount(this.#home, 'versioned'), ++this.#versions)
    await this.#note('versions', `${this.#versions} kept and listed`)
  }

  /** One conflict copy for one conflict, on both devices. */
  async conflict(): Promise<void> {
    const copies = await clash(this.#home, this.#peer)
    assert.equal(copies.length, 1)
    await this.#note('conflicts', '1 copy of 1 conflict')
  }

  async #note(row: Row, detail?: string): Promise<void> {
    const figures = await figuresOf(this.#home, this.#peer, { before: this.#before, deleted: this.#deleted })
    matrix.note(this.#version, row, figures, detail)
    assert.deepEqual(figures, NO_FIGURES, `${this.#version}: ${row}`)
  }
}
