import { t } from '../../i18n/texts.ts'
import { FormFields } from '../edit/form.tsx'
import { IgnoredItems } from './ignored-items.tsx'
import { NetworkState } from './network-state.tsx'
import { usePart } from './parts.ts'
import { SettingsCard } from './settings-card.tsx'

/** Listen addresses, rate limits and ignored devices. */
export function ConnectionsSection() {
  return (
    <>
      <SettingsCard title={t('settings.connections')}>
        <FormFields form={usePart('options')} words="options" groups={['connections']} />
      </SettingsCard>
      <IgnoredItems />
    </>
  )
}

/** Discovery, relays and port mapping. */
export function NetworkSection() {
  return (
    <>
      <SettingsCard title={t('settings.network')}>
        <FormFields form={usePart('options')} words="options" groups={['network']} />
      </SettingsCard>
      <NetworkState />
    </>
  )
}
