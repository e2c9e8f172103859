import { deviceName, otherDevices } from '../facts/device.ts'
import { folderName } from '../facts/folder-name.ts'
import { client } from '../live/client.ts'
import { debug, switchDebug } from '../live/debug.ts'
import type { LiveState } from '../live/state.ts'
import { AddDeviceDialog } from '../pages/add/add-device.tsx'
import { AddFolderDialog } from '../pages/add/add-folder.tsx'
import { logOut } from '../pages/login/log-out.ts'
import type { IconName } from '../ui/icon.tsx'
import { chooseLanguage, LANGUAGES, type Language } from '../words/language.ts'
import { t } from '../words/words.ts'
import { act } from './act.ts'
import { openDialog } from './dialogs.tsx'
import { openKeys } from './keys-help.tsx'
import { PLACES } from './places.ts'
import { restartDaemon, shutDownDaemon } from './power.ts'
import { goTo } from './route.ts'
import { chooseTheme } from './theme.ts'

/** A command of the palette. */
export interface Command {
  readonly id: string
  readonly text: string
  /** What kind of thing it is about. */
  readonly kind: string
  readonly icon: IconName
  readonly run: () => unknown
}

/** All that can be done now: where to go first, then what to do. */
export function commandsOf(state: LiveState): readonly Command[] {
  return [
    ...placeCommands(),
    ...folderCommands(state),
    ...deviceCommands(state),
    ...generalCommands(state),
    ...viewCommands(),
    ...debugCommands(),
  ]
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

function folderCommands({ config }: LiveState): readonly Command[] {
  const kind = t('command.folder')
  return (config?.folders ?? []).flatMap((folder) => {
    const [id, name, { paused }] = [folder.id, folderName(folder), folder]
    const scan = {
      id: `scan ${id}`,
      text: t('command.rescan', { name }),
      kind,
      icon: 'sync',
      run: () => act(() => client.scan(id), t('command.rescanned', { name })),
    } as const
    return [
      { id: `folder ${id}`, text: name, kind, icon: 'folder', run: () => goTo('folders', id) },
      ...(paused ? [] : [scan]),
      {
        id: `pause ${id}`,
        kind,
        ...pauseWords(name, paused),
        run: () => act(() => client.changeFolder(id, { paused: !paused })),
      },
    ]
  })
}

function deviceCommands(state: LiveState): readonly Command[] {
  const kind = t('command.device')
  return otherDevices(state).flatMap((device) => {
    const [id, name, { paused }] = [device.deviceID, deviceName(device), device]
    return [
      { id: `device ${id}`, text: name, kind, icon: 'device', run: () => goTo('devices', id) },
      {
        id: `pause ${id}`,
        kind,
        ...pauseWords(name, paused),
        run: () => act(() => client.call('PATCH /rest/config/devices/:id', { id, body: { paused: !paused } })),
      },
    ]
  })
}

function pauseWords(name: string, paused: boolean): Pick<Command, 'text' | 'icon'> {
  return paused
    ? { text: t('command.resume', { name }), icon: 'play' }
    : { text: t('command.pause', { name }), icon: 'pause' }
}

/** Whether the daemon requires a login. */
export function wantsLogin({ config }: LiveState): boolean {
  return (
    config !== undefined && (config.gui.authMode === 'ldap' || (config.gui.user !== '' && config.gui.password !== ''))
  )
}

function generalCommands(state: LiveState): readonly Command[] {
  const kind = t('command.action')
  const scanAll = () => client.call('POST /rest/db/scan', { query: {}, timeoutMs: undefined })
  return [
    {
      id: 'add folder',
      text: t('command.addFolder'),
      kind,
      icon: 'plus',
      run: () => openDialog(() => <AddFolderDialog />),
    },
    {
      id: 'add device',
      text: t('command.addDevice'),
      kind,
      icon: 'plus',
      run: () => openDialog(() => <AddDeviceDialog />),
    },
    {
      id: 'scan all',
      text: t('command.rescanAll'),
      kind,
      icon: 'sync',
      run: () => act(scanAll, t('command.rescannedAll')),
    },
    { id: 'keys', text: t('keys.title'), kind, icon: 'keyboard', run: openKeys },
    ...(wantsLogin(state)
      ? [{ id: 'log out', text: t('top.logout'), kind, icon: 'leave', run: () => act(logOut) } as const]
      : []),
    { id: 'restart', text: t('power.restart'), kind, icon: 'sync', run: restartDaemon },
    { id: 'shut down', text: t('power.shutdown'), kind, icon: 'power', run: shutDownDaemon },
  ]
}

function viewCommands(): readonly Command[] {
  const themes = (['auto', 'light', 'dark'] as const).map((theme) => ({
    id: `theme ${theme}`,
    text: `${t('top.theme')}: ${t(`top.theme.${theme}`)}`,
    kind: t('command.view'),
    icon: 'theme' as const,
    run: () => chooseTheme(theme),
  }))
  const languages = (Object.entries(LANGUAGES) as [Language, string][]).map(([language, name]) => ({
    id: `language ${language}`,
    text: `${t('top.language')}: ${name}`,
    kind: t('command.view'),
    icon: 'language' as const,
    run: () => chooseLanguage(language),
  }))
  return [...themes, ...languages]
}

function debugCommands(): readonly Command[] {
  const { facilities = {}, enabled = [] } = debug.get() ?? {}
  return Object.keys(facilities).map((name) => {
    const on = enabled.includes(name)
    const done = t(on ? 'command.debugIsOff' : 'command.debugIsOn', { name })
    return {
      id: `debug ${name}`,
      text: t(on ? 'command.debugOff' : 'command.debugOn', { name }),
      kind: t('command.debug'),
      icon: 'log',
      run: () => act(() => switchDebug(name, !on), done),
    }
  })
}
