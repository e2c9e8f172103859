import { useMemo, useState } from 'preact/hooks'
import { closeDialog, replaceDialog } from '../../base/dialogs.tsx'
import { dropDraft, useDraft } from '../../base/draft.ts'
import { goTo } from '../../base/route.ts'
import { deviceNameById, otherDevices } from '../../view-model/device.ts'
import { folderIdFrom, suggestedPath, withoutEnd } from '../../view-model/folder-path.ts'
import { linesOf } from '../../view-model/form.ts'
import { FOLDER_FIELDS } from '../../view-model/form-fields.ts'
import { shareList, sharesOf, type Shares } from '../../view-model/share.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DraftNote } from '../../ui/draft-note.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { FieldGroup, FormFields, focusFirstWrong, FoldedSection, Refusal } from '../edit/form.tsx'
import { isPasswordMissing, ShareDevices } from '../edit/share-devices.tsx'
import { CancelButton } from '../edit/save-actions.tsx'
import { useForm, useSaving, type Form } from '../edit/use-form.ts'
import { createFolder } from './create-folder.ts'
import { IgnoreTemplates } from './ignore-templates.tsx'
import { PathField, useCheckedPath } from './path-field.tsx'

/** A folder that another device offers to us. */
export interface FolderOffer {
  readonly id: string
  readonly label: string
  readonly deviceID: string
  readonly isEncrypted: boolean
  readonly needsPassword: boolean
}

interface AddFolderProps {
  readonly offer?: FolderOffer
  /** Whether the page below stays: the first steps go on. */
  readonly stays?: boolean
}

/** Its name, its path, the devices: the rest is taken from the defaults. */
export function AddFolderDialog({ offer, stays = false }: AddFolderProps) {
  const draft = `add folder ${offer?.id ?? ''}`
  const state = useLive((value) => value)
  const localId = state.system?.myID
  const defaults = state.config?.defaults.folder
  const devices = otherDevices(state)
  const form = useForm(FOLDER_FIELDS, defaults, draft, presetOf(offer))
  const label = String(form.edits['label'] ?? defaults?.label ?? '')
  const newId = useMemo(() => folderIdFrom(crypto.getRandomValues(new Uint8Array(10))), [])
  const [typedId, setTypedId] = useDraft<string | undefined>(draft, 'id', offer?.id)
  const [typedPath, setTypedPath] = useDraft<string | undefined>(draft, 'path', undefined)
  const [ignores, setIgnores] = useDraft(draft, 'ignores', state.config?.defaults.ignores.lines.join('\n') ?? '')
  const [shares, setShares] = useDraft<Shares>(draft, 'shares', () => ({
    ...sharesOf(defaults?.devices ?? [], localId),
    ...(offer && { [offer.deviceID]: '' }),
  }))
  const [isNothingYet, setNothingYet] = useDraft(draft, 'nothingYet', false)
  const [isSafe, setSafe] = useDraft(draft, 'safe', true)
  const [tried, setTried] = useState(false)
  const saving = useSaving()
  const id = (typedId ?? newId).trim()
  const path = typedPath ?? suggestedPath(defaults?.path ?? '', label, state.system?.pathSeparator ?? '/')
  const isHidden = (form.edits['type'] ?? defaults?.type) === 'receiveencrypted'
  const checked = useCheckedPath(path)
  const [isNamed, isTyped] = [label.trim() !== '', typedPath !== undefined]
  const idError = idErrorOf(id, state.config?.folders.some((folder) => folder.id === id) ?? false)
  const submit = async () => {
    setTried(true)
    if (
      !isNamed ||
      checked.advice.kind === 'error' ||
      idError !== undefined ||
      form.wrongs.size > 0 ||
      isPasswordMissing(devices, shares, isHidden)
    )
      return requestAnimationFrame(focusFirstWrong)
    const folder = {
      ...form.changes,
      id,
      label: label.trim(),
      path: withoutEnd(path),
      devices: shareList(defaults?.devices ?? [], shares, localId),
    }
    const options = {
      ignores: isHidden ? [] : linesOf(ignores),
      isNothingYet: isNothingYet && !isHidden,
      safeWith: isSafe ? defaults : undefined,
    }
    const create = () => createFolder(folder, options)
    if (!(await saving.saveConfig(create, t('add.folderDone', { folder: label.trim() })))) return undefined
    dropDraft(draft)
    closeDialog()
    if (!stays) goTo('folders', id)
  }
  const restart = () => replaceDialog(() => <AddFolderDialog {...{ stays, ...(offer && { offer }) }} />)
  return (
    <Dialog title={t('add.folder')} actions={<Actions draft={draft} busy={saving.busy} />} onSubmit={submit}>
      <Refusal text={saving.refusal} />
      <DraftNote draft={draft} onRestart={restart} />
      {offer && <p class="add-offer">{t(wordsFor(offer), { device: deviceNameById(state, offer.deviceID) })}</p>}
      <NameField name={label} isMissing={tried && !isNamed} onChange={(text) => form.set('label', text)} />
      <PathField path={path} checked={checked} isShown={tried || isTyped || isNamed} onChange={setTypedPath} />
      {offer && !isHidden && (
        <CheckField
          label={t('choose.nothingYet')}
          help={t('choose.nothingYetHelp')}
          checked={isNothingYet}
          onChange={setNothingYet}
        />
      )}
      {!isHidden && (
        <CheckField label={t('safety.label')} help={t('safety.help')} checked={isSafe} onChange={setSafe} />
      )}
      {!isHidden && <IgnoreTemplates text={ignores} onText={setIgnores} />}
      <h3 class="add-heading">{t('add.shareDevices')}</h3>
      <ShareDevices {...{ devices, shares, isHidden }} folder={{ id, name: label }} onChange={setShares} />
      <FoldedSection title={t('do.more')} open={form.wrongs.size > 0 || (tried && idError !== undefined)}>
        <TextField
          label={t('add.folderId')}
          help={t('add.folderIdHelp')}
          error={idError}
          value={typedId ?? newId}
          onChange={setTypedId}
        />
        <MoreFields form={form} ignores={ignores} onIgnores={setIgnores} />
      </FoldedSection>
    </Dialog>
  )
}

