import { useState } from 'preact/hooks'
import { SCOPES, type Scope } from '../../../src/core/access.ts'
import type { GrantJson } from '../../../src/rest/keys.ts'
import { runAction } from '../../app/run-action.ts'
import { showToast } from '../../app/toasts.tsx'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { CopyButton, TimeAgo } from '../../ui/parts.tsx'
import { formatMoment } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { Refusal } from '../edit/form.tsx'
import { useSaving } from '../edit/use-form.ts'
import { SettingsCard } from './settings-card.tsx'

/** Keys of programs and users of the page: listed, added, revoked. */
export function AccessSection() {
  return (
    <>
      <Grants kind="keys" />
      <Grants kind="users" />
    </>
  )
}

type Kind = 'keys' | 'users'

const EXPIRY_DAYS = [30, 90, 365] as const

function Grants({ kind }: { readonly kind: Kind }) {
  const { value = [], again } = useQuery(kind, (signal) => client.call(`GET /rest/twinfold/${kind}`, { signal }))
  return (
    <SettingsCard title={t(`grants.${kind}`)}>
      <p class="settings-help">{t(`grants.${kind}Help`)}</p>
      {value.length === 0 && <p class="soft">{t('grants.none')}</p>}
      <ul class="settings-ignored">
        {value.map((grant) => (
          <GrantRow key={grant.name} kind={kind} grant={grant} again={again} />
        ))}
      </ul>
      <AddGrant kind={kind} again={again} />
    </SettingsCard>
  )
}

interface RowProps {
  readonly kind: Kind
  readonly grant: GrantJson
  readonly again: () => void
}

function GrantRow({ kind, grant, again }: RowProps) {
  const { name, scope, folders, expires, lastUsed } = grant
  const revoke = async () => {
    const title = t('grants.revokeOne', { name })
    if (!(await confirm({ title, text: t('grants.revokeText'), action: t('grants.revoke'), danger: true }))) return
    const revoked = () => client.call(`DELETE /rest/twinfold/${kind}/:id`, { id: name })
    await runAction(revoked, t('grants.revoked', { name }))
    again()
  }
  const limits = [
    t(`grants.${scope}`),
    folders?.join(', ') ?? t('grants.allFolders'),
    ...(expires === null ? [] : [t('grants.until', { time: formatMoment(Date.parse(expires)) })]),
  ]
  return (
    <li>
      <span>
        <b>{name}</b>{' '}
        <span class="soft">
          {limits.join(' · ')} · {t('grants.lastUsed')} <TimeAgo time={lastUsed ?? ''} />
        </span>
      </span>
      <Button needs="admin" label={t('grants.revokeOne', { name })} onClick={revoke}>
        {t('grants.revoke')}
      </Button>
    </li>
  )
}

/** What the form begins with, also after an addition. */
const EMPTY = { name: '', password: '', scope: 'monitor' as Scope, folder: '', days: '' }

function AddGrant({ kind, again }: Pick<RowProps, 'kind' | 'again'>) {
  const [wanted, setWanted] = useState(EMPTY)
  const [made, setMade] = useState<{ readonly name: string; readonly key: string }>()
  const saving = useSaving()
  const folders = useLive((state) => state.config?.folders) ?? []
  const set = (part: Partial<typeof EMPTY>) => setWanted((before) => ({ ...before, ...part }))
  const { name, password, scope, folder, days } = wanted
  const add = async () => {
    const body = {
      name: name.trim(),
      scope,
      ...(folder !== '' && scope !== 'admin' && { folders: [folder] }),
      ...(days !== '' && { expires: `${days}d` }),
    }
    const added = async () => {
      if (kind === 'keys') setMade(await client.call('POST /rest/twinfold/keys', { body }))
      else await client.call('POST /rest/twinfold/users', { body: { ...body, password } })
    }
    if (!(await saving.save(added))) return
    setWanted(EMPTY)
    showToast('done', t('grants.added', { name: body.name }))
    again()
  }
  return (
    <>
      {made !== undefined && (
        <div role="status">
          <p class="settings-note">{t('grants.once', { name: made.name })}</p>
          <div class="settings-key">
            <code>{made.key}</code>
            <CopyButton text={made.key} />
          </div>
        </div>
      )}
      <Refusal text={saving.refusal} />
      <TextField label={t('grants.name')} value={name} onChange={(text) => set({ name: text })} />
      {kind === 'users' && (
        <TextField
          label={t('settings.newPassword')}
          type="password"
          value={password}
          onChange={(text) => set({ password: text })}
          autoComplete="new-password"
        />
      )}
      <SelectField
        label={t('grants.scope')}
        value={scope}
        options={SCOPES.map((value) => ({ value, text: t(`grants.${value}`) }))}
        onChange={(value) => set({ scope: value })}
      />
      <SelectField
        label={t('grants.folder')}
        value={folder}
        disabled={scope === 'admin'}
        options={[
          { value: '', text: t('grants.allFolders') },
          ...folders.map(({ id, label }) => ({ value: String(id), text: label === '' ? id : label })),
        ]}
        onChange={(value) => set({ folder: value })}
      />
      <SelectField
        label={t('grants.expires')}
        value={days}
        options={[
          { value: '', text: t('time.never') },
          ...EXPIRY_DAYS.map((n) => ({ value: String(n), text: t('grants.days', { n }) })),
        ]}
        onChange={(value) => set({ days: value })}
      />
      <div class="settings-actions">
        <Button needs="admin" onClick={add}>
          {t(kind === 'keys' ? 'grants.addKey' : 'grants.addUser')}
        </Button>
      </div>
    </>
  )
}
