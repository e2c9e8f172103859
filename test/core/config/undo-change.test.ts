/** The undo of a change of the configuration: what it changed is as before, all else is kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import { EXTENSIONS, patchExtensions } from '../../../src/core/config/extensions.ts'
import { isConfigChanged, settingsUndo, withoutChange } from '../../../src/core/config/undo-change.ts'
import { LAPTOP, LOCAL_ID } from '../../support/config.ts'
import { folderConfig, liveState } from '../../support/live-state.ts'

const BEFORE: Config = liveState({ folders: { a: {}, b: {} }, devices: [{ id: LAPTOP }] }).config!
const undo = (after: Config, current: Config = after): Config => {
  const undone = withoutChange(current, BEFORE, after)
  assert.ok(undone.kind === 'undone', JSON.stringify(undone))
  return undone.next
}
const folders = (change: (folder: Config['folders'][number]) => Config['folders']): Config => ({
  ...BEFORE,
  folders: BEFORE.folders.flatMap(change),
})

test('changed, removed and added folders and devices are as before', () => {
  const cases: readonly Config[] = [
    folders((folder) => [{ ...folder, paused: true }]),
    folders((folder) => (folder.id === 'b' ? [] : [folder])),
    { ...BEFORE, folders: [...BEFORE.folders, folderConfig('c', [LOCAL_ID])] },
    { ...BEFORE, devices: BEFORE.devices.filter(({ deviceID }) => deviceID !== LAPTOP) },
    { ...BEFORE, options: { ...BEFORE.options, natEnabled: !BEFORE.options.natEnabled } },
    { ...BEFORE, remoteIgnoredDevices: [{ deviceID: LAPTOP, name: 'x', address: '', time: '' }] },
  ]
  for (const after of cases) {
    assert.ok(isConfigChanged(BEFORE, after))
    assert.deepEqual(undo(after), BEFORE)
  }
})

test('what others have changed since is kept', () => {
  const after = folders((folder) => [{ ...folder, paused: true }])
  const current = {
    ...after,
    folders: after.folders.map((folder) => ({ ...folder, label: 'New' })),
    options: { ...after.options, maxSendKbps: 7 },
  }
  const undone = undo(after, current)
  assert.deepEqual(
    undone.folders.map(({ label, paused }) => [label, paused]),
    [
      ['New', false],
      ['New', false],
    ],
  )
  assert.equal(undone.options.maxSendKbps, 7)
})

test('the settings of the page, which hold the login, are no part of it', () => {
  const after = { ...BEFORE, gui: { ...BEFORE.gui, user: 'anna' } }
  assert.equal(isConfigChanged(BEFORE, after), false)
  assert.equal(undo(after).gui.user, 'anna')
})

test('what was changed since is not undone, and named', () => {
  const paused = folders((folder) => [{ ...folder, paused: true }])
  const added = { ...BEFORE, folders: [...BEFORE.folders, folderConfig('c', [LOCAL_ID])] }
  const removed = folders((folder) => (folder.id === 'b' ? [] : [folder]))
  const cases: readonly (readonly [after: Config, current: Config, what: string])[] = [
    [paused, { ...paused, folders: paused.folders.filter(({ id }) => id !== 'b') }, 'folder b'],
    [paused, { ...paused, folders: BEFORE.folders }, 'folder a: paused'],
    [added, { ...added, folders: added.folders.map((each) => ({ ...each, label: 'New' })) }, 'folder c'],
    [removed, BEFORE, 'folder b'],
    [
      { ...BEFORE, options: { ...BEFORE.options, maxSendKbps: 3 } },
      { ...BEFORE, options: { ...BEFORE.options, maxSendKbps: 4 } },
      'option: maxSendKbps',
    ],
  ]
  for (const [after, current, what] of cases)
    assert.deepEqual(withoutChange(current, BEFORE, after), { kind: 'changed', what })
})

test('a removed folder gets back its place in the list', () => {
  const after = folders((folder) => (folder.id === 'a' ? [] : [folder]))
  assert.deepEqual(
    undo(after).folders.map(({ id }) => id),
    ['a', 'b'],
  )
})

test('settings that Syncthing does not have are as before, unless they were changed since', () => {
  const before = patchExtensions(EXTENSIONS, { folders: { a: { collect: true } } })
  const after = patchExtensions(before, {
    drive: true,
    inhibitSleep: true,
    folders: { a: { collect: false }, b: { guard: true } },
  })
  const other = patchExtensions(after, { folders: { a: { sharedIgnores: true } } })
  for (const current of [after, other]) {
    const undone = settingsUndo(current, before, after)
    assert.ok(undone.kind === 'undone')
    const next = patchExtensions(current, undone.next)
    assert.deepEqual([next.drive, next.inhibitSleep], [false, false])
    assert.deepEqual([next.folders['a']?.collect, next.folders['b']], [true, undefined])
    assert.equal(next.folders['a']?.sharedIgnores, current === other)
  }
  const changed = patchExtensions(after, { folders: { b: { guard: false } } })
  assert.deepEqual(settingsUndo(changed, before, after), { kind: 'changed', what: 'folder b: guard' })
})
