/** The trash of a Twinfold, beside and in the hands of a real Syncthing. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TrashJson } from '../../src/rest/trash.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { FOLDER, link, Network, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const PROGRAMS = [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
] as const
const TRASHCAN = { type: 'trashcan', params: { cleanoutDays: '30' } }
const VERSIONS = `/rest/folder/versions?folder=${FOLDER}`

type Versions = Readonly<Record<string, readonly { readonly versionTime: string; readonly size: number }[]>>

const matrix: string[] = []
after(() => console.log(['', 'trash of a Twinfold, listed and restored by Syncthing', ...matrix].join('\n')))

function put({ root }: Member, name: string, content: string): void {
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), content)
}

async function settle(keeper: Member, source: Member): Promise<void> {
  await source.scan()
  await untilInSync([keeper, source])
}

for (const [version, program] of PROGRAMS) {
  test(`Syncthing ${version} lists the trash of a Twinfold as versions, and restores from it`, async (t) => {
    process.env['TWINFOLD_SYNCTHING'] = program ?? ''
    const missing = program === undefined ? 'SYNCTHING2_BIN names no program' : missingSyncthing()
    if (missing !== undefined) {
      matrix.push(`${version}  not run: ${missing}`)
      return t.skip(missing)
    }
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [keeper, source] = await Promise.all([network.add('twinfold', 'keeper'), network.add('syncthing', 'source')])
    await link([[keeper, source]], { versioning: TRASHCAN })
    await keeper.request('PATCH', '/rest/twinfold/settings', { folders: { [FOLDER]: { versionsPercentMax: 10 } } })
    put(source, 'd/gone.txt', 'deleted by the other device')
    utimesSync(join(source.root, 'd/gone.txt'), 1_000_000_000, 1_000_000_000)
    for (const content of ['one', 'two', 'three']) {
      put(source, 'f.txt', content)
      await settle(keeper, source)
    }
    rmSync(join(source.root, 'd'), { recursive: true })
    await settle(keeper, source)
    const trash = (await keeper.get(`/rest/twinfold/trash?folder=${FOLDER}`)) as TrashJson
    assert.deepEqual(
      trash.items.map(({ name, sizeBytes }) => `${name} ${sizeBytes}`),
      ['d/gone.txt 27', 'f.txt 3', 'f.txt 3'],
      'every replaced version is kept',
    )
    assert.equal(trash.files, 3)
    assert.ok(trash.maxBytes !== null && trash.maxBytes > 0)
    assert.ok(Date.parse(trash.items[0]!.time) > Date.now() - 3_600_000, 'the time of the deletion, not of the file')

    // The same directory in the hands of Syncthing, as after a switch of programs.
    const [kept, taken] = [keeper, source].map(({ root }) => join(root, '.stversions'))
    rmSync(taken!, { recursive: true, force: true })
    cpSync(kept!, taken!, { recursive: true, preserveTimestamps: true })
    const listed = (await source.get(VERSIONS)) as Versions
    assert.deepEqual(
      Object.entries(listed).map(([name, versions]) => `${name} ${versions.length}`),
      ['d/gone.txt 1', 'f.txt 2'],
    )
    const oldest = listed['f.txt']!.at(-1)!.versionTime
    const wanted = { 'f.txt': oldest, 'd/gone.txt': listed['d/gone.txt']![0]!.versionTime }
    const failed = (await source.request('POST', VERSIONS, wanted)) as Readonly<Record<string, string>>
    await settle(keeper, source)
    // The times of versions are whole seconds: of two in the same second either may be the older one.
    assert.match(readFileSync(join(keeper.root, 'f.txt'), 'utf8'), /^(?:one|two)$/)
    assert.equal(readFileSync(join(keeper.root, 'd/gone.txt'), 'utf8'), 'deleted by the other device')
    assert.deepEqual(failed, {})
    matrix.push(`${version}  listed 3 of 3, restored 2 of 2`)
  })
}
