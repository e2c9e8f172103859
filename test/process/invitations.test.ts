/** Two real devices and one string between them, by the commands. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { restartMember, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const scratch = scratchDirectory()
let anna: Member
let ben: Member

before(async () => {
  ;[anna, ben] = (await Promise.all(['anna', 'ben'].map((name) => startMember(scratch.path, name)))) as [Member, Member]
  mkdirSync(anna.root)
  writeFileSync(join(anna.root, 'beach.txt'), 'sand')
  await anna.daemon.addFolder('photos', anna.root)
})

after(async () => {
  await Promise.all([anna, ben].map((member) => member.daemon[Symbol.asyncDispose]()))
  scratch[Symbol.dispose]()
})

async function twinfold({ daemon }: Member, words: readonly string[], input?: string) {
  const place = ['--home', daemon.home, '--gui-address', daemon.url]
  const { code, out, err } = await runCommand([...words, ...place], { ...(input !== undefined && { input }) })
  return { code, out: out.trim(), err }
}

const fileOf = ({ daemon }: Member): string => join(daemon.home, 'twinfold-invitations.json')
const logOf = async ({ daemon }: Member): Promise<string> => JSON.stringify(await daemon.get('/rest/system/log'))

test('one command here, one there: the folder arrives, over restarts in between', async () => {
  const invited = await twinfold(anna, ['invite', '--folder', 'photos', '--type', 'receiveonly'])
  assert.match(invited.out, /^twinfold:\/\/join#1[\w-]+$/, invited.err)
  const secret = Buffer.from(invited.out.split('#1')[1]!, 'base64url').subarray(36, 52)
  const stored = readFileSync(fileOf(anna), 'utf8')
  for (const encoding of ['hex', 'base64', 'base64url'] as const) assert.ok(!stored.includes(secret.toString(encoding)))
  assert.equal(statSync(fileOf(anna)).mode & 0o777, 0o600)
  await anna.daemon[Symbol.asyncDispose]()
  const path = join(scratch.path, 'photos-of-ben')
  const planned = await twinfold(ben, ['join', '-', '--path', path, '--check'], `Hi Ben,\n${invited.out}\n`)
  assert.match(planned.out, /Would add device .*\nWould add folder "photos" at .*photos-of-ben \(receiveonly\)/)
  const joining = twinfold(ben, ['join', invited.out, '--path', path])
  await eventually('the folder of Ben', async () => {
    const folders = (await ben.daemon.get('/rest/config/folders')) as readonly { id: string }[]
    return folders.length === 1 ? true : undefined
  })
  anna = await restartMember(anna)
  const joined = await joining
  assert.match(joined.out, /^Added device .*\nAdded folder "photos".*\nConnected\.$/, joined.err)
  await eventually('the photo', () => {
    try {
      return readFileSync(join(path, 'beach.txt'), 'utf8') === 'sand' ? true : undefined
    } catch {
      return undefined
    }
  })
  const devices = (await anna.daemon.get('/rest/config/devices')) as readonly { deviceID: string }[]
  assert.ok(devices.some(({ deviceID }) => deviceID === ben.id))
  assert.deepEqual(await anna.daemon.get('/rest/cluster/pending/devices'), {})
  for (const member of [anna, ben]) {
    await eventually('the end of the invitation', () => {
      const { invitations, joins } = JSON.parse(readFileSync(fileOf(member), 'utf8'))
      return invitations.length + joins.length === 0 ? true : undefined
    })
    const log = await logOf(member)
    assert.ok(!log.includes(invited.out.slice(-30)) && !log.includes(secret.toString('hex')))
  }
  assert.match(await logOf(anna), /has joined by invitation [0-9a-f]{16}; shared with it: /)
})

test('an invitation of this device and a revoked one say so, and change nothing', async () => {
  const { out } = await twinfold(anna, ['invite', '--folder', 'photos', '--expires', '2h'])
  const self = await twinfold(anna, ['join', out])
  assert.deepEqual([self.code, self.out], [1, ''])
  assert.match(self.err, /an invitation of this device; use it on the other one/)
  const [{ id }] = (await anna.daemon.get('/rest/twinfold/invitations')) as [{ id: string }]
  assert.equal((await twinfold(anna, ['invite', 'revoke', id])).out, `Revoked the invitation ${id}.`)
  assert.deepEqual(await anna.daemon.get('/rest/twinfold/invitations'), [])
  const again = await anna.daemon.request('DELETE', `/rest/twinfold/invitations/${id}`)
  assert.deepEqual([again.status, /it was used, revoked or has expired/.test(await again.text())], [404, true])
})
