import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const PROGRAMS: readonly (readonly [version: string, program: string | undefined])[] = [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
]
const NAMES = ['photos/a.jpg', 'photos/b.jpg', 'c.txt']

for (const [version, program] of PROGRAMS) {
  test(`a server keeps what a phone with Syncthing ${version} deletes`, async (t) => {
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
    mkdirSync(join(phone.root, 'photos'))
    for (const name of NAMES) writeFileSync(join(phone.root, name), `content of ${name}`)
    await phone.scan()
    await untilInSync([server, phone])
    await server.request('PATCH', '/rest/twinfold/settings', { folders: { [FOLDER]: { collect: true } } })

    rmSync(join(phone.root, 'photos'), { recursive: true })
    rmSync(join(phone.root, 'c.txt'))
    await phone.scan()
    await untilKept(server, NAMES.length)
    await untilComplete(server, phone)

    // A lost index, a restart and the override of the other device bring nothing back.
    await server.stop()
    rmSync(join(server.home, 'index-twinfold'), { recursive: true })
    await server.start()
    await server.scan()
    await phone.request('PATCH', `/rest/config/folders/${FOLDER}`, { type: 'sendonly' })
    await phone.request('POST', `/rest/db/override?folder=${FOLDER}`)
    await untilComplete(server, phone)
    await phone.request('PATCH', `/rest/config/folders/${FOLDER}`, { type: 'sendreceive' })
    await phone.scan()
    assert.deepEqual(
      NAMES.map((name) => existsSync(join(phone.root, name))),
      [false, false, false],
    )
    await untilKept(server, NAMES.length)

    const change = (body: object) => server.request('POST', `/rest/twinfold/kept?folder=${FOLDER}`, body)
    await change({ action: 'bring-back', names: ['photos/a.jpg'] })
    await eventually('the photo is back on the phone', async () => textOf(phone, 'photos/a.jpg'), 60_000)
    assert.equal(textOf(phone, 'photos/a.jpg'), 'content of photos/a.jpg')
    writeFileSync(join(server.root, 'c.txt'), 'edited on the server')
    await server.scan()
    await eventually('the edit is on the phone', async () => textOf(phone, 'c.txt'), 60_000)
    assert.equal(textOf(phone, 'c.txt'), 'edited on the server')
    await untilKept(server, 1)
    await change({ action: 'delete' })
    await untilKept(server, 0)
    await untilInSync([server, phone])
    assert.equal(textOf(server, 'photos/b.jpg'), undefined)
    await sharePatterns(server, phone)
  })
}

/** The patterns are in a file that Syncthing synchronizes like any other. */
async function sharePatterns(server: Member, phone: Member): Promise<void> {
  await server.request('PATCH', '/rest/twinfold/settings', { folders: { [FOLDER]: { sharedIgnores: true } } })
  writeFileSync(join(phone.root, '.stglobalignore'), '*.tmp\n')
  await phone.scan()
  await eventually('the shared patterns', async () => textOf(server, '.stglobalignore'), 60_000)
  for (const name of ['left.tmp', 'sent.txt']) writeFileSync(join(server.root, name), name)
  await server.scan()
  await eventually('the other file', async () => textOf(phone, 'sent.txt'), 60_000)
  assert.equal(textOf(phone, 'left.tmp'), undefined)
  await untilComplete(server, phone)
}

async function untilKept(server: Member, count: number): Promise<void> {
  await eventually(
    `${count} kept files`,
    async () => {
      const { total } = (await server.get(`/rest/twinfold/kept?folder=${FOLDER}`)) as { total: number }
      return total === count || undefined
    },
    60_000,
  )
  if (count === NAMES.length) for (const name of NAMES) assert.equal(textOf(server, name), `content of ${name}`)
}

/** Each shows that the other has everything, and needs nothing itself. */
async function untilComplete(...pair: readonly [Member, Member]): Promise<void> {
  for (const [self, peer] of [pair, [pair[1], pair[0]] as const]) {
    await eventually(
      `${self.name} shows 100 % for both`,
      async () => {
        const of = async (query: string) =>
          (await self.get(`/rest/db/completion?folder=${FOLDER}${query}`)) as Record<string, number>
        const [own, other] = [await of(''), await of(`&device=${peer.id}`)]
        const done = [own, other].every((each) => each['completion'] === 100 && each['needDeletes'] === 0)
        return (done && own['needItems'] === 0 && other['needItems'] === 0) || undefined
      },
      60_000,
    )
  }
}

function textOf({ root }: Member, name: string): string | undefined {
  return existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : undefined
}
