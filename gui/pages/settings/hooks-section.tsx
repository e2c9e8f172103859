import type { HookJson, HookLogEntryJson } from '../../../src/rest/hooks.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { reasonOf, runAction } from '../../app/run-action.ts'
import { showToast } from '../../app/toasts.tsx'
import { useMay } from '../../live/access.ts'
import { client } from '../../live/client.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyNote, StateLabel, TimeAgo } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { QueryResult } from '../folder/query-result.tsx'
import { AddHookDialog } from './add-hook.tsx'
import { SettingsCard } from './settings-card.tsx'

/** Webhooks and programs that are notified of states: list, add, test, deliveries, remove. */
export function HooksSection() {
  return useMay('admin') ? <HookList /> : <EmptyNote>{t('access.refused')}</EmptyNote>
}

function HookList() {
  const hooks = useQuery('hooks', (signal) => client.call('GET /rest/twinfold/hooks', { signal }))
  return (
    <SettingsCard title={t('settings.hooks')}>
      <p class="settings-help">{t('hooks.help')}</p>
      <QueryResult query={hooks}>
        {(list) => (
          <>
            {list.length === 0 && <p class="soft">{t('hooks.none')}</p>}
            <ul class="settings-ignored">
              {list.map((hook) => (
                <HookRow key={hook.name} hook={hook} onChange={hooks.again} />
              ))}
            </ul>
          </>
        )}
      </QueryResult>
      <div class="settings-actions">
        <Button icon="plus" onClick={() => openDialog(() => <AddHookDialog onAdded={hooks.again} />)}>
          {t('hooks.add')}
        </Button>
      </div>
    </SettingsCard>
  )
}

function HookRow({ hook, onChange }: { readonly hook: HookJson; readonly onChange: () => void }) {
  const { name, on, url, program, args, last, waiting } = hook
  return (
    <li aria-label={name}>
      <span>
        <b>{name}</b>{' '}
        <span class="soft">
          {t(`hooks.on.${on}`)} · {url ?? [program, ...args].join(' ')}
        </span>
        {last !== null && <Outcome entry={last} />}
        {waiting > 0 && <div class="soft">{t('hooks.waiting', { n: waiting })}</div>}
      </span>
      <span class="settings-actions">
        <Button onClick={() => test(name).then(onChange)}>{t('hooks.test')}</Button>
        <Button onClick={() => openDialog(() => <LogDialog name={name} />)}>{t('hooks.log')}</Button>
        <Button onClick={() => remove(name).then(onChange)}>{t('do.remove')}</Button>
      </span>
    </li>
  )
}

function Outcome({ entry: { outcome, time, detail } }: { readonly entry: HookLogEntryJson }) {
  return (
    <div>
      <StateLabel tone={outcome === 'delivered' ? 'good' : 'bad'}>{t(`hooks.outcome.${outcome}`)}</StateLabel>{' '}
      <span class="soft">
        <TimeAgo time={time} /> · {detail}
      </span>
    </div>
  )
}

async function test(name: string): Promise<void> {
  try {
    const { ok, detail } = await client.call('POST /rest/twinfold/hooks/test/:id', { id: name })
    if (ok) showToast('done', t('hooks.tested', { detail }))
    else showToast('failed', t('fail.action', { reason: detail }))
  } catch (error) {
    showToast('failed', t('fail.action', { reason: reasonOf(error) }))
  }
}

async function remove(name: string): Promise<void> {
  const question = { title: t('hooks.remove', { name }), text: t('hooks.removeText'), action: t('do.remove') }
  if (!(await confirm({ ...question, danger: true }))) return
  await runAction(() => client.call('DELETE /rest/twinfold/hooks/:id', { id: name }), t('hooks.removed', { name }))
}

function LogDialog({ name }: { readonly name: string }) {
  const log = useQuery(name, (signal) => client.call('GET /rest/twinfold/hooks/log/:id', { id: name, signal }))
  return (
    <Dialog title={`${t('hooks.log')}: ${name}`}>
      <QueryResult query={log}>
        {(entries) =>
          entries.length === 0 ? (
            <p class="soft">{t('hooks.nothing')}</p>
          ) : (
            <ul class="settings-ignored">
              {entries.map((entry, i) => (
                <li key={i}>
                  <span>
                    {entry.text}
                    <Outcome entry={entry} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </Dialog>
  )
}
