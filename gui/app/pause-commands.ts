import { confirmResume } from './confirm-resume.ts'
import { deviceName, otherDevices } from '../view-model/device.ts'
import { folderName } from '../view-model/folder-name.ts'
import { formatDuration, formatTime } from '../i18n/format.ts'
import { timeSpanIn } from '../view-model/time-span.ts'
import { client } from '../live/client.ts'
import { live } from '../live/live.ts'
import { reloadNow } from '../live/load.ts'
import type { LiveState } from '../live/state.ts'
import { t } from '../i18n/texts.ts'
import { runAction, changeConfig, showDone } from './run-action.ts'
import type { Command } from './command.ts'
import { changeWithUndo } from './undo.ts'

const HOUR_S = 3_600

interface Target {
  readonly kind: 'folder' | 'device'
  readonly id: string
  readonly name: string
  readonly paused: boolean
}

function targetsOf(state: LiveState): readonly Target[] {
  const folders = (state.config?.folders ?? []).map((folder) => ({
    kind: 'folder' as const,
    id: folder.id,
    name: folderName(folder),
    paused: folder.paused,
  }))
  const devices = otherDevices(state).map((device) => ({
    kind: 'device' as const,
    id: device.deviceID,
    name: deviceName(device),
    paused: device.paused,
  }))
  return [...folders, ...devices]
}

/** Pause and resume of every folder and device. */
export function pauseCommands(state: LiveState, kind: Target['kind']): readonly Command[] {
  return targetsOf(state)
    .filter((target) => target.kind === kind)
    .map(({ id, name, paused }) => ({
      id: `pause ${id}`,
      text: t(paused ? 'command.resume' : 'command.pause', { name }),
      kind: t(`command.${kind}`),
      icon: paused ? 'play' : 'pause',
      run: () => setPaused(kind, id, name, !paused),
    }))
}

/** Pauses for a time: the one that was typed, else an hour. */
export function timedPauseCommands(state: LiveState, typed: string): readonly Command[] {
  const span = timeSpanIn(typed) ?? { seconds: HOUR_S, typed: '1 h' }
  return targetsOf(state)
    .filter(({ paused }) => !paused)
    .map(({ kind, id, name }) => {
      const text = t('command.pauseFor', { name, time: formatDuration(span.seconds) })
      return {
        id: `pause ${id} ${span.seconds}`,
        text,
        search: `${text} ${t('command.pause', { name })} ${span.typed}`,
        kind: t(`command.${kind}`),
        icon: 'clock',
        run: () => pauseFor(kind, id, name, span.seconds),
      }
    })
}

async function setPaused(kind: Target['kind'], id: string, name: string, paused: boolean): Promise<boolean> {
  const folder = kind === 'folder' ? live.get().config?.folders.find((each) => each.id === id) : undefined
  if (folder !== undefined && !paused && !(await confirmResume(folder))) return false
  const doing = () =>
    kind === 'folder'
      ? client.changeFolder(id, { paused })
      : client.call('PATCH /rest/config/devices/:id', { id, body: { paused } })
  const done =
    kind === 'folder'
      ? t(paused ? 'fold.pausedDone' : 'fold.resumedDone', { folder: name })
      : t(paused ? 'device.pausedNow' : 'device.resumedNow', { name })
  return changeConfig(doing, done)
}

function pauseFor(kind: Target['kind'], id: string, name: string, seconds: number): Promise<boolean> {
  const query = { ...(kind === 'folder' ? { folder: id } : { device: id }), seconds }
  return runAction(async () => {
    const undo = await changeWithUndo(() => client.call('POST /rest/twinfold/pause', { query }))
    await reloadNow(live, ['summary'])
    showDone(t('command.pausedUntil', { name, time: formatTime(Date.now() + seconds * 1_000) }), undo)
  })
}
