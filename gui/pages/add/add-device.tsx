import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { closeDialog, replaceDialog } from '../../base/dialogs.tsx'
import { dropDraft, useDraft } from '../../base/draft.ts'
import { detach } from '../../../src/core/errors.ts'
import { invitationStart } from '../../../src/core/invitations/invitation-link.ts'
import { goTo } from '../../base/route.ts'
import { otherDevices, shortId } from '../../view-model/device.ts'
import { DEVICE_FIELDS } from '../../view-model/form-fields.ts'
import { readInvite } from '../../view-model/invite.ts'
import type { Shares } from '../../view-model/share.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DraftNote } from '../../ui/draft-note.tsx'
import { t } from '../../i18n/texts.ts'
import { FieldGroup, FormFields, focusFirstWrong, FoldedSection, Refusal } from '../edit/form.tsx'
import { ShareFolders, shareExactly, showsTooMuch } from '../edit/share-folders.tsx'
import { CancelButton } from '../edit/save-actions.tsx'
import { useForm, useSaving } from '../edit/use-form.ts'
import { DeviceIdField, useCheckedId, type CheckedId } from './device-id-field.tsx'
import { openJoin } from './invite-buttons.tsx'
import { NearDevices, type DevicePreset } from './near-devices.tsx'
import { ThisDeviceId } from './this-device-id.tsx'

interface AddDeviceProps {
  readonly preset?: DevicePreset
  /** Whether the page below stays: the first steps go on. */
  readonly stays?: boolean
}

/** Its ID, its name and addresses, which folders: the rest is taken from the defaults. */
export function AddDeviceDialog({ preset, stays = false }: AddDeviceProps) {
  const draft = `add device ${preset?.deviceID ?? ''}`
  const defaults = useLive((state) => state.config?.defaults.device)
  const folders = useLive((state) => state.config?.folders) ?? []
  const isFirst = useLive((state) => otherDevices(state).length === 0)
  const [typed, setTyped] = useDraft(draft, 'id', preset?.deviceID ?? '')
  const [shares, setShares] = useDraft<Shares>(draft, 'shares', () => sharesOfNew(folders, isFirst))
  const [tried, setTried] = useState(false)
  const named = preset === undefined || preset.name === '' ? {} : { name: preset.name }
  const form = useForm(DEVICE_FIELDS, defaults, draft, named)
  const name = String(form.edits['name'] ?? '')
  const isTrusted = (form.edits['untrusted'] ?? defaults?.untrusted) !== true
  const saving = useSaving()
  const checked = useCheckedId(typed)
  const pick = (device: DevicePreset) => {
    setTyped(device.deviceID)
    if (device.name !== '') form.set('name', device.name)
    if ((device.addresses?.length ?? 0) > 0) form.set('addresses', ['dynamic', ...(device.addresses ?? [])].join('\n'))
  }
  const paste = (text: string) => {
    if (invitationStart(text) < 0) return pick(readInvite(text) ?? { deviceID: text, name: '' })
    closeDialog()
    detach(openJoin(text))
  }
  const submit = async () => {
    setTried(true)
    let found: CheckedId = checked
    const isUnchecked = checked.id === undefined && checked.error === undefined && typed.trim() !== ''
    if (isUnchecked && !(await saving.save(async () => void (found = await checked.checkNow())))) return undefined
    const { id } = found
    if (id === undefined || form.wrongs.size > 0 || showsTooMuch(folders, shares, isTrusted))
      return requestAnimationFrame(focusFirstWrong)
    const text = t('add.deviceDone', { device: name === '' ? shortId(id) : name })
    const done = await saving.saveConfig(async () => {
      await client.call('POST /rest/config/devices', { body: { ...form.changes, deviceID: id } })
      await shareExactly(folders, id, shares)
    }, text)
    if (!done) return undefined
    dropDraft(draft)
    closeDialog()
    if (!stays) goTo('devices', id)
  }
  const restart = () => replaceDialog(() => <AddDeviceDialog {...{ stays, ...(preset && { preset }) }} />)
  const missing = tried && typed.trim() === '' ? { error: t('add.deviceIdMissing') } : checked
  return (
    <Dialog title={t('add.device')} wide actions={<Actions draft={draft} busy={saving.busy} />} onSubmit={submit}>
      <Refusal text={saving.refusal} />
      <DraftNote draft={draft} onRestart={restart} />
      <div class="add-columns">
        <div>
          <NearDevices onPick={pick} />
          <DeviceIdField typed={typed} checked={missing} onChange={paste} />
          <FormFields form={form} words="device" groups={['basic']} />
          <h3 class="add-heading">{t('add.shareFolders')}</h3>
          <ShareFolders
            folders={folders}
            shares={shares}
            reader={name === '' ? t('add.thisDevice') : name}
            isTrusted={isTrusted}
            onChange={setShares}
          />
        </div>
        <ThisDeviceId />
      </div>
      <FoldedSection title={t('do.more')} open={form.wrongs.size > 0}>
        <FormFields form={form} words="device" groups={['trust']} />
        <FieldGroup form={form} words="device" group="speed" />
        <FieldGroup form={form} words="device" group="expert" />
      </FoldedSection>
    </Dialog>
  )
}

/** The first device gets the only folder, unless the user decides otherwise. */
function sharesOfNew(folders: readonly FolderConfig[], isFirst: boolean): Shares {
  const [only, ...others] = folders
  return isFirst && only !== undefined && others.length === 0 ? { [only.id]: '' } : {}
}

function Actions({ draft, busy }: { readonly draft: string; readonly busy: boolean }) {
  return (
    <>
      <CancelButton draft={draft} />
      <Button kind="primary" type="submit" disabled={busy}>
        {t('add.device')}
      </Button>
    </>
  )
}
