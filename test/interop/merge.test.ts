/** Conflicting edits of texts beside a real Syncthing, which makes conflict copies: both end with the merged file. */
import assert from 'node:assert/strict'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { conflictCopies, differences } from '../support/tree-compare.ts'

const PROGRAMS = [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
] as const
const EARLY_S = 1_700_000_000
const LINES = ['one', 'two', 'three', 'four', 'five', 'six']
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const MERGED = text(LINES.with(0, 'ONE').with(5, 'SIX'))
/** By the side whose edit is later: the other one has the conflict, and makes the copy. */
const NAMES = { twinfold: 'twinfold-later.txt', syncthing: 'syncthing-later.txt' } as const
const OVERLAPPING = 'overlapping.txt'

function put({ root }: Member, name: string, content: string, timeS: number): void {
  writeFileSync(join(root, name), content)
  utimesSync(join(root, name), timeS, timeS)
}

for (const [version, program] of PROGRAMS) {
  test(`Syncthing ${version} gets the merged file, whoever has the conflict`, async (t) => {
    process.env['TWINFOLD_SYNCTHING'] = program ?? ''
    const missing = program === undefined ? 'SYNCTHING2_BIN names no program' : missingSyncthing()
    if (missing !== undefined) return t.skip(missing)
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const pair = await Promise.all([network.add('twinfold', 'twinfold'), network.add('syncthing', 'syncthing')])
    const [twinfold, syncthing] = pair
    await link([pair], { maxConflicts: -1 })
    await twinfold.request('PATCH', '/rest/twinfold/settings', { folders: { [FOLDER]: { merge: 'on' } } })
    for (const name of [...Object.values(NAMES), OVERLAPPING]) put(twinfold, name, text(LINES), EARLY_S)
    await scanAll(pair)
    await untilInSync(pair)

    const pause = (how: string) => twinfold.request('POST', `/rest/system/${how}?device=${syncthing.id}`)
    await pause('pause')
    await eventually('the end of the connection', async () => !(await syncthing.isConnectedTo(twinfold)) || undefined)
    put(twinfold, NAMES.twinfold, text(LINES.with(0, 'ONE')), EARLY_S + 200)
    put(syncthing, NAMES.twinfold, text(LINES.with(5, 'SIX')), EARLY_S + 100)
    put(twinfold, NAMES.syncthing, text(LINES.with(0, 'ONE')), EARLY_S + 100)
    put(syncthing, NAMES.syncthing, text(LINES.with(5, 'SIX')), EARLY_S + 200)
    put(twinfold, OVERLAPPING, text(LINES.with(2, 'III')), EARLY_S + 100)
    put(syncthing, OVERLAPPING, text(LINES.with(2, '3')), EARLY_S + 200)
    await scanAll(pair)
    await pause('resume')
    await eventually('both connected', async () => (await twinfold.isConnectedTo(syncthing)) || undefined, 60_000)
    const merged = async () => {
      await scanAll(pair)
      await untilInSync(pair)
      const texts = pair.flatMap(({ root }) =>
        Object.values(NAMES).map((name) => readFileSync(join(root, name), 'utf8')),
      )
      return texts.every((each) => each === MERGED) && conflictCopies(syncthing.root).length === 1 ? true : undefined
    }
    await eventually('the merged files', merged, 60_000)

    await scanAll(pair)
    await untilInSync(pair)
    assert.deepEqual(differences(pair.map(({ root }) => root)), [])
    assert.equal(readFileSync(join(syncthing.root, OVERLAPPING), 'utf8'), text(LINES.with(2, '3')))
    const [copy] = conflictCopies(syncthing.root)
    assert.match(copy ?? '', /^overlapping\.sync-conflict-/)
    assert.equal(readFileSync(join(syncthing.root, copy!), 'utf8'), text(LINES.with(2, 'III')))
  })
}
