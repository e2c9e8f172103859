import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import { decryptFolder, type DecryptOptions, type DecryptResult } from '../../../src/main/decrypt/decrypt-folder.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { scratchDirectory } from '../../support/scratch.ts'

interface Vector {
  readonly plain_name: string
  readonly plain_size: number
  readonly plain_hex?: string
  readonly encrypted_file_hex?: string
}

const VECTORS = new URL('../../vectors/', import.meta.url)
const vectors = JSON.parse(readFileSync(new URL('encryption.json', VECTORS), 'utf8')) as {
  readonly folder: { readonly folder_id: string; readonly folder_key_hex: string }
  readonly names: readonly { readonly plain_name: string; readonly encrypted_path: string; readonly on_disk: string }[]
  readonly files: readonly Vector[]
}
const { folder_id, folder_key_hex } = vectors.folder
const cipher = new FolderCipher(Buffer.from(folder_key_hex, 'hex'), folder_id)
const SMALL = cipher.encryptName('a.txt')

function plainOf({ plain_hex, plain_size }: Vector): Buffer {
  if (plain_hex !== undefined) return Buffer.from(plain_hex, 'hex')
  return Buffer.from(Uint8Array.from({ length: plain_size }, (_, i) => (31 * i + Math.floor(i / 256)) % 256))
}

/** The directory of an encrypted folder as a Syncthing left it. */
class Restoration {
  readonly from: string
  readonly to: string
  readonly problems = new Map<string, string>()
  readonly outcomes = new Map<string, string>()

  constructor(directory: string) {
    this.from = join(directory, 'encrypted')
    this.to = join(directory, 'plain')
    for (const path of [join(this.from, '.stfolder'), this.to]) mkdirSync(path, { recursive: true })
    for (const { encrypted_path, on_disk, plain_name } of vectors.names) {
      const path = join(this.from, encrypted_path)
      mkdirSync(on_disk === 'directory' ? path : dirname(path), { recursive: true })
      const file = vectors.files.find((each) => each.plain_name === plain_name)
      if (file === undefined) continue
      const hex = file.encrypted_file_hex
      writeFileSync(
        path,
        hex === undefined ? readFileSync(new URL('encryption-big.bin', VECTORS)) : Buffer.from(hex, 'hex'),
      )
    }
  }

  run(changes: Partial<DecryptOptions> = {}): Promise<DecryptResult> {
    this.problems.clear()
    this.outcomes.clear()
    let last = 0
    return decryptFolder(
      {
        disk: nodeDisk,
        platform: process.platform,
        onProgress: (done, total) => {
          assert.ok(done >= last && done <= total, 'progress goes forward')
          last = done
        },
        onFile: (name, outcome) => void this.outcomes.set(name, outcome),
        onProblem: (path, reason) => void this.problems.set(path, reason),
      },
      { cipher, from: this.from, to: this.to, ...changes },
    )
  }

  change(path: string, edit: (bytes: Buffer) => Buffer): void {
    writeFileSync(join(this.from, path), edit(readFileSync(join(this.from, path))))
  }
}

const COUNT = vectors.files.length
const OTHERS = vectors.names.length - COUNT

test('decrypt: restores what a Syncthing stored, with modes and times, and continues where it stopped', async () => {
  using scratch = scratchDirectory()
  const tree = new Restoration(scratch.path)
  assert.deepEqual(await tree.run(), { files: COUNT, present: 0, problems: 0, others: OTHERS })
  for (const file of vectors.files) {
    const path = join(tree.to, file.plain_name)
    assert.ok(readFileSync(path).equals(plainOf(file)), file.plain_name)
    const { mode, mtimeMs } = statSync(path)
    assert.equal(mode & 0o777, 0o644)
    assert.equal(Math.floor(mtimeMs / 1_000), 1_700_000_000)
  }
  assert.deepEqual(await tree.run(), { files: COUNT, present: COUNT, problems: 0, others: OTHERS })
})

test('decrypt: verifying writes nothing', async () => {
  using scratch = scratchDirectory()
  const tree = new Restoration(scratch.path)
  assert.equal((await tree.run({ to: undefined })).files, COUNT)
  assert.deepEqual(readdirSync(tree.to), [])
  assert.deepEqual([...new Set(tree.outcomes.values())], ['verified'])
})

