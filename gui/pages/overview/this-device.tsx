import { deviceName } from '../../view-model/device.ts'
import { errorText } from '../../view-model/error-text.ts'
import { formatDuration, formatSize } from '../../i18n/format.ts'
import { listenersOf } from '../../view-model/listeners.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import type { LiveState } from '../../live/state.ts'
import { CopyButton, DescriptionList, Section, useNow } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'

const ASK_EVERY_MS = 20_000

/** This device: its ID, its state and its listeners. */
export function ThisDevice() {
  const nowMs = useNow(ASK_EVERY_MS)
  const known = useLive((state) => state.system)
  const { value: system = known } = useQuery(
    'system',
    (signal) => client.call('GET /rest/system/status', { signal }),
    nowMs,
  )
  const version = useLive((state) => state.version?.version ?? '')
  const device = useLive((state) => state.config?.devices.find(({ deviceID }) => deviceID === state.system?.myID))
  const files = useLive((state) => total(state, 'localFiles'))
  const bytes = useLive((state) => total(state, 'localBytes'))
  if (system === undefined) return null
  const uptime = formatDuration((nowMs - Date.parse(system.startTime)) / 1_000)
  return (
    <Section title={t('thisDevice.title')}>
      <div class="card overview-this-device">
        <div class="overview-id">
          <img
            class="overview-qr"
            src={`/qr/?text=${encodeURIComponent(system.myID)}`}
            alt={t('thisDevice.qr')}
            width={112}
            height={112}
          />
          <div>
            <p class="overview-this-device-name">{device === undefined ? '' : deviceName(device)}</p>
            <p class="mono overview-this-device-id">{system.myID}</p>
            <CopyButton text={system.myID} label={t('thisDevice.copyId')} />
          </div>
        </div>
        <DescriptionList
          rows={[
            [t('thisDevice.contents'), `${t('count.files', { n: files })} · ${formatSize(bytes)}`],
            [t('thisDevice.listens'), <Listeners key="listeners" status={system.connectionServiceStatus} />],
            [t('thisDevice.uptime'), uptime],
            [t('thisDevice.version'), version],
          ]}
        />
      </div>
    </Section>
  )
}

function total(state: LiveState, what: 'localFiles' | 'localBytes'): number {
  return Object.values(state.folders).reduce((sum, { status }) => sum + status[what], 0)
}

interface ListenersProps {
  readonly status: NonNullable<LiveState['system']>['connectionServiceStatus']
}

/** The listeners, with the error of each that failed. */
function Listeners({ status }: ListenersProps) {
  const all = listenersOf(status)
  if (all.length === 0) return <span>{t('thisDevice.nowhere')}</span>
  return (
    <ul>
      {all.map(({ address, error }) => (
        <li key={address}>
          <span class="mono">{address}</span>
          {error !== '' && <span class="overview-failed"> {errorText(error)}</span>}
        </li>
      ))}
    </ul>
  )
}
