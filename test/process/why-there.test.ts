/** Two devices: the reason why the other one does not follow is known here, as far as it announces it. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { WhyJson } from '../../src/rest/twinfold.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const pause = ({ daemon }: Member, paused: boolean) => daemon.request('PATCH', '/rest/config/folders/docs', { paused })
const scan = ({ daemon }: Member) => daemon.post('/rest/db/scan?folder=docs')
const why = async ({ daemon }: Member, file: string) =>
  (await daemon.get(`/rest/twinfold/why?folder=docs&file=${file}`)) as WhyJson
const codes = async (member: Member, file: string) => (await why(member, file)).reasons.map(({ code }) => code)

test('st#8914: deleted here while the folder was paused there, and ignored there: both devices say why', async () => {
  using scratch = scratchDirectory()
  await using desk = await startMember(scratch.path, 'desk')
  await using phone = await startMember(scratch.path, 'phone')
  mkdirSync(desk.root, { recursive: true })
  writeFileSync(join(desk.root, 'a.txt'), 'one')
  writeFileSync(join(desk.root, 'b.txt'), 'two')
  await connect(desk, phone, { fsWatcherEnabled: false })
  await scan(desk)
  await eventually('the phone has both', async () => existsSync(join(phone.root, 'b.txt')) || undefined, 60_000)
  await inSync([desk, phone])

  await pause(phone, true)
  await eventually('the pause is known', async () => {
    writeFileSync(join(desk.root, 'c.txt'), 'three')
    await scan(desk)
    return (await codes(desk, 'c.txt')).includes('paused-there') || undefined
  })
  rmSync(join(desk.root, 'a.txt'))
  await scan(desk)
  writeFileSync(join(phone.root, '.stignore'), 'a.txt\n')
  await pause(phone, false)
  await eventually('what is not ignored arrives', async () => existsSync(join(phone.root, 'c.txt')) || undefined)
  const sequence = await eventually('the phone has recorded the deletion', async () => {
    const { local } = (await phone.daemon.get('/rest/db/file?folder=docs&file=a.txt')) as {
      local: { deleted: boolean; sequence: number }
    }
    return local.deleted ? local.sequence : undefined
  })
  await eventually('the phone has announced it', async () => {
    const { remoteSequence } = (await desk.daemon.get('/rest/db/status?folder=docs')) as {
      remoteSequence: Record<string, number>
    }
    return (remoteSequence[phone.id] ?? 0) >= sequence || undefined
  })
  const { reasons } = await eventually('what is announced shows that it is ignored', async () => {
    const found = await why(desk, 'a.txt')
    return found.reasons.some(({ code }) => code === 'unused-there') ? found : undefined
  })
  assert.deepEqual(
    reasons.map(({ code }) => code),
    ['deleted', 'unused-there'],
  )
  assert.match(reasons[1]?.text ?? '', /left out on peer, so that its deletion is not applied there: a pattern/)
  assert.equal(existsSync(join(phone.root, 'a.txt')), true, 'an ignored file stays')
  assert.equal((await codes(phone, 'a.txt'))[0], 'ignored')

  await phone.daemon.request('PATCH', '/rest/config/folders/docs', { ignoreDelete: true })
  rmSync(join(desk.root, 'b.txt'))
  await scan(desk)
  await eventually('the deletion is not applied', async () => {
    const [there, here] = [await codes(phone, 'b.txt'), await codes(desk, 'b.txt')]
    return there[0] === 'deletion-ignored' && here[1] === 'deletion-waits-there' ? true : undefined
  })
})
