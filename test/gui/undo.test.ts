/** The undo of a change of the configuration: what it changed is as before, all else is kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isChanged, withoutChange } from '../../gui/view-model/undo.ts'
import type { Config } from '../../src/core/config/config.ts'
import { LAPTOP, LOCAL_ID } from '../support/config.ts'
import { folderConfig, liveState } from '../support/live-state.ts'

const BEFORE: Config = liveState({ folders: { a: {}, b: {} }, devices: [{ id: LAPTOP }] }).config!
const undo = (after: Config, current: Config = after) => withoutChange(current, BEFORE, after)
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
    assert.ok(isChanged(BEFORE, after))
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
  assert.equal(isChanged(BEFORE, after), false)
  assert.equal(undo(after).gui.user, 'anna')
})

test('a folder that others have removed since is not brought back by undoing its pause', () => {
  const after = folders((folder) => [{ ...folder, paused: true }])
  const current = { ...after, folders: after.folders.filter(({ id }) => id !== 'b') }
  assert.deepEqual(
    undo(after, current).folders.map(({ id }) => id),
    ['a'],
  )
})
