import { discoveryLines, listenerLines, mappingLines, type NetworkLine } from '../../view-model/network.ts'
import { networkText } from '../../view-model/network-text.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { StateLabel, useNow } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { SettingsCard } from './settings-card.tsx'

const ASK_EVERY_MS = 5_000

/** Discovery servers, listeners, the joined relay and mapped ports as they are now. */
export function NetworkState() {
  const options = useLive((state) => state.config?.options)
  const { value } = useQuery(
    'network',
    async (signal) => {
      const [status, { portMapping }] = await Promise.all([
        client.call('GET /rest/system/status', { signal }),
        client.call('GET /rest/twinfold/network', { signal }),
      ])
      return { status, portMapping }
    },
    `${useNow(ASK_EVERY_MS)} ${options?.natEnabled}`,
  )
  if (value === undefined) return null
  const { status, portMapping } = value
  return (
    <SettingsCard title={t('network.state')}>
      <Part title={t('network.listeners')} lines={listenerLines(status.connectionServiceStatus)} />
      <Part title={t('network.discovery')} lines={discoveryLines(status)} />
      <Part title={t('network.mapping')} lines={mappingLines(portMapping)} />
    </SettingsCard>
  )
}

function Part({ title, lines }: { readonly title: string; readonly lines: readonly NetworkLine[] }) {
  return (
    <section class="settings-state">
      <h3>{title}</h3>
      {lines.length === 0 && <StateLabel tone="off">{t('network.off')}</StateLabel>}
      <ul>
        {lines.map((line) => (
          <li key={line.name}>
            <StateLabel tone={line.tone}>{networkText(line)}</StateLabel>
            {line.name !== '' && <span class="mono">{line.name}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
