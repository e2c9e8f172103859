import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderConfig, VersioningConfig } from '../../../src/core/config/config.ts'
import { FOLDER } from '../../../src/core/config/config-fields.ts'
import { FOLDER_EXTENSIONS } from '../../../src/core/config/extensions.ts'
import { defaultsOf } from '../../../src/core/config/field.ts'
import { isWithoutSafety, safetyOff, safetyOfNew, safetyOn } from '../../../src/core/config/safety.ts'
import { versionPolicy } from '../../../src/core/records/version-policy.ts'

const DEFAULTS = defaultsOf(FOLDER)
const folder = (versioning: Partial<VersioningConfig>, type: FolderConfig['type'] = 'sendreceive') => ({
  type,
  versioning: { ...DEFAULTS.versioning, ...versioning },
})

test('a folder gets a trash can of 30 days, a share of the disk and the guard; off takes all of it back', () => {
  const on = safetyOn(folder({}))
  assert.deepEqual(on.extensions, { guard: true, versionsPercentMax: 10 })
  assert.deepEqual(versionPolicy(on.versioning!), { kind: 'trashcan', ageSMax: 30 * 86_400 })
  const settings = { ...FOLDER_EXTENSIONS, ...on.extensions }
  assert.equal(isWithoutSafety(folder({}), FOLDER_EXTENSIONS), true)
  assert.equal(isWithoutSafety(folder(on.versioning!), settings), false)
  assert.equal(isWithoutSafety(folder(on.versioning!), FOLDER_EXTENSIONS), true, 'without the guard')
  const off = safetyOff(folder(on.versioning!))
  assert.equal(off.versioning?.type, '')
  assert.deepEqual({ ...settings, ...off.extensions }, FOLDER_EXTENSIONS)
})

test('versioning of the user is kept, and its versions are not limited', () => {
  const own = folder({ type: 'simple', params: { keep: '3' } })
  assert.deepEqual(safetyOn(own), { extensions: { guard: true } })
  assert.equal(safetyOff(own).versioning, undefined)
  assert.deepEqual(safetyOn(folder({ type: 'trashcan', params: { cleanoutDays: '0' } })).versioning, undefined)
  assert.deepEqual(safetyOfNew(DEFAULTS, { versioning: { type: 'staggered' } }), {
    extensions: { guard: true, merge: 'offer' },
  })
  assert.deepEqual(safetyOfNew({ ...DEFAULTS, ...own }, {}), { extensions: { guard: true, merge: 'offer' } })
  assert.equal(safetyOfNew(DEFAULTS, {}).versioning?.type, 'trashcan')
})

test('an encrypted folder has none of it, and is not offered it', () => {
  const hidden = folder({}, 'receiveencrypted')
  assert.deepEqual(safetyOn(hidden), { extensions: {} })
  assert.deepEqual(safetyOfNew(DEFAULTS, { type: 'receiveencrypted' }), { extensions: {} })
  assert.equal(isWithoutSafety(hidden, FOLDER_EXTENSIONS), false)
})
