import { changeConfig, runAction } from '../../app/run-action.ts'
import { addressOf } from '../../base/address.ts'
import { client } from '../../live/client.ts'
import { reloadParts } from '../../live/live.ts'
import type { Remedy } from '../../view-model/attention-entry.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { t } from '../../i18n/texts.ts'

type GuardRemedy = Extract<Remedy, { readonly kind: 'guard' }>

/** What the user can decide about a loss of files: each button says what it does. */
export function GuardButtons({ remedy }: { readonly remedy: GuardRemedy }) {
  const { device, deviceName, devices, files, folder, loss } = remedy
  if (loss === 'deleted' || loss === 'rewritten')
    return (
      <div class="button-row">
        <Button needs="operate" kind="primary" onClick={() => rewind(remedy)}>
          {t('guard.rewind')}
        </Button>
        <a class="button" href={addressOf('folders', folder, 'versions')}>
          {t('guard.versions')}
        </a>
        <Button needs="operate" onClick={() => act('dismiss', remedy)}>
          {t('guard.dismiss')}
        </Button>
      </div>
    )
  const isLocal = loss === 'local'
  return (
    <div class="button-row">
      <Button needs="operate" kind="primary" onClick={() => act('refuse', remedy)}>
        {isLocal ? t('guard.fetch', { n: files }) : t('guard.bringBack', { n: devices })}
      </Button>
      <Button needs="admin" kind="danger" onClick={() => applyLoss(remedy)}>
        {applyText(remedy)}
      </Button>
      {device !== undefined && (
        <Button needs="operate" onClick={() => pause(device, deviceName)}>
          {t('guard.pause', { device: deviceName })}
        </Button>
      )}
    </div>
  )
}

function applyText({ files, loss }: GuardRemedy): string {
  return t(loss === 'local' ? 'guard.deleteThere' : 'guard.deleteHere', { n: files })
}

async function applyLoss(remedy: GuardRemedy): Promise<void> {
  const action = applyText(remedy)
  if (await confirm({ title: `${action}?`, text: t('guard.sure'), action, danger: true })) await act('apply', remedy)
}

async function act(decision: 'apply' | 'refuse' | 'dismiss', { folder, loss }: GuardRemedy): Promise<void> {
  const done = { apply: t('guard.applied'), refuse: t('guard.refused'), dismiss: undefined }[decision]
  await runAction(async () => {
    if (decision === 'dismiss') return await client.call('POST /rest/twinfold/guard/dismiss', { query: { folder } })
    const side = loss === 'local' ? 'local' : 'remote'
    return await client.call(`POST /rest/twinfold/guard/${decision}`, { query: { folder, side }, timeoutMs: undefined })
  }, done)
  reloadParts(['summary'])
}

/** To a second before: the times of the history are as exact. */
async function rewind({ folder, since }: GuardRemedy): Promise<void> {
  const to = new Date(Date.parse(since) - 1_000).toISOString()
  await runAction(
    () => client.call('POST /rest/twinfold/rewind', { query: { folder, to }, body: { mode: 'in-place' } }),
    t('guard.refused'),
  )
}

async function pause(id: string, name: string): Promise<void> {
  await changeConfig(
    () => client.call('PATCH /rest/config/devices/:id', { id, body: { paused: true } }),
    t('device.pausedNow', { name }),
  )
}