interface NameProps {
  readonly name: string
  readonly isMissing: boolean
  readonly onChange: (name: string) => void
}

/** A name is required: the path follows it. */
function NameField({ name, isMissing, onChange }: NameProps) {
  return (
    <TextField
      label={t('form.folder.label')}
      help={t('form.folder.label.help')}
      error={isMissing ? t('add.nameMissing') : undefined}
      value={name}
      onChange={onChange}
      autoFocus
    />
  )
}

function Actions({ draft, busy }: { readonly draft: string; readonly busy: boolean }) {
  return (
    <>
      <CancelButton draft={draft} />
      <Button kind="primary" type="submit" disabled={busy}>
        {t('add.folder')}
      </Button>
    </>
  )
}

/** What an offer decides about the new folder. */
function presetOf(offer: FolderOffer | undefined): Readonly<Record<string, string>> {
  if (offer === undefined) return {}
  return { label: offer.label === '' ? offer.id : offer.label, ...(offer.isEncrypted && { type: 'receiveencrypted' }) }
}

function wordsFor({ isEncrypted, needsPassword }: FolderOffer) {
  if (isEncrypted) return 'encrypt.offered'
  return needsPassword ? 'encrypt.needed' : 'add.offered'
}

/** Settings that have a default, and the ignore patterns. */
function MoreFields({
  form,
  ignores,
  onIgnores,
}: {
  readonly form: Form
  readonly ignores: string
  readonly onIgnores: (text: string) => void
}) {
  return (
    <>
      <FormFields form={form} words="folder" groups={['basic']} without={['label']} />
      <FieldGroup form={form} words="folder" group="versions" />
      <FoldedSection title={t('add.ignores')}>
        <TextField
          label={t('add.ignores')}
          help={t('add.ignoresHelp')}
          value={ignores}
          onChange={onIgnores}
          lines={5}
        />
      </FoldedSection>
      <FieldGroup form={form} words="folder" group="scan" />
      <FieldGroup form={form} words="folder" group="pull" />
      <FieldGroup form={form} words="folder" group="disk" />
      <FoldedSection title={t('form.group.expert')}>
        <FormFields form={form} words="folder" groups={['expert']} without={['path']} />
      </FoldedSection>
    </>
  )
}

function idErrorOf(id: string, isTaken: boolean): string | undefined {
  if (id === '') return t('add.folderIdMissing')
  return isTaken ? t('add.folderIdTaken') : undefined
}
