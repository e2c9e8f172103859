import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileHead } from '../../../src/core/records/file-info.ts'
import { isUntrustedTypeChange } from '../../../src/core/records/untrusted-change.ts'
import { deletion, directory, file } from '../../db/records.ts'
import { LAPTOP, SERVER } from '../../support/config.ts'

const LINK: FileHead = { ...directory('a'), type: 'symlink', symlinkTarget: '/etc' }
const DEVICES = [
  { deviceID: SERVER, encryptionPassword: 'secret' },
  { deviceID: LAPTOP, encryptionPassword: '' },
]

const CASES: readonly (readonly [what: string, local: FileHead | undefined, global: FileHead, expected: boolean])[] = [
  ['a file becomes a symlink', file('a'), LINK, true],
  ['a file becomes a directory', file('a'), directory('a'), true],
  ['a symlink becomes a file', LINK, file('a'), true],
  ['a directory becomes a symlink', directory('a'), LINK, true],
  ['a new content', file('a'), file('a', { sizeBytes: 7 }), false],
  ['a deletion', file('a'), deletion('a'), false],
  ['a new item', undefined, LINK, false],
  ['an item in place of a deleted one', deletion('a'), LINK, false],
]
for (const [what, local, global, expected] of CASES) {
  test(`B-41: the word of an untrusted device alone: ${what}`, () => {
    assert.equal(isUntrustedTypeChange({ local, global, holders: [SERVER] }, DEVICES), expected)
    assert.equal(isUntrustedTypeChange({ local, global, holders: [SERVER, LAPTOP] }, DEVICES), false, 'not alone')
    assert.equal(isUntrustedTypeChange({ local, global, holders: [LAPTOP] }, DEVICES), false, 'trusted')
  })
}
