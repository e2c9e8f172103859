import type { DeviceConfig } from '../../../src/core/config/config.ts'
import { changeConfig } from '../../app/run-action.ts'
import { closeDialog, replaceDialog } from '../../base/dialogs.tsx'
import { dropDraft, useDraft } from '../../base/draft.ts'
import { goTo } from '../../base/route.ts'
import { deviceName } from '../../view-model/device.ts'
import { DEVICE_FIELDS } from '../../view-model/form-fields.ts'
import { foldersSharedWith, unsharePlans, type Shares } from '../../view-model/share.ts'
import { client } from '../../live/client.ts'
import { live, useLive } from '../../live/live.ts'
import { confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DraftNote } from '../../ui/draft-note.tsx'
import { t } from '../../i18n/texts.ts'
import { FieldGroup, FormFields, focusFirstWrong, Refusal } from './form.tsx'
import { SaveActions } from './save-actions.tsx'
import { ShareFolders, shareExactly, showsTooMuch } from './share-folders.tsx'
import { useForm, useSaving } from './use-form.ts'

/** Everything that can be set for a device, the simple things first. Only what was changed is sent. */
export function EditDeviceDialog({ device }: { readonly device: DeviceConfig }) {
  const id = device.deviceID
  const folders = useLive((state) => state.config?.folders) ?? []
  const isUs = useLive((state) => state.system?.myID) === id
  const draft = `device ${id}`
  const [shares, setShares] = useDraft<Shares>(draft, 'shares', () => foldersSharedWith(folders, id))
  const form = useForm(DEVICE_FIELDS, device, draft)
  const isTrusted = (form.edits['untrusted'] ?? device.untrusted) !== true
  const saving = useSaving()
  const submit = async () => {
    if (form.wrongs.size > 0 || showsTooMuch(folders, shares, isTrusted)) return requestAnimationFrame(focusFirstWrong)
    const done = await saving.saveConfig(async () => {
      if (Object.keys(form.changes).length > 0)
        await client.call('PATCH /rest/config/devices/:id', { id, body: form.changes })
      if (!isUs) await shareExactly(folders, id, shares)
    }, t('edit.saved'))
    if (!done) return undefined
    dropDraft(draft)
    closeDialog()
  }
  const restart = () => replaceDialog(() => <EditDeviceDialog device={device} />)
  const remove = () => removeDevice(device, Object.keys(foldersSharedWith(folders, id)).length)
  const actions = <SaveActions draft={draft} busy={saving.busy} onRemove={isUs ? undefined : remove} />
  return (
    <Dialog title={t('edit.device', { device: deviceName(device) })} wide actions={actions} onSubmit={submit}>
      <Refusal text={saving.refusal} />
      <DraftNote draft={draft} onRestart={restart} />
      <p class="edit-where">
        <code>{id}</code>
      </p>
      <FormFields form={form} words="device" groups={['basic']} first="name" />
      {!isUs && <h3 class="add-heading">{t('add.shareFolders')}</h3>}
      {!isUs && (
        <ShareFolders
          folders={folders}
          shares={shares}
          reader={deviceName(device)}
          isTrusted={isTrusted}
          onChange={setShares}
        />
      )}
      <FieldGroup form={form} words="device" group="trust" />
      <FieldGroup form={form} words="device" group="speed" />
      <FieldGroup form={form} words="device" group="expert" />
    </Dialog>
  )
}

/** Removes the device from the config after a confirmation; files stay everywhere. */
async function removeDevice(device: DeviceConfig, folders: number): Promise<void> {
  const name = deviceName(device)
  const question = {
    title: t('edit.removeDevice', { device: name }),
    text: t('edit.removeDeviceText', { n: folders }),
    action: t('do.remove'),
    danger: true,
    plans: unsharePlans(live.get().config?.folders ?? [], device.deviceID),
  }
  if (!(await confirm(question))) return
  const removed = await changeConfig(
    () => client.call('DELETE /rest/config/devices/:id', { id: device.deviceID }),
    t('edit.deviceRemoved', { device: name }),
  )
  if (!removed) return
  closeDialog()
  goTo('devices')
}
