import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { testProgram } from '../../tools/test-program.ts'
import { missingProgram } from '../support/debian.ts'
import { scratchDirectory } from '../support/scratch.ts'

const PROGRAM = testProgram()
const VECTORS = new URL('../vectors/', import.meta.url)
const { folder, names } = JSON.parse(readFileSync(new URL('encryption.json', VECTORS), 'utf8')) as {
  readonly folder: { readonly folder_id: string; readonly password: string; readonly password_token_hex: string }
  readonly names: readonly { readonly plain_name: string; readonly encrypted_path: string }[]
}

/** An encrypted folder with one file of several blocks. */
function makeEncrypted(root: string): void {
  const big = names.find(({ plain_name }) => plain_name.includes('big')) ?? assert.fail('no big file')
  const path = join(root, big.encrypted_path)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, readFileSync(new URL('encryption-big.bin', VECTORS)))
}

test('decrypt shows its progress on a terminal, and only there', { skip: missingProgram('script', 'bsdutils') }, () => {
  using scratch = scratchDirectory()
  makeEncrypted(scratch.path)
  const words = [PROGRAM, 'decrypt', scratch.path, '--verify-only', '--folder-id', folder.folder_id]
  const env = { ...process.env, FOLDER_PASSWORD: folder.password, NO_COLOR: '1' }
  const options = { encoding: 'utf8', env } as const
  const command = [process.execPath, ...words].map((word) => `'${word}'`).join(' ')
  const terminal = spawnSync('script', ['-qec', command, '/dev/null'], options)
  assert.equal(terminal.status, 0, terminal.stdout)
  assert.match(terminal.stdout, /decrypt .*\d+ % .* of /)
  assert.match(terminal.stdout, /1 file verified/)
  const plain = spawnSync(process.execPath, words, options)
  assert.equal(plain.status, 0, plain.stderr)
  assert.doesNotMatch(plain.stdout + plain.stderr, /%/)
})

test('decrypt: the password comes from its file; as an argument it works for scripts, with a warning', () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'encrypted')
  makeEncrypted(root)
  const file = join(scratch.path, 'password.txt')
  writeFileSync(file, `${folder.password}\n\nexplanation\n`)
  const decrypt = (...more: readonly string[]) => {
    const { FOLDER_PASSWORD: _password, ...env } = process.env
    const words = [PROGRAM, 'decrypt', root, '--verify-only', '--folder-id', folder.folder_id, ...more]
    return spawnSync(process.execPath, words, { encoding: 'utf8', env })
  }
  const byFile = decrypt('--password-file', file)
  assert.deepEqual([byFile.status, byFile.stderr], [0, ''])
  const argument = decrypt('--password', folder.password)
  assert.equal(argument.status, 0)
  assert.match(argument.stderr, /^Warning: other users .* can see --password; --password-file hides it$/m)
  const none = decrypt()
  assert.equal(none.status, 1)
  assert.match(none.stderr, /name its file with --password-file/)
  assert.doesNotMatch(none.stderr, /--password\b(?!-file)/)
  writeFileSync(file, `Password of folder "docs", which is encrypted on "nas":\n\n${folder.password}\n`)
  assert.match(decrypt('--password-file', file).stderr, /is a title, not a password/)
})

test('decrypt: a folder that was removed from its device has its ID in the renamed marker', () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'encrypted')
  makeEncrypted(root)
  const marker = join(root, '.stfolder.removed-20261117-101500')
  mkdirSync(marker)
  const Token = Buffer.from(folder.password_token_hex, 'hex').toString('base64')
  const token = JSON.stringify({ FolderID: folder.folder_id, Token })
  writeFileSync(join(marker, 'syncthing-encryption_password_token'), `${token}\n`)
  const to = join(scratch.path, 'restored')
  const decrypt = (password: string) =>
    spawnSync(process.execPath, [PROGRAM, 'decrypt', root, '--to', to], {
      encoding: 'utf8',
      env: { ...process.env, FOLDER_PASSWORD: password },
    })
  assert.match(decrypt('another').stderr, /encrypted with another password/)
  const { status, stdout, stderr } = decrypt(folder.password)
  assert.deepEqual([status, stderr], [0, ''])
  assert.equal(stdout, '1 file restored\n')
})
