import { useContext, useEffect, useState } from 'preact/hooks'
import { invitationStart } from '../../../src/core/invitations/invitation-link.ts'
import type { JoinedJson } from '../../../src/rest/invitations.ts'
import { reasonOf } from '../../app/run-action.ts'
import { closeDialog, DialogId } from '../../base/dialogs.tsx'
import { goTo } from '../../base/route.ts'
import { useDebounced } from '../../base/use-debounced.ts'
import { shortId } from '../../view-model/device.ts'
import { client } from '../../live/client.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { Refusal } from '../edit/form.tsx'
import { useSaving } from '../edit/use-form.ts'
import { ScanCode } from './scan-code.tsx'
import { PathField, useCheckedPath } from './path-field.tsx'

/** Uses an invitation of another device: shows what it would add, and adds it. */
export function JoinDialog({ pasted }: { readonly pasted: string }) {
  const dialogId = useContext(DialogId)
  const [text, setText] = useState(pasted)
  const [path, setPath] = useState<string>()
  const saving = useSaving()
  const isInvitation = invitationStart(text) >= 0
  const checkedText = useDebounced(isInvitation ? text : '')
  const { value: planned, error } = useQuery(checkedText, async (signal) => {
    if (checkedText === '') return undefined
    return await client.call('POST /rest/twinfold/join', { body: { invitation: checkedText, check: true }, signal })
  })
  const added = planned?.folders.filter((folder) => folder.new) ?? []
  const proposed = added.length === 1 ? added[0]?.path : undefined
  useEffect(() => setPath(proposed), [proposed])
  const submit = async () => {
    const isChosen = path !== undefined && path.trim() !== '' && added.length > 0
    const body = { invitation: text, ...(isChosen && { path: path.trim() }) }
    const name = planned === undefined ? '' : nameOf(planned)
    const joined = () => client.call('POST /rest/twinfold/join', { body })
    if (planned === undefined || !(await saving.saveConfig(joined, t('join.done', { device: name })))) return
    closeDialog(dialogId)
    goTo('devices', planned.device)
  }
  const isReady = planned !== undefined && error === undefined && isInvitation
  const actions = (
    <>
      <Button onClick={() => closeDialog(dialogId)}>{t('do.cancel')}</Button>
      <Button kind="primary" type="submit" disabled={!isReady || saving.busy}>
        {t('join.do')}
      </Button>
    </>
  )
  const wrong = error === undefined || checkedText === '' ? undefined : reasonOf(error)
  const noInvitation = text.trim() === '' || isInvitation ? undefined : t('join.none')
  return (
    <Dialog title={t('join.title')} actions={actions} onSubmit={submit}>
      <Refusal text={saving.refusal} />
      <TextField
        label={t('join.text')}
        help={t('join.help')}
        error={noInvitation ?? wrong}
        value={text}
        onChange={setText}
        lines={4}
        autoFocus
      />
      <ScanCode accepts={(found) => invitationStart(found) >= 0} onFound={setText} />
      {isReady && <Planned planned={planned} />}
      {isReady && added.length === 1 && path !== undefined && <JoinPath path={path} onChange={setPath} />}
      {isReady && added.length > 1 && (
        <TextField label={t('join.parent')} help={t('add.pathHelp')} value={path ?? ''} onChange={setPath} />
      )}
    </Dialog>
  )
}

function JoinPath({ path, onChange }: { readonly path: string; readonly onChange: (path: string) => void }) {
  return <PathField path={path} checked={useCheckedPath(path)} isShown onChange={onChange} />
}

function Planned({ planned }: { readonly planned: JoinedJson }) {
  return (
    <>
      <p>{t('join.from', { device: nameOf(planned) })}</p>
      <ul class="edit-shares">
        {planned.folders.map(({ id, label, type, path, new: isNew }) => (
          <li key={id}>
            <b>{label === '' ? id : label}</b>{' '}
            <span class="soft">{isNew ? t(`form.folder.type.${type}`) : t('join.here', { path })}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function nameOf({ name, device }: Pick<JoinedJson, 'name' | 'device'>): string {
  return name === '' ? shortId(device) : name
}
