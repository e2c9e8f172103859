import { useContext, useState } from 'preact/hooks'
import { INVITED_TYPES, type InvitedType } from '../../../src/core/invitations/invitation-link.ts'
import type { NewInvitationJson, OpenInvitationJson } from '../../../src/rest/invitations.ts'
import { runAction } from '../../app/run-action.ts'
import { closeDialog, DialogId } from '../../base/dialogs.tsx'
import { folderName } from '../../view-model/folder-name.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, SelectField } from '../../ui/field.tsx'
import { CopyButton } from '../../ui/parts.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { formatMoment } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { Refusal } from '../edit/form.tsx'
import { useSaving } from '../edit/use-form.ts'

const LIFETIMES = ['1h', '1d', '7d'] as const

/** Makes an invitation for one device, shows it once, and lists the open ones. */
export function InviteDialog({ folder }: { readonly folder?: string | undefined }) {
  const dialogId = useContext(DialogId)
  const all = useLive((state) => state.config?.folders) ?? []
  const folders = all.filter(({ type }) => type !== 'receiveencrypted')
  const [chosen, setChosen] = useState<readonly string[]>(folder === undefined ? [] : [folder])
  const [type, setType] = useState<InvitedType>('sendreceive')
  const [expires, setExpires] = useState<(typeof LIFETIMES)[number]>('1d')
  const [made, setMade] = useState<NewInvitationJson>()
  const saving = useSaving()
  const open = useQuery('invitations', (signal) => client.call('GET /rest/twinfold/invitations', { signal }))
  const submit = async () => {
    const body = { folders: [...chosen], type, expires }
    if (await saving.save(async () => setMade(await client.call('POST /rest/twinfold/invitations', { body }))))
      open.again()
  }
  const toggle = (id: string, isOn: boolean) => setChosen(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))
  const actions = (
    <>
      <Button onClick={() => closeDialog(dialogId)}>{t('do.close')}</Button>
      {made === undefined && (
        <Button kind="primary" type="submit" disabled={saving.busy}>
          {t('invite.make')}
        </Button>
      )}
    </>
  )
  return (
    <Dialog title={t('invite.button')} actions={actions} onSubmit={() => (made === undefined ? submit() : undefined)}>
      <Refusal text={saving.refusal} />
      {made === undefined ? (
        <>
          <p>{t('invite.help')}</p>
          <h3 class="add-heading">{t('add.shareFolders')}</h3>
          {folders.map((one) => (
            <CheckField
              key={one.id}
              label={folderName(one)}
              checked={chosen.includes(one.id)}
              onChange={(isOn) => toggle(one.id, isOn)}
            />
          ))}
          <SelectField
            label={t('invite.type')}
            value={type}
            options={INVITED_TYPES.map((value) => ({ value, text: t(`form.folder.type.${value}`) }))}
            onChange={setType}
          />
          <SelectField
            label={t('grants.expires')}
            value={expires}
            options={LIFETIMES.map((value) => ({ value, text: t(`invite.${value}`) }))}
            onChange={setExpires}
          />
        </>
      ) : (
        <Made invitation={made} />
      )}
      <OpenInvitations open={open.value ?? []} again={open.again} />
    </Dialog>
  )
}

function Made({ invitation: { invitation, addresses, expires } }: { readonly invitation: NewInvitationJson }) {
  return (
    <div class="password-sheet" role="status">
      <p>{t('invite.ready', { time: formatMoment(Date.parse(expires)) })}</p>
      <code class="add-id">{invitation}</code>
      <CopyButton text={invitation} />
      <QrCode text={invitation} label={t('invite.qr')} />
      {addresses.length === 0 && <p class="field-error">{t('invite.noAddress')}</p>}
    </div>
  )
}

interface OpenProps {
  readonly open: readonly OpenInvitationJson[]
  readonly again: () => void
}

function OpenInvitations({ open, again }: OpenProps) {
  const folders = useLive((state) => state.config?.folders) ?? []
  if (open.length === 0) return null
  const nameOf = (id: string) => {
    const folder = folders.find((one) => one.id === id)
    return folder === undefined ? id : folderName(folder)
  }
  const revoke = async (id: string) => {
    await runAction(() => client.call('DELETE /rest/twinfold/invitations/:id', { id }), t('invite.revoked'))
    again()
  }
  return (
    <>
      <h3 class="add-heading">{t('invite.open')}</h3>
      <ul class="settings-ignored">
        {open.map(({ id, folders: ids, expires }) => (
          <li key={id}>
            <span>
              {ids.length === 0 ? t('invite.noFolder') : ids.map(nameOf).join(', ')}{' '}
              <span class="soft">{t('grants.until', { time: formatMoment(Date.parse(expires)) })}</span>
            </span>
            <Button needs="admin" onClick={() => revoke(id)}>
              {t('grants.revoke')}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}