const DAMAGES: readonly (readonly [what: string, edit: (bytes: Buffer) => Buffer, reason: RegExp])[] = [
  ['a changed block', (bytes) => bytes.fill(0, 100, 110), /block 0 of 1 is damaged/],
  ['a lost end', (bytes) => bytes.subarray(0, -1), /record/],
  ['an empty file', () => Buffer.alloc(0), /does not end with a record/],
  ['a length beyond the file', (bytes) => bytes.fill(255, bytes.length - 4), /does not end with a record/],
  ['a changed record', (bytes) => bytes.fill(0, bytes.length - 60, bytes.length - 20), /record/],
  ['something else', () => Buffer.from('a plain file that somebody put there'), /record/],
]
for (const [what, edit, reason] of DAMAGES) {
  test(`decrypt: ${what} is reported, and the other files are restored`, async () => {
    using scratch = scratchDirectory()
    const tree = new Restoration(scratch.path)
    tree.change(SMALL, edit)
    assert.deepEqual(await tree.run(), { files: COUNT - 1, present: 0, problems: 1, others: OTHERS })
    assert.match(tree.problems.get(SMALL) ?? '', reason)
    assert.ok(!existsSync(join(tree.to, 'a.txt')))
    const left = readdirSync(tree.to, { recursive: true }).filter((name) => String(name).includes('.tmp'))
    assert.deepEqual(left, [], 'no temporary file is left')
  })
}

test('decrypt: another password restores nothing', async () => {
  using scratch = scratchDirectory()
  const tree = new Restoration(scratch.path)
  const result = await tree.run({ cipher: new FolderCipher(Buffer.alloc(32), folder_id) })
  assert.equal(result.problems, COUNT)
  assert.deepEqual(readdirSync(tree.to), [])
})

test('decrypt: nothing is overwritten, and no symlink is followed', async () => {
  using scratch = scratchDirectory()
  const tree = new Restoration(scratch.path)
  writeFileSync(join(tree.to, 'a.txt'), 'of the user')
  utimesSync(join(tree.to, 'a.txt'), 5, 5)
  const outside = join(scratch.path, 'outside')
  mkdirSync(outside)
  symlinkSync(outside, join(tree.to, 'docs'))
  const { files, problems } = await tree.run()
  assert.deepEqual([files, problems], [COUNT - 2, 2])
  assert.equal(readFileSync(join(tree.to, 'a.txt'), 'utf8'), 'of the user')
  assert.deepEqual(readdirSync(outside), [])
})

test('decrypt: a part of the folder is enough', async () => {
  using scratch = scratchDirectory()
  const tree = new Restoration(scratch.path)
  assert.equal((await tree.run({ from: dirname(join(tree.from, SMALL)) })).files, 1)
  assert.equal(readFileSync(join(tree.to, 'a.txt'), 'utf8'), 'secret\n')
})

test('decrypt: the directory for the plain files is created, with those above it', async () => {
  using scratch = scratchDirectory()
  const tree = new Restoration(scratch.path)
  const to = join(scratch.path, 'new', 'restored')
  assert.deepEqual(await tree.run({ to }), { files: COUNT, present: 0, problems: 0, others: OTHERS })
  assert.equal(readFileSync(join(to, 'a.txt'), 'utf8'), 'secret\n')
})

const OWN = [
  '.stfolder/syncthing-encryption_password_token',
  '.stfolder.removed-20261117-101500/syncthing-encryption_password_token',
  '.own-marker/syncthing-encryption_password_token',
  '.own-marker/.syncthing-encryption_password_token.tmp',
  '.stignore',
  '.stversions/9.syncthing-enc/U8/CHQP~20261117-101500',
  '9.syncthing-enc/U8/.syncthing.CHQP.tmp',
  '9.syncthing-enc/U8/~syncthing~CHQP.tmp',
]
test('decrypt: what belongs to the folder itself is no item that could not be restored', async () => {
  using scratch = scratchDirectory()
  const tree = new Restoration(scratch.path)
  for (const path of OWN) {
    mkdirSync(dirname(join(tree.from, path)), { recursive: true })
    writeFileSync(join(tree.from, path), 'not of a user')
  }
  assert.deepEqual(await tree.run(), { files: COUNT, present: 0, problems: 0, others: OTHERS })
  assert.deepEqual([...tree.problems], [])
})

test('decrypt: what is neither a file nor a directory counts as not restored', async () => {
  using scratch = scratchDirectory()
  const tree = new Restoration(scratch.path)
  symlinkSync('/', join(tree.from, 'link'))
  assert.equal((await tree.run()).problems, 1)
  assert.deepEqual([...tree.problems.keys()], ['link'])
})
