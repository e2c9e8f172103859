import type { ComponentChildren } from 'preact'
import type { DeviceConfig } from '../../../src/core/config/config.ts'
import { attemptsAt, whyNoAddress, type Attempt } from '../../facts/attempts.ts'
import { deviceFacts, nameOf } from '../../facts/device.ts'
import { wayText } from '../../facts/device-text.ts'
import { formatAgo, formatCount, formatRate, formatSize } from '../../facts/format.ts'
import { isTime } from '../../facts/moments.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useFacts } from '../../live/facts.ts'
import { useLive } from '../../live/live.ts'
import { Ago, CopyButton, Facts, useNow } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'

const ASK_EVERY_MS = 5_000
const KIB = 1_024

type Row = readonly [name: string, value: ComponentChildren]

/** The connection, or the last error, and the settings of the device. */
export function ConnectionFacts({ device }: { readonly device: DeviceConfig }) {
  const isConnected = useLive((state) => state.connections.connections[device.deviceID]?.connected === true)
  return (
    <div class="device-facts">
      {isConnected ? <Connected id={device.deviceID} /> : <Away device={device} />}
      <Settled device={device} />
    </div>
  )
}

function Connected({ id }: { readonly id: string }) {
  const connection = useLive((state) => state.connections.connections[id])
  const { way } = useFacts((state) => deviceFacts(state, id))
  if (connection === undefined) return null
  const { secondary = [] } = connection
  const rows: readonly Row[] = [
    [t('device.kind'), `${wayText(way)} · ${connection.type}`],
    [
      t('device.address'),
      <span key="address" class="mono">
        {connection.address}
      </span>,
    ],
    [t('device.crypto'), connection.crypto],
    [t('device.since'), <Ago key="since" time={connection.startedAt} />],
    [t('device.client'), connection.clientVersion],
    [
      t('device.bytes'),
      t('device.bytesValue', { in: formatSize(connection.inBytesTotal), out: formatSize(connection.outBytesTotal) }),
    ],
    [t('device.connections'), formatCount(1 + secondary.length)],
  ]
  return <Facts rows={rows} />
}

/** Why it is not connected: every address with its last error and the time of the next attempt. */
function Away({ device: { deviceID, paused, addresses } }: { readonly device: DeviceConfig }) {
  const lastSeen = useLive((state) => state.deviceStats[deviceID]?.lastSeen ?? '')
  const options = useLive((state) => state.config?.options)
  const revision = useNow(ASK_EVERY_MS)
  const { value } = useQuery(
    'attempts',
    async (signal) => {
      const [{ lastDialStatus }, found] = await Promise.all([
        client.call('GET /rest/system/status', { signal }),
        client.call('GET /rest/system/discovery', { signal }),
      ])
      return { lastDialStatus, found }
    },
    revision,
  )
  const attempts = attemptsAt(addresses, value?.found[deviceID]?.addresses ?? [], value?.lastDialStatus ?? {})
  const tried = attempts.length === 0 ? t(`device.${whyNoAddress(addresses, options)}`) : <Attempts list={attempts} />
  const rows: readonly Row[] = [
    [t('device.lastSeen'), <Ago key="seen" time={lastSeen} />],
    ...(paused || value === undefined ? [] : [[t('device.attempts'), tried] as const]),
  ]
  return <Facts rows={rows} />
}

function Attempts({ list }: { readonly list: readonly Attempt[] }) {
  const nowMs = useNow(1_000)
  return (
    <ul class="device-attempts">
      {list.map(({ address, error, triedMs, nextMs }) => (
        <li key={address}>
          <span class="mono">{address}</span>
          <span>{isTime(triedMs) ? error : t('device.notTried')}</span>
          {isTime(nextMs) && (
            <span class="soft">{t('device.nextTry', { time: formatAgo(Math.max(nextMs, nowMs), nowMs) })}</span>
          )}
        </li>
      ))}
    </ul>
  )
}

function Settled({ device }: { readonly device: DeviceConfig }) {
  const introducer = useLive((state) => (device.introducedBy === '' ? '' : nameOf(state, device.introducedBy)))
  const addresses = device.addresses
    .map((address) => (address === 'dynamic' ? t('device.dynamic') : address))
    .join(', ')
  const introduced = device.introducer
    ? t('device.isIntroducer')
    : introducer === ''
      ? ''
      : t('device.introducedBy', { name: introducer })
  const { maxRecvKbps, maxSendKbps } = device
  const limits = t('device.limitsValue', { in: limitText(maxRecvKbps), out: limitText(maxSendKbps) })
  const optional: readonly Row[] = [
    [t('device.introducer'), introduced],
    [t('device.trust'), device.untrusted ? t('device.untrusted') : ''],
    [t('device.limits'), maxRecvKbps + maxSendKbps > 0 ? limits : ''],
  ]
  const id = (
    <span class="device-id">
      <span class="mono">{device.deviceID}</span>
      <CopyButton text={device.deviceID} />
    </span>
  )
  const rows: readonly Row[] = [
    [t('device.addresses'), addresses],
    ...optional.filter(([, value]) => value !== ''),
    [t('device.id'), id],
  ]
  return <Facts rows={rows} />
}

/** The config counts in KiB a second, despite its name. */
function limitText(kibPerSecond: number): string {
  return kibPerSecond > 0 ? formatRate(kibPerSecond * KIB) : t('device.noLimit')
}
