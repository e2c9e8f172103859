import { detach } from '../../../src/core/errors.ts'
import type { ScheduleJson } from '../../../src/rest/schedule.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { runAction } from '../../app/run-action.ts'
import { deviceName } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'
import { StateLabel } from '../../ui/parts.tsx'
import { formatMoment } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { QueryResult } from '../folder/query-result.tsx'
import { AddRuleDialog, dayName } from './add-rule.tsx'
import { SettingsCard } from './settings-card.tsx'

/** Weekly rules for pauses and rates, and conditions of the machine. */
export function ScheduleSection() {
  // Loaded again when a rule begins or ends.
  const pauses = useLive((state) => JSON.stringify(state.scheduledPauses))
  const query = useQuery(`schedule ${pauses}`, (signal) => client.call('GET /rest/twinfold/schedule', { signal }))
  return (
    <>
      <SettingsCard title={t('settings.schedule')}>
        <p class="settings-help">{t('schedule.help')}</p>
        <QueryResult query={query}>
          {(schedule) => (
            <>
              {schedule.rules.length === 0 && <p class="soft">{t('schedule.none')}</p>}
              {schedule.rules.length > 0 && <Rules schedule={schedule} onChange={query.again} />}
            </>
          )}
        </QueryResult>
        <div class="settings-actions">
          <Button icon="plus" onClick={() => openDialog(() => <AddRuleDialog onAdded={query.again} />)}>
            {t('schedule.add')}
          </Button>
        </div>
      </SettingsCard>
      {query.value !== undefined && <Conditions schedule={query.value} onChange={query.again} />}
    </>
  )
}

interface Props {
  readonly schedule: ScheduleJson
  readonly onChange: () => void
}

function Rules({ schedule, onChange }: Props) {
  const folders = useLive((state) => state.config?.folders) ?? []
  const devices = useLive((state) => state.config?.devices) ?? []
  const about = ({ folder, device }: ScheduleJson['rules'][number]): string => {
    const found = folders.find(({ id }) => id === folder)
    const other = devices.find(({ deviceID }) => deviceID === device)
    if (folder !== null) return found === undefined ? folder : folderName(found)
    if (device !== null) return other === undefined ? device : deviceName(other)
    return t('schedule.all')
  }
  return (
    <>
      <ul class="settings-ignored">
        {schedule.rules.map((rule) => (
          <li key={rule.name} aria-label={rule.name}>
            <span>
              <b>{rule.name}</b>{' '}
              <span class="soft">
                {rule.days.length === 7 ? t('schedule.everyDay') : rule.days.map(dayName).join(', ')} · {rule.from}–
                {rule.to} · {about(rule)} · {whatOf(rule)}
              </span>
              {rule.until !== null && (
                <div>
                  <StateLabel tone="paused">
                    {t('schedule.until', { time: formatMoment(Date.parse(rule.until)) })}
                  </StateLabel>
                </div>
              )}
            </span>
            <span class="settings-actions">
              <Button onClick={() => remove(rule.name).then(onChange)}>{t('do.remove')}</Button>
            </span>
          </li>
        ))}
      </ul>
      <p class="soft">{t('schedule.zone', { zone: schedule.timeZone })}</p>
    </>
  )
}

function whatOf({ pause, maxSendKbps, maxRecvKbps }: ScheduleJson['rules'][number]): string {
  const rate = (kbps: number | null) =>
    kbps === null ? t('schedule.asConfigured') : kbps === 0 ? t('device.noLimit') : `${kbps} KiB/s`
  if (pause) return t('do.pause')
  return t('device.limitsValue', { in: rate(maxRecvKbps), out: rate(maxSendKbps) })
}

async function remove(name: string): Promise<void> {
  const done = t('schedule.removed', { name })
  await runAction(() => client.call('DELETE /rest/twinfold/schedule/:id', { id: name }), done)
}

function Conditions({ schedule, onChange }: Props) {
  const settings = useQuery('conditions', (signal) => client.call('GET /rest/twinfold/settings', { signal }))
  const { value } = settings
  if (value === undefined) return null
  const change = async (body: { readonly meteredLocalOnly?: boolean; readonly inhibitSleep?: boolean }) => {
    await runAction(() => client.call('PATCH /rest/twinfold/settings', { body }), t('edit.saved'))
    settings.again()
    onChange()
  }
  const { metered, sleep } = schedule
  return (
    <SettingsCard title={t('schedule.conditions')}>
      <CheckField
        label={t('schedule.metered')}
        help={metered === 'unknown' ? t('schedule.unknown') : t('schedule.meteredHelp')}
        checked={value.meteredLocalOnly}
        onChange={(meteredLocalOnly) => detach(change({ meteredLocalOnly }))}
      />
      <CheckField
        label={t('schedule.awake')}
        help={sleep.problem ?? t('schedule.awakeHelp')}
        checked={value.inhibitSleep}
        onChange={(inhibitSleep) => detach(change({ inhibitSleep }))}
      />
    </SettingsCard>
  )
}
