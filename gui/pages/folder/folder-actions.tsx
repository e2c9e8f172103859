import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { confirmResume } from '../../app/confirm-resume.ts'
import { runAction, changeConfig } from '../../app/run-action.ts'
import { closeDialog, openDialog } from '../../base/dialogs.tsx'
import { goTo } from '../../base/route.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { scheduledPause } from '../../view-model/scheduled.ts'
import { parseSubPath } from '../../base/paths.ts'
import { client } from '../../live/client.ts'
import { live, useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Menu } from '../../ui/menu.tsx'
import { t } from '../../i18n/texts.ts'
import { ShareEncryptedDialog } from '../edit/share-encrypted.tsx'
import { EditFolderDialog } from '../edit/edit-folder.tsx'
import { MoveDialog } from './move-folder.tsx'

/** What can be done to a folder as a whole. */
export function FolderActions({ folder }: { readonly folder: FolderConfig }) {
  const { id, type } = folder
  const isScheduled = useLive((state) => scheduledPause(state, 'folder', id) !== undefined)
  const paused = folder.paused || isScheduled
  const waiting = useLive((state) => lookUp(state.folders, id)?.status.needTotalItems ?? 0)
  const extra = useLive((state) => lookUp(state.folders, id)?.status.receiveOnlyTotalItems ?? 0)
  const name = folderName(folder)
  const done = t(paused ? 'fold.resumedDone' : 'fold.pausedDone', { folder: name })
  return (
    <div class="folder-actions">
      {!paused && type === 'sendonly' && waiting > 0 && (
        <Button needs="admin" kind="danger" onClick={() => override(id, waiting)}>
          {t('fold.override')}
        </Button>
      )}
      {!paused && type.startsWith('receive') && extra > 0 && <RevertButton id={id} count={extra} />}
      {!paused && (
        <Menu
          label={t('do.rescan')}
          icon="sync"
          text={`${t('do.rescan')} ▾`}
          items={[
            {
              text: t('fold.rescanWhole'),
              needs: 'operate',
              onSelect: () => runAction(() => client.scan(id), t('fold.scanned', { folder: name })),
            },
            {
              text: t('fold.rescanPath'),
              needs: 'operate',
              onSelect: () => openDialog(() => <RescanDialog id={id} />),
            },
          ]}
        />
      )}
      <Button
        icon={paused ? 'play' : 'pause'}
        needs="operate"
        onClick={async () => {
          if (paused && !(await confirmResume(folder))) return
          if (isScheduled)
            await runAction(() => client.call('POST /rest/twinfold/schedule/resume', { query: { folder: id } }), done)
          if (!isScheduled || folder.paused)
            await changeConfig(() => client.changeFolder(id, { paused: !paused }), done)
        }}
      >
        {t(paused ? 'do.resume' : 'do.pause')}
      </Button>
      <Button needs="admin" icon="settings" onClick={() => openDialog(() => <EditFolderDialog folder={folder} />)}>
        {t('do.edit')}
      </Button>
      <Menu
        label={t('do.actions')}
        icon="more"
        items={[
          ...(type === 'receiveencrypted'
            ? []
            : [
                {
                  text: t('encrypt.share'),
                  icon: 'lock' as const,
                  needs: 'admin' as const,
                  onSelect: () => openDialog(() => <ShareEncryptedDialog folder={folder} />),
                },
              ]),
          {
            text: t('move.open'),
            icon: 'folder',
            needs: 'admin',
            onSelect: () => openDialog(() => <MoveDialog folder={folder} />),
          },
          { text: t('do.remove'), icon: 'trash', danger: true, needs: 'admin', onSelect: () => remove(folder) },
        ]}
      />
    </div>
  )
}

function RevertButton({ id, count }: { readonly id: string; readonly count: number }) {
  return (
    <Button needs="admin" kind="danger" onClick={() => revert(id, count)}>
      {t('fold.revert')}
    </Button>
  )
}

async function override(folder: string, count: number): Promise<void> {
  const wanted = await confirm({
    title: t('fold.overrideTitle'),
    text: t('fold.overrideText', { n: count }),
    action: t('fold.override'),
    danger: true,
    plans: [{ folder, action: 'override' }],
  })
  if (wanted)
    await runAction(() => client.call('POST /rest/db/override', { query: { folder } }), t('fold.overrideDone'))
}

async function revert(folder: string, count: number): Promise<void> {
  const wanted = await confirm({
    title: t('fold.revertTitle'),
    text: t('fold.revertText', { n: count }),
    action: t('fold.revert'),
    danger: true,
    plans: [{ folder, action: 'revert' }],
  })
  if (wanted) await runAction(() => client.call('POST /rest/db/revert', { query: { folder } }), t('fold.revertDone'))
}

async function remove(folder: FolderConfig): Promise<void> {
  const name = folderName(folder)
  const files = lookUp(live.get().folders, folder.id)?.status.localFiles ?? 0
  const text = t('fold.removeText', { n: files, path: folder.path })
  const plans = [{ folder: folder.id, action: 'remove' }]
  const question = { title: t('fold.removeTitle', { folder: name }), text, action: t('do.remove'), danger: true, plans }
  if (!(await confirm(question))) return
  if (await changeConfig(() => client.removeFolder(folder.id), t('fold.removed', { folder: name }))) goTo('folders')
}

function RescanDialog({ id }: { readonly id: string }) {
  const [text, setText] = useState('')
  const path = parseSubPath(text)
  const scan = async () => {
    if (path === undefined) return
    if (await runAction(() => client.scan(id, { subs: [path] }), t('fold.scannedPath', { name: path }))) closeDialog()
  }
  const isOutside = text.trim() !== '' && path === undefined
  return (
    <Dialog
      title={t('fold.rescanTitle')}
      onSubmit={scan}
      actions={
        <Button kind="primary" type="submit" disabled={path === undefined}>
          {t('do.rescan')}
        </Button>
      }
    >
      <TextField
        label={t('fold.path')}
        help={t('fold.rescanHelp')}
        error={isOutside ? t('fold.rescanOutside') : undefined}
        value={text}
        onChange={setText}
        autoFocus
      />
    </Dialog>
  )
}
