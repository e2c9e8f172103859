/** A disaster on a device with Syncthing is undone by a rewind on a device with Twinfold, also one that is killed. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RewindReplyJson } from '../../src/rest/rewind.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { untilInSync } from '../support/until-in-sync.ts'

const NAMES = Array.from({ length: 30 }, (_, i) => `photos/${i % 3}/${i}.jpg`)

function textOf({ root }: Member, name: string): string | undefined {
  const path = join(root, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

test('a mass deletion and edits by Syncthing are rewound everywhere; the rewind is undone by another', async (t) => {
  const missing = missingSyncthing()
  if (missing !== undefined) return t.skip(missing)
  using scratch = scratchDirectory()
  await using network = await Network.open(scratch.path)
  const [server, laptop] = await Promise.all([network.add('twinfold', 'server'), network.add('syncthing', 'laptop')])
  await server.introduce(laptop)
  await laptop.introduce(server)
  await server.share([laptop], { versioning: { type: 'trashcan', params: { cleanoutDays: '30' } } })
  await laptop.share([server])
  for (const directory of ['0', '1', '2']) mkdirSync(join(laptop.root, 'photos', directory), { recursive: true })
  for (const name of NAMES) writeFileSync(join(laptop.root, name), `content of ${name}`)
  writeFileSync(join(laptop.root, 'notes.txt'), 'good notes')
  await laptop.scan()
  await untilInSync([server, laptop])
  const moment = new Date().toISOString()

  rmSync(join(laptop.root, 'photos'), { recursive: true })
  writeFileSync(join(laptop.root, 'notes.txt'), 'encrypted by a virus')
  writeFileSync(join(laptop.root, 'ransom.txt'), 'pay')
  await laptop.scan()
  await eventually('the disaster', async () => !existsSync(join(server.root, 'photos')) || undefined, 60_000)
  await untilInSync([server, laptop])

  const at = `/rest/twinfold/rewind?folder=${FOLDER}`
  const ask = async (method: string, more: string, body?: object): Promise<RewindReplyJson> =>
    (await server.request(method, `${at}${more}`, body)) as RewindReplyJson
  const { preview } = await ask('GET', `&to=${moment}`)
  assert.deepEqual([preview?.restorable.items, preview?.replaced, preview?.gone.items], [NAMES.length + 5, 1, 0])
  assert.deepEqual(preview?.kept.names, ['ransom.txt'])
  const beforeRewind = new Date().toISOString()
  await ask('POST', `&to=${moment}`, { mode: 'in-place' })
  await server.kill()
  await server.start()
  const ended = () =>
    eventually(
      'the rewind',
      async () => {
        const { rewind } = await ask('GET', '')
        return rewind?.state === 'running' ? undefined : rewind
      },
      60_000,
    )
  const done = await ended()
  assert.deepEqual([done?.state, done?.gone, done?.failed], ['done', 0, 0])
  await eventually(
    'the notes on the laptop',
    async () => textOf(laptop, 'notes.txt') === 'good notes' || undefined,
    60_000,
  )
  await untilInSync([server, laptop])
  for (const name of NAMES) assert.equal(textOf(laptop, name), `content of ${name}`, name)
  assert.equal(textOf(laptop, 'ransom.txt'), 'pay', 'what is newer stays')

  await ask('POST', `&to=${beforeRewind}`, { mode: 'in-place' })
  assert.equal((await ended())?.state, 'done')
  await eventually('undone', async () => textOf(laptop, 'notes.txt') === 'encrypted by a virus' || undefined, 60_000)
  await untilInSync([server, laptop])
  assert.ok(!existsSync(join(laptop.root, 'photos')))
})
