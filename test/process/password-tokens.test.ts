/** Password tokens of encrypted folders that are hostile or damaged: they stop their folder, nothing else. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DeviceId } from '../../src/core/ids.ts'
import type { ClusterFolder } from '../../src/protocol/types.ts'
import { restartMember, startMember, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { clusterDevice, newIdentity, ScriptedPeer } from '../support/scripted-peer.ts'

const NO_TOKEN = new Uint8Array(0)
/** The length of a token of the folder `docs`: a synthetic nonce, and the sealed text of 13 bytes. */
const TOKEN = new Uint8Array(16 + 9 + 4).fill(7)

interface Scene {
  readonly member: Member
  readonly tokenFile: string
  /** Connects and announces `docs`, with a token for the daemon, and `plain`. */
  dial(to: Member, token: Uint8Array): Promise<ScriptedPeer>
}

/** A daemon that stores `docs` encrypted and `plain` in readable form, shared with a device that a test plays. */
async function stage(directory: string): Promise<Scene> {
  const who = await newIdentity()
  const member = await startMember(directory, 'untrusted')
  const [docs, plain] = [join(directory, 'docs'), join(directory, 'plain')]
  mkdirSync(plain)
  writeFileSync(join(plain, 'a.txt'), 'content')
  await member.daemon.post('/rest/config/devices', { deviceID: who.id, name: 'script', addresses: ['dynamic'] })
  const more = { devices: [{ deviceID: who.id }], rescanIntervalS: 0 }
  await member.daemon.addFolder('docs', docs, { ...more, type: 'receiveencrypted' })
  await member.daemon.addFolder('plain', plain, more)
  for (const folder of ['docs', 'plain']) await member.daemon.post(`/rest/db/scan?folder=${folder}`)
  const dial = async (to: Member, token: Uint8Array) => {
    const peer = await eventually('the daemon to listen', () => ScriptedPeer.dial({ ...who, port: to.port }))
    await peer.connection.clusterConfig({
      secondary: false,
      folders: [announced(peer, who.id, 'docs', token), announced(peer, who.id, 'plain', NO_TOKEN)],
    })
    return peer
  }
  return { member, tokenFile: join(docs, '.stfolder', 'syncthing-encryption_password_token'), dial }
}

function announced(peer: ScriptedPeer, own: DeviceId, id: string, token: Uint8Array): ClusterFolder {
  const devices = [clusterDevice(peer.daemon, { encryptionPasswordToken: token }), clusterDevice(own, { indexId: 77n })]
  return { id, label: id, type: 'sendreceive', paused: false, disableTempIndexes: false, devices }
}

async function plainIsExchanged(peer: ScriptedPeer, what: string): Promise<void> {
  await eventually(what, () => {
    assert.equal(peer.ended, undefined, what)
    return peer.received.indexes.some(({ folder, files }) => folder === 'plain' && files.length > 0) || undefined
  })
}

async function folderError({ daemon }: Member): Promise<string> {
  const { error } = (await daemon.get('/rest/db/status?folder=docs')) as { error: string }
  return error
}

const LENGTHS = [1, 15, TOKEN.length - 1, TOKEN.length + 1, 20_000, 1_000_000]

test('B-40: a token of another length is refused for its folder only, and is not stored', async () => {
  using scratch = scratchDirectory()
  const { member, tokenFile, dial } = await stage(scratch.path)
  await using _daemon = member.daemon
  for (const length of LENGTHS) {
    await using peer = await dial(member, new Uint8Array(length).fill(7))
    await plainIsExchanged(peer, `the other folder beside a token of ${length} bytes`)
    assert.ok(!existsSync(tokenFile), `a token of ${length} bytes is not stored`)
    const found = (await member.daemon.get('/rest/twinfold/disagreements')) as { folder: string; code: string }[]
    assert.deepEqual(
      found.map(({ folder, code }) => [folder, code]),
      [['docs', 'malformed-token']],
    )
  }
  await using peer = await dial(member, TOKEN)
  await eventually('a token of the right length to be stored', () => existsSync(tokenFile) || undefined)
  await plainIsExchanged(peer, 'the other folder')
  assert.deepEqual(await member.daemon.get('/rest/twinfold/disagreements'), [])
  reportRow({ id: 'B-40', tried: LENGTHS.length })
})

const DAMAGES: readonly (readonly [what: string, content: string])[] = [
  ['cut off', '{"FolderID":"docs","Tok'],
  ['empty', ''],
  ['of another folder', JSON.stringify({ FolderID: 'other', Token: Buffer.from(TOKEN).toString('base64') })],
  ['of another length', JSON.stringify({ FolderID: 'docs', Token: Buffer.alloc(20_000).toString('base64') })],
]

for (const [what, content] of DAMAGES) {
  test(`D-40: a stored token that is ${what} stops its folder until it is repaired, and nothing else`, async () => {
    using scratch = scratchDirectory()
    const { member, tokenFile, dial } = await stage(scratch.path)
    await using first = member.daemon
    const peer = await dial(member, TOKEN)
    await eventually('the token to be stored', () => existsSync(tokenFile) || undefined)
    const good = readFileSync(tokenFile)
    await peer[Symbol.asyncDispose]()
    writeFileSync(tokenFile, content)
    const second = await dial(member, TOKEN)
    await plainIsExchanged(second, 'the other folder over a new connection')
    await eventually('the folder to stop', async () => (await folderError(member)) !== '' || undefined)
    assert.equal(second.ended, undefined)
    await second[Symbol.asyncDispose]()
    assert.match(await folderError(member), /encryption token/)
    const { message } = await logLine(member, /folder docs stopped/)
    assert.ok(message.includes(tokenFile) && /remove/.test(message), `the file and the remedy: ${message}`)
    assert.equal(await first.signal('SIGTERM'), 0)
    const again = await restartMember(member)
    await using _again = again.daemon
    await using third = await dial(again, TOKEN)
    await plainIsExchanged(third, 'the other folder after a restart')
    await eventually('the folder to stop after a restart', async () => (await folderError(again)) !== '' || undefined)
    if (content === '') rmSync(tokenFile)
    else writeFileSync(tokenFile, good)
    await eventually('the folder to run again', async () => (await folderError(again)) === '' || undefined)
    await eventually('the token', () => (existsSync(tokenFile) && readFileSync(tokenFile).equals(good)) || undefined)
    assert.equal(third.ended, undefined)
    reportRow({ id: 'D-40', tried: 1 })
  })
}

async function logLine({ daemon }: Member, pattern: RegExp): Promise<{ readonly message: string }> {
  return await eventually('a line of the log', async () => {
    const { messages } = (await daemon.get('/rest/system/log')) as { messages: readonly { message: string }[] }
    return messages.find(({ message }) => pattern.test(message))
  })
}
