import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { FolderExtensions } from '../../../src/core/config/extensions.ts'
import { changeConfig } from '../../app/run-action.ts'
import { closeDialog, replaceDialog } from '../../base/dialogs.tsx'
import { dropDraft, useDraft } from '../../base/draft.ts'
import { goTo } from '../../base/route.ts'
import { otherDevices } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import type { FormField } from '../../view-model/form.ts'
import { FOLDER_FIELDS } from '../../view-model/form-fields.ts'
import { sameShares, shareList, sharesOf, type Shares } from '../../view-model/share.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DraftNote } from '../../ui/draft-note.tsx'
import { t } from '../../i18n/texts.ts'
import { ExtensionFields, useExtensions } from './extension-fields.tsx'
import { FieldGroup, FormFields, focusFirstWrong, FoldedSection, Refusal } from './form.tsx'
import { InviteButton } from '../add/invite-buttons.tsx'
import { isPasswordMissing, ShareDevices } from './share-devices.tsx'
import { SaveActions } from './save-actions.tsx'
import { useForm, useSaving } from './use-form.ts'

/** Everything that can be set for a folder, the simple things first. Only what was changed is sent. */
export function EditFolderDialog({ folder }: { readonly folder: FolderConfig }) {
  const state = useLive((value) => value)
  const localId = state.system?.myID
  const devices = otherDevices(state)
  const isHidden = folder.type === 'receiveencrypted'
  const before = sharesOf(folder.devices, localId)
  const draft = `folder ${folder.id}`
  const [shares, setShares] = useDraft<Shares>(draft, 'shares', before)
  const extensions = useExtensions(folder)
  const form = useForm([...extensions.fields, ...fieldsFor(folder)], { ...extensions.saved, ...folder }, draft)
  const saving = useSaving()
  const submit = async () => {
    if (form.wrongs.size > 0 || isPasswordMissing(devices, shares, isHidden))
      return requestAnimationFrame(focusFirstWrong)
    const shared = sameShares(before, shares) ? {} : { devices: shareList(folder.devices, shares, localId) }
    const { priority, pauseOnBattery, ...config } = form.changes
    const changes = { ...config, ...shared }
    if (form.changes['type'] !== undefined && !(await confirmType(folder, String(form.changes['type']))))
      return undefined
    const done = await saving.saveConfig(async () => {
      if (Object.keys(changes).length > 0) await client.changeFolder(folder.id, changes)
      await extensions.save({ priority, pauseOnBattery } as Partial<FolderExtensions>)
    }, t('edit.saved'))
    if (!done) return undefined
    dropDraft(draft)
    closeDialog()
  }
  const restart = () => replaceDialog(() => <EditFolderDialog folder={folder} />)
  const remove = () => removeFolder(folder, Object.keys(before).length)
  const actions = <SaveActions draft={draft} busy={saving.busy} onRemove={remove} />
  return (
    <Dialog title={t('edit.folder', { folder: folderName(folder) })} wide actions={actions} onSubmit={submit}>
      <Refusal text={saving.refusal} />
      <DraftNote draft={draft} onRestart={restart} />
      <p class="edit-where">
        <code>{folder.id}</code> · <code>{folder.path}</code>
      </p>
      <FormFields form={form} words="folder" groups={['basic']} first="label" />
      <h3 class="add-heading">{t('add.shareDevices')}</h3>
      <ShareDevices
        devices={devices}
        folder={{ id: folder.id, name: folderName(folder) }}
        shares={shares}
        isHidden={isHidden}
        onChange={setShares}
      />
      {!isHidden && <InviteButton folder={folder.id} />}
      <FieldGroup form={form} words="folder" group="versions" />
      <FieldGroup form={form} words="folder" group="scan" />
      <FieldGroup form={form} words="folder" group="pull" />
      <ExtensionFields folder={folder} form={extensions} config={form} />
      <FoldedSection title={t('do.more')}>
        <FieldGroup form={form} words="folder" group="disk" />
        <FieldGroup form={form} words="folder" group="expert" />
      </FoldedSection>
    </Dialog>
  )
}

/** The daemon refuses to change a folder between encrypted and unencrypted. */
function fieldsFor({ type }: FolderConfig): readonly FormField[] {
  const isHidden = type === 'receiveencrypted'
  return FOLDER_FIELDS.map((field) =>
    field.name === 'type'
      ? { ...field, choices: field.choices.filter((choice) => (choice === 'receiveencrypted') === isHidden) }
      : field,
  )
}

function confirmType(folder: FolderConfig, type: string): Promise<boolean> {
  return confirm({
    title: t('plan.typeTitle', { folder: folderName(folder) }),
    text: t('plan.title'),
    action: t('do.save'),
    plans: [{ folder: folder.id, action: `type:${type}` }],
  })
}

/** Removes the folder from the config after a confirmation; its files stay. */
async function removeFolder(folder: FolderConfig, others: number): Promise<void> {
  const name = folderName(folder)
  const question = {
    title: t('edit.removeFolder', { folder: name }),
    text: t('edit.removeFolderText', { path: folder.path, n: others }),
    action: t('do.remove'),
    danger: true,
    plans: [{ folder: folder.id, action: 'remove' }],
  }
  if (!(await confirm(question))) return
  if (!(await changeConfig(() => client.removeFolder(folder.id), t('edit.folderRemoved', { folder: name })))) return
  closeDialog()
  goTo('folders')
}
