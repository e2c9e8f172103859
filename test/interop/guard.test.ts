import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { GuardJson } from '../../src/rest/guard.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const PROGRAMS: readonly (readonly [version: string, program: string | undefined])[] = [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
]
const FILES = 30

const countOf = ({ root }: Member) => (existsSync(join(root, 'd')) ? readdirSync(join(root, 'd')).length : 0)
const guardOf = async (server: Member) =>
  (await server.request('GET', `/rest/twinfold/guard?folder=${FOLDER}`)) as GuardJson
const decide = (server: Member, decision: string) =>
  server.request('POST', `/rest/twinfold/guard/${decision}?folder=${FOLDER}`)

async function untilHeld(server: Member, expected: readonly string[]): Promise<void> {
  await eventually(
    `held: ${expected.join()}`,
    async () => {
      const { held } = await guardOf(server)
      const found = held.map(({ deletions, side, truncations }) => `${side} ${deletions} ${truncations}`)
      return found.join() === expected.join() || undefined
    },
    60_000,
  )
}

const untilCount = (member: Member, count: number) =>
  eventually(`${count} files`, async () => countOf(member) === count || undefined, 60_000)

for (const [version, program] of PROGRAMS) {
  test(`a mass deletion beside a Syncthing ${version} is held here, refused, applied with old versions`, async (t) => {
    process.env['TWINFOLD_SYNCTHING'] = program ?? ''
    const missing = program === undefined ? 'SYNCTHING2_BIN names no program' : missingSyncthing()
    if (missing !== undefined) return t.skip(missing)
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [server, phone] = await Promise.all([network.add('twinfold', 'server'), network.add('syncthing', 'phone')])
    await server.introduce(phone)
    await phone.introduce(server)
    await server.share([phone])
    await phone.share([server])
    await server.request('PATCH', '/rest/twinfold/settings', { folders: { [FOLDER]: { guard: true } } })
    mkdirSync(join(phone.root, 'd'))
    for (let i = 0; i < FILES; i++) writeFileSync(join(phone.root, `d/f${i}`), `content ${i}`)
    await phone.scan()
    await untilInSync([server, phone])

    rmSync(join(phone.root, 'd'), { recursive: true })
    await phone.scan()
    await untilHeld(server, [`remote ${FILES} 0`])
    assert.equal(countOf(server), FILES)
    await decide(server, 'refuse')
    await untilCount(phone, FILES)
    await untilHeld(server, [])
    await untilInSync([server, phone])

    // Our own disk: nothing is announced, and the files come back from the phone.
    rmSync(join(server.root, 'd'), { recursive: true })
    await server.scan()
    await untilHeld(server, [`local ${FILES} 0`])
    await phone.scan()
    assert.equal(countOf(phone), FILES)
    await decide(server, 'refuse')
    await untilCount(server, FILES)
    await untilInSync([server, phone])

    // With old versions the deletion is applied, and noticed.
    const versioning = { type: 'trashcan', params: {} }
    await server.request('PATCH', `/rest/config/folders/${FOLDER}`, { versioning })
    rmSync(join(phone.root, 'd'), { recursive: true })
    await phone.scan()
    await untilCount(server, 0)
    await untilInSync([server, phone])
    const { held, notices } = await guardOf(server)
    assert.deepEqual(held, [])
    assert.deepEqual(
      notices.map(({ deletions, kind }) => `${kind} ${deletions}`),
      [`deleted ${FILES}`],
    )
    assert.equal(readdirSync(join(server.root, '.stversions/d')).length, FILES)
  })
}
