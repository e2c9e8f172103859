import { deviceName, otherDevices } from '../view-model/device.ts'
import { folderName } from '../view-model/folder-name.ts'
import { wantsLogin } from '../view-model/password.ts'
import { client } from '../live/client.ts'
import { debugFacilities, switchDebug } from '../live/debug.ts'
import type { LiveState } from '../live/state.ts'
import { AddDeviceDialog } from '../pages/add/add-device.tsx'
import { AddFolderDialog } from '../pages/add/add-folder.tsx'
import { logOut } from '../pages/login/log-out.ts'
import { language, LANGUAGES, type Language } from '../i18n/language.ts'
import { t } from '../i18n/texts.ts'
import { detach } from '../../src/core/errors.ts'
import { runAction, runUndo } from './run-action.ts'
import { storedUndo } from './undo.ts'
import type { Command } from './command.ts'
import { openDialog } from '../base/dialogs.tsx'
import { openKeys } from './keys-help.tsx'
import { mayDo } from '../live/access.ts'
import type { Scope } from '../../src/core/access.ts'
import { pauseCommands, timedPauseCommands } from './pause-commands.ts'
import { PLACES } from './places.ts'
import { restartDaemon, shutDownDaemon } from './power.ts'
import { goTo } from '../base/route.ts'
import { conflictCommands, settingCommands } from './setting-commands.ts'
import { theme } from '../base/theme.ts'
import { latestUndo } from './toasts.tsx'

/** All that can be done now: where to go first, then what to do. */
export function commandsOf(state: LiveState, typed: string): readonly Command[] {
  const all: readonly Command[] = [
    ...needing('operate', undoCommands()),
    ...placeCommands(),
    ...folderCommands(state),
    ...deviceCommands(state),
    ...generalCommands(state),
    ...conflictCommands(state),
    ...needing('operate', timedPauseCommands(state, typed)),
    ...viewCommands(),
    ...needing('admin', settingCommands()),
    ...needing('admin', debugCommands()),
  ]
  return all.filter(({ needs }) => mayDo(state, needs))
}

function needing(needs: Scope, commands: readonly Command[]): readonly Command[] {
  return commands.map((command) => ({ ...command, needs }))
}

/** The latest action, also after a reload of the page. */
function undoCommands(): readonly Command[] {
  const stored = storedUndo()
  const latest = latestUndo() ?? (stored && { text: stored.text, run: () => detach(runUndo(stored.tokens)) })
  if (latest === undefined) return []
  const text = t('undo.latest', { what: latest.text })
  return [{ id: 'undo', text, kind: t('command.action'), icon: 'changes', run: latest.run }]
}

function placeCommands(): readonly Command[] {
  return PLACES.map(({ place, icon, word }) => ({
    id: `go ${place}`,
    text: t(word),
    kind: t('command.go'),
    icon,
    run: () => goTo(...(place === '' ? [] : [place])),
  }))
}

function folderCommands(state: LiveState): readonly Command[] {
  const kind = t('command.folder')
  const rows = (state.config?.folders ?? []).flatMap((folder) => {
    const [id, name, { paused }] = [folder.id, folderName(folder), folder]
    const scan = {
      id: `scan ${id}`,
      text: t('command.rescan', { name }),
      kind,
      icon: 'sync',
      needs: 'operate',
      run: () => runAction(() => client.scan(id), t('command.rescanned', { name })),
    } as const
    return [
      { id: `folder ${id}`, text: name, kind, icon: 'folder', run: () => goTo('folders', id) } as const,
      ...(paused ? [] : [scan]),
    ]
  })
  return [...rows, ...needing('operate', pauseCommands(state, 'folder'))]
}

function deviceCommands(state: LiveState): readonly Command[] {
  const rows = otherDevices(state).map((device) => ({
    id: `device ${device.deviceID}`,
    text: deviceName(device),
    kind: t('command.device'),
    icon: 'device' as const,
    run: () => goTo('devices', device.deviceID),
  }))
  return [...rows, ...needing('operate', pauseCommands(state, 'device'))]
}

function generalCommands(state: LiveState): readonly Command[] {
  const kind = t('command.action')
  const scanAll = () => client.call('POST /rest/db/scan', { query: {}, timeoutMs: undefined })
  return [
    {
      id: 'add folder',
      text: t('command.addFolder'),
      needs: 'admin',
      kind,
      icon: 'plus',
      run: () => openDialog(() => <AddFolderDialog />),
    },
    {
      id: 'add device',
      text: t('command.addDevice'),
      needs: 'admin',
      kind,
      icon: 'plus',
      run: () => openDialog(() => <AddDeviceDialog />),
    },
    {
      id: 'scan all',
      text: t('command.rescanAll'),
      needs: 'operate',
      kind,
      icon: 'sync',
      run: () => runAction(scanAll, t('command.rescannedAll')),
    },
    { id: 'keys', text: t('keys.title'), kind, icon: 'keyboard', run: openKeys },
    ...(wantsLogin(state)
      ? [{ id: 'log out', text: t('top.logout'), kind, icon: 'leave', run: () => runAction(logOut) } as const]
      : []),
    { id: 'restart', text: t('power.restart'), kind, icon: 'sync', needs: 'admin', run: restartDaemon },
    { id: 'shut down', text: t('power.shutdown'), kind, icon: 'power', needs: 'admin', run: shutDownDaemon },
  ]
}

function viewCommands(): readonly Command[] {
  const themes = (['auto', 'light', 'dark'] as const).map((name) => ({
    id: `theme ${name}`,
    text: `${t('top.theme')}: ${t(`top.theme.${name}`)}`,
    kind: t('command.view'),
    icon: 'theme' as const,
    run: () => theme.set(name),
  }))
  const languages = (Object.entries(LANGUAGES) as [Language, string][]).map(([name, title]) => ({
    id: `language ${name}`,
    text: `${t('top.language')}: ${title}`,
    kind: t('command.view'),
    icon: 'language' as const,
    run: () => language.set(name),
  }))
  return [...themes, ...languages]
}

function debugCommands(): readonly Command[] {
  const { facilities = {}, enabled = [] } = debugFacilities.get() ?? {}
  return Object.keys(facilities).map((name) => {
    const on = enabled.includes(name)
    const done = t(on ? 'command.debugIsOff' : 'command.debugIsOn', { name })
    return {
      id: `debug ${name}`,
      text: t(on ? 'command.debugOff' : 'command.debugOn', { name }),
      kind: t('command.debug'),
      icon: 'log',
      run: () =>
        runAction(
          () => switchDebug(name, !on),
          done,
          () => switchDebug(name, on),
        ),
    }
  })
}
