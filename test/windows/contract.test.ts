import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runNode } from '../support/windows.ts'

/** What fails there, with the reason; anything else is a fault. `docs/proof/windows.md` has the same list. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'Wine reports symlinks as made and makes none': [
    'a clone is a copy where there are clones, and nothing where there are none; it replaces and follows nothing',
    'a directory that is held is where it was found, and what is done below its path is done in it',
    'a directory behind a symlink is read together with items in it, which are not followed',
    'a folder whose root is a link is read, also after the link has changed',
    'a rename to a new name moves files, symlinks and directories like any other',
    'a rename to a new name replaces nothing: no file, no symlink, no directory, not even an empty one',
    'a renamed symlink stays a symlink',
    'a second name shows the same file until one of them goes, and replaces and follows nothing',
    'a symlink is followed within a path, and at its end where documented',
    'a symlink is only created under a free name',
    'a symlink keeps its target, whether it exists or not',
    'a symlink that a crash left under a temporary name is removed when it is old',
    'a symlink, a directory or a missing directory is an error, not a lock',
    'an item with the temporary name is neither written nor followed',
    'an unexpected existing item is not replaced',
    'chmod and times of a symlink do not change its target',
    'create fails for a dangling symlink and does not create its target',
    'cyclic symlinks fail',
    'hard links share device and inode, other items do not',
    'items that were moved aside are kept at any age, and reported as such',
    'nothing is created through a symlink in place of the directory, or in a missing one',
    'read refuses a symlink, even to a file',
    'removing a symlink keeps its target',
    'stat follows, lstat does not',
    'the real path is the one behind symlinks',
    'write refuses a symlink, even to a file',
  ],
  'Windows has no permission bits, umask or owners': [
    'a copy has the content and the mode asked for, leaves the original, and replaces and follows nothing',
    'a directory without read permission is not listed (unless root)',
    'a new file has its content, mode and time, and no temporary name (sync: false)',
    'a new file has its content, mode and time, and no temporary name (sync: true)',
    'a path without read permission fails (unless root)',
    'a private file is private under any umask',
    'an item has the metadata of the disk, to the nanosecond',
    'chmod sets exactly the bits it is given, umask or not',
    'chown changes the owner, also of a symlink itself (if root)',
    'permissions of new items are reduced by the umask',
    'the file is private while locked and removed after',
    'the mode of an open file can be set',
  ],
  'Windows has no pipes in directories': [
    'a symlink, a directory or a pipe in place of the file is never hashed',
    'anything but a regular file inside the folder is absent',
    'read neither blocks on a pipe nor opens it',
    'symlinks are not followed, pipes and internal names are skipped',
    'write neither blocks on a pipe nor opens it',
  ],
  'Windows refuses such names, or folds their case': [
    'a list has every name once, without dots',
    'a name that is no UTF-8 is listed as invalid, others as valid',
    'a name that is no UTF-8 is a problem, one not in NFC is listed separately',
    'items are in byte order of the whole path',
    'names with special characters are ordinary names',
  ],
  'Windows reports another code, or has no such call': [
    'a file as a path component fails',
    'a file is not removed as a directory, a directory not as a file',
    'a rename replaces an empty directory by a directory only',
    'content and directory can be synced',
    'the length of names is limited',
    'the same calls have the same outcome on the real and on the simulated disk',
  ],
  'Node for Windows stores times in microseconds, and reads those before 1970 as of 2106': [
    'a time is read back as set, within the precision of the disk',
    'a time stays within its second',
    'an empty file, one before 1970, and one without a given mode',
    'times before 1970 count down in seconds and up in nanoseconds',
  ],
  'Windows resets a connection that is closed with unread data': [
    'a body over the limit rejects with body-too-large, and the refusal reaches the client',
    'a body that is not read does not hurt the next request',
    'readInto ends when either side has closed',
    'the end of one side is the end of reading for the other, after the last byte',
  ],
  'the host resolves no names': ['only a trusted certificate is talked to'],
  'Wine does not report changes in a directory that was renamed': ['a moved directory is watched at its new path'],
}
const known = new Set(Object.values(KNOWN).flat())
const FILES = [
  'block-reader',
  'clock',
  'disk',
  'disk-twins',
  'file-maker',
  'http',
  'http-client',
  'lock',
  'net',
  'passwords',
  'random',
  'scan-ports',
  'udp',
]
const FILE_MS_MAX = 400_000

for (const file of FILES)
  test(`the contract of ${file} holds on Windows, except for what is listed`, (context) => {
    const path = `Z:\\checkout\\test\\contract\\${file}.test.ts`
    const words = ['Z:\\checkout\\tools\\run-files.ts', '--timeout', '30000', path]
    const { output } = runNode(words, { timeoutMs: FILE_MS_MAX })
    const counts = /^(\d+) passed, (\d+) failed/m.exec(output)
    assert.ok(counts !== null, `no result: ${output.slice(-2_000)}`)
    context.diagnostic(`${file}: ${counts[0]}`)
    const failed = [...output.matchAll(/^FAILED (.*)$/gm)].map(([, title]) => (title ?? '').trim())
    const unknown = failed.filter((title) => !known.has(title.replace(/^(?:real|threads)[^:]*: /, '')))
    assert.deepEqual(unknown, [])
    assert.equal(failed.length, Number(counts[2]), 'every failure has a title')
  })
