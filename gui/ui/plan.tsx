import type { PlanJson } from '../../src/rest/plan.ts'
import { formatSize } from '../i18n/format.ts'
import { t } from '../i18n/texts.ts'
import { client } from '../live/client.ts'
import { useLive } from '../live/live.ts'
import { useQuery } from '../live/query.ts'
import { deviceName } from '../view-model/device.ts'
import { folderName } from '../view-model/folder-name.ts'
import { Skeleton } from './parts.tsx'

/** An action on a folder, or other ignore patterns for it. */
export interface PlannedAction {
  readonly folder: string
  readonly action: string
  readonly lines?: readonly string[]
}

/** What the daemon says that an action does. */
export function loadPlan({ folder, action, lines }: PlannedAction, signal?: AbortSignal): Promise<PlanJson> {
  const options = { timeoutMs: undefined, ...(signal && { signal }) }
  return lines === undefined
    ? client.call('GET /rest/twinfold/plan', { query: { folder, action }, ...options })
    : client.call('POST /rest/twinfold/plan', { query: { folder }, body: { ignore: lines }, ...options })
}

/** What actions will do, by folder and device. */
export function PlanView({ plans }: { readonly plans: readonly PlannedAction[] }) {
  const { value, error } = useQuery(JSON.stringify(plans), (signal) =>
    Promise.all(plans.map((plan) => loadPlan(plan, signal))),
  )
  if (value === undefined) return error === undefined ? <Skeleton lines={2} /> : null
  const changing = value.filter(({ effects }) => effects.length > 0)
  return (
    <section class="plan" aria-label={t('plan.title')}>
      {changing.length === 0 && <p>{t('plan.nothing')}</p>}
      {changing.map((plan) => (
        <FolderPlan key={plan.folder} plan={plan} isNamed={plans.length > 1} />
      ))}
    </section>
  )
}

function FolderPlan({ plan: { folder, effects }, isNamed }: { readonly plan: PlanJson; readonly isNamed: boolean }) {
  const config = useLive((state) => state.config)
  const found = config?.folders.find(({ id }) => id === folder)
  const nameOf = (id: string) => {
    const device = config?.devices.find(({ deviceID }) => deviceID === id)
    return device === undefined ? id.slice(0, 7) : deviceName(device)
  }
  const places = [...new Set(effects.map(({ device }) => device))]
  return (
    <>
      {isNamed && <h3>{found === undefined ? folder : folderName(found)}</h3>}
      {places.map((place) => (
        <div key={place}>
          <h4>{place === '' ? t('plan.here') : nameOf(place)}</h4>
          <ul>
            {effects
              .filter(({ device }) => device === place)
              .map(({ effect, items, bytes, examples }) => (
                <li key={effect} title={examples.join('\n')}>
                  {t(`plan.${effect}`, { n: items })}
                  <span class="soft">
                    {bytes > 0 && ` · ${formatSize(bytes)}`} · {examples[0]}
                    {items > 1 && ' …'}
                  </span>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  )
}
