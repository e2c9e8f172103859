import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableCopy, type CopyFacts, type ReadableCopy } from '../../../src/core/encryption/readable-copy.ts'

const NOTHING: CopyFacts = { share: undefined, remoteState: undefined, offer: undefined }
const PLAIN = { encryptionPassword: '' }

const CASES: Readonly<Record<string, readonly [facts: Partial<CopyFacts>, expected: ReadableCopy]>> = {
  'neither shared nor offered': [{}, 'none'],
  'shared without a password, and accepted': [{ share: PLAIN, remoteState: 'valid' }, 'shared'],
  'shared without a password, and paused there': [{ share: PLAIN, remoteState: 'paused' }, 'shared'],
  'shared without a password, with a device that is offline': [{ share: PLAIN, remoteState: 'unknown' }, 'shared'],
  'shared without a password, and nothing known': [{ share: PLAIN }, 'shared'],
  'shared without a password, and never accepted': [{ share: PLAIN, remoteState: 'notSharing' }, 'none'],
  'shared with a password': [{ share: { encryptionPassword: 'x' }, remoteState: 'valid' }, 'none'],
  'offered in readable form': [{ offer: { remoteEncrypted: false } }, 'offered'],
  'offered by a device that stores it encrypted': [{ offer: { remoteEncrypted: true } }, 'none'],
}

for (const [title, [facts, expected]] of Object.entries(CASES))
  test(`a readable copy: ${title}`, () => assert.equal(readableCopy({ ...NOTHING, ...facts }), expected))
