import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchDirectory } from '../support/scratch.ts'
import { BEN, folder, LOCAL_ID, run } from './fake-replies.ts'

const MARKED = `PATCH /rest/config/devices/${BEN} {"untrusted":true}`
const sharedBy = (encryptionPassword: string) => {
  const devices = [{ deviceID: LOCAL_ID }, { deviceID: BEN, encryptionPassword }]
  return `PATCH /rest/config/folders/docs ${JSON.stringify({ devices })}`
}
const randomText = (length: number) => 'abcdefghijkmnpqrstuvwxyz2'.slice(0, length)

test('folder share --untrusted: a new password is made, shown once and saved in a new file', async () => {
  const made = 'abcde-fghij-kmnpq-rstuv-wxyz2'
  const shown = await run('folder share docs ben --untrusted', {}, { randomText })
  assert.deepEqual(shown.sent, [sharedBy(made), MARKED])
  assert.match(shown.out, /The password is abcde-fghij-kmnpq-rstuv-wxyz2/)
  assert.match(shown.out, /They see how many files .* no names, contents or times/)
  assert.match(shown.out, /pending accept docs --path/)

  const files = new Map<string, string>()
  const writeNew = async (path: string, bytes: Uint8Array) => void files.set(path, Buffer.from(bytes).toString())
  const saved = await run('folder share docs ben --untrusted --save key.txt', {}, { randomText, writeNew })
  assert.ok(!saved.out.includes(made), 'it is in the file')
  const sheet = files.get('/cwd/key.txt') ?? ''
  assert.ok(sheet.startsWith(`${made}\n`) && sheet.includes('twinfold decrypt'), sheet)
  const readText = async () => sheet
  const second = await run('folder share docs ben --untrusted --password-file key.txt', {}, { readText })
  assert.deepEqual(second.sent, [sharedBy(made), MARKED], 'the saved file is a password file')

  const full = { randomText, writeNew: () => Promise.reject(new Error('the file exists')) }
  assert.deepEqual(
    (await run('folder share docs ben --untrusted --save key.txt', {}, full)).sent,
    [],
    'nothing changed',
  )
})

test('folder share --untrusted: the password comes from a file or the input, never from an argument', async () => {
  const readText = async () => 'hunter2\nmore\n'
  const file = await run('folder share docs ben --untrusted --password-file key.txt', {}, { readText })
  assert.deepEqual(file.sent, [sharedBy('hunter2'), MARKED])
  assert.match(file.out, /the password is weak/)
  assert.ok(!file.out.includes('hunter2') && !file.err.includes('hunter2'))
  const inputLines = async function* () {
    yield 'correct horse battery staple'
  }
  const input = await run('folder share docs ben --untrusted --password-file -', {}, { inputLines })
  assert.deepEqual(input.sent, [sharedBy('correct horse battery staple'), MARKED])
  assert.match(input.out, /The password is strong/)
  const empty = await run('folder share docs ben --untrusted --password-file x', {}, { readText: async () => '' })
  assert.deepEqual([empty.code, empty.sent], [1, []])
  const alone = await run('folder share docs ben --password-file x', {}, { readText })
  assert.deepEqual(alone.sent, [])
  assert.match(alone.err, /--untrusted/)
})

test('folder share --save: an existing file is named and kept, and nothing is shared', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'key.txt')
  writeFileSync(path, 'mine')
  const { code, err, sent } = await run(
    `folder share docs ben --untrusted --save key.txt`,
    {},
    {
      randomText,
      absolutePath: () => path,
    },
  )
  assert.deepEqual([code, sent, readFileSync(path, 'utf8')], [1, [], 'mine'])
  assert.match(err, /key\.txt exists already; choose another name, or remove it first$/)
})

test('folder share --untrusted: the title in a file of an older version is no password', async () => {
  const made = 'abcde-fghij-kmnpq-rstuv-wxyz2'
  const titles = ['Password of folder "docs", which is encrypted on "nas":', '{device} 上加密数据的密码：']
  for (const title of titles) {
    const sheet = [title, '', made, '', 'twinfold decrypt DIRECTORY --folder-id docs --to DIRECTORY', '']
    const readText = async () => sheet.join('\r\n')
    const inputLines = async function* () {
      yield* sheet
    }
    for (const source of ['key.txt', '-']) {
      const refused = await run(
        `folder share docs ben --untrusted --password-file ${source}`,
        {},
        { readText, inputLines },
      )
      assert.deepEqual([refused.code, refused.sent], [1, []], `${title} from ${source}`)
      assert.match(refused.err, /first line of the password file is a title/)
    }
  }
})

test('folder share --untrusted: a device that has the folder in readable form is refused', async () => {
  const ben = { deviceID: BEN, introducedBy: '', encryptionPassword: '' }
  const shared = { 'GET /rest/config/folders': [folder({ devices: [ben] })] }
  const completion = (remoteState: string) => ({
    [`GET /rest/db/completion?folder=docs&device=${BEN}`]: { completion: 100, remoteState },
  })
  for (const remoteState of ['valid', 'paused', 'unknown']) {
    const refused = await run('folder share docs ben --untrusted', { ...shared, ...completion(remoteState) })
    assert.deepEqual([refused.code, refused.sent], [1, []], remoteState)
    assert.match(refused.err, /"docs" is shared with "ben" in readable form.*"twinfold folder unshare docs ben" here/)
  }
  const never = await run('folder share docs ben --untrusted', { ...shared, ...completion('notSharing') })
  assert.equal(never.code, 0, never.err)

  const offered = (remoteEncrypted: boolean) => ({
    [`GET /rest/cluster/pending/folders?device=${BEN}`]: {
      docs: { offeredBy: { [BEN]: { time: '', label: '', receiveEncrypted: false, remoteEncrypted } } },
    },
  })
  const kept = await run('folder share docs ben --untrusted', offered(false))
  assert.deepEqual([kept.code, kept.sent], [1, []])
  assert.match(kept.err, /"ben" has "docs" in readable form/)
  assert.equal((await run('folder share docs ben --untrusted', offered(true))).code, 0)
})

test('folder share --untrusted: a folder has one password, and an encrypted one needs none', async () => {
  const hidden = { deviceID: 'NAS', introducedBy: '', encryptionPassword: 'known' }
  const known = { 'GET /rest/config/folders': [folder({ devices: [hidden] })] }
  const { out, sent } = await run('folder share docs ben --untrusted', known)
  assert.match(sent[0] ?? '', /"encryptionPassword":"known"\}\]\}$/)
  assert.ok(!out.includes('known.') && out.includes('the one that the folder has for another device'))
  const stored = { 'GET /rest/config/folders': [folder({ type: 'receiveencrypted' })] }
  const refused = await run('folder share docs ben --untrusted', stored)
  assert.deepEqual([refused.code, refused.sent], [1, []])
})

test('folder share --untrusted: a device that has another folder in plain form is not marked', async () => {
  const ben = { deviceID: BEN, introducedBy: '', encryptionPassword: '' }
  const folders = [folder(), folder({ id: 'music', devices: [ben] })]
  const { sent } = await run(
    'folder share docs ben --untrusted',
    { 'GET /rest/config/folders': folders },
    { randomText },
  )
  assert.equal(sent.length, 1)
})
