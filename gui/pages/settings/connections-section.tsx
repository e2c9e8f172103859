import { t } from '../../i18n/texts.ts'
import { Fields } from '../edit/form.tsx'
import { Ignored } from './ignored.tsx'
import { NetworkState } from './network-state.tsx'
import { usePart } from './parts.ts'
import { Card } from './card.tsx'

/** Listen addresses, rate limits and ignored devices. */
export function ConnectionsSection() {
  return (
    <>
      <Card title={t('settings.connections')}>
        <Fields form={usePart('options')} words="options" groups={['connections']} />
      </Card>
      <Ignored />
    </>
  )
}

/** Discovery, relays and port mapping. */
export function NetworkSection() {
  return (
    <>
      <Card title={t('settings.network')}>
        <Fields form={usePart('options')} words="options" groups={['network']} />
      </Card>
      <NetworkState />
    </>
  )
}
