import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BEN, folder, OWN, run } from './fake-replies.ts'

const MARKED = `PATCH /rest/config/devices/${BEN} {"untrusted":true}`
const sharedBy = (encryptionPassword: string) => {
  const devices = [{ deviceID: OWN }, { deviceID: BEN, encryptionPassword }]
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
  assert.ok(sheet.includes(`\n${made}\n`) && sheet.includes('twinfold decrypt'), sheet)

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
