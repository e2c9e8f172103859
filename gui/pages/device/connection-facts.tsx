import type { ComponentChildren } from 'preact'
import type { DeviceConfig } from '../../../src/core/config/config.ts'
import { cryptoText, deviceFacts, deviceNameById } from '../../view-model/device.ts'
import { connectionText } from '../../view-model/device-text.ts'
import { formatCount, formatRate, formatSize } from '../../i18n/format.ts'
import { useLiveFields } from '../../live/use-live-fields.ts'
import { useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { TimeAgo, CopyButton, DescriptionList } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { WhyOffline } from './why-offline.tsx'

const KIB = 1_024

type Row = readonly [name: string, value: ComponentChildren]

/** The connection, or why there is none, and the settings of the device. */
export function ConnectionFacts({ device }: { readonly device: DeviceConfig }) {
  const isConnected = useLive((state) => lookUp(state.connections.connections, device.deviceID)?.connected === true)
  return (
    <div class="device-facts">
      {isConnected ? <Connected id={device.deviceID} /> : <WhyOffline device={device} />}
      <DeviceSettings device={device} />
    </div>
  )
}

function Connected({ id }: { readonly id: string }) {
  const connection = useLive((state) => lookUp(state.connections.connections, id))
  const { way } = useLiveFields((state) => deviceFacts(state, id))
  if (connection === undefined) return null
  const { secondary = [] } = connection
  const rows: readonly Row[] = [
    [t('device.kind'), connectionText(way, connection.type)],
    [
      t('device.address'),
      <span key="address" class="mono">
        {connection.address}
      </span>,
    ],
    [t('device.crypto'), cryptoText(connection.crypto)],
    [t('device.since'), <TimeAgo key="since" time={connection.startedAt} />],
    [t('device.client'), connection.clientVersion],
    [
      t('device.bytes'),
      t('device.bytesValue', { in: formatSize(connection.inBytesTotal), out: formatSize(connection.outBytesTotal) }),
    ],
    [t('device.connections'), formatCount(1 + secondary.length)],
  ]
  return <DescriptionList rows={rows} />
}

function DeviceSettings({ device }: { readonly device: DeviceConfig }) {
  const introducer = useLive((state) => (device.introducedBy === '' ? '' : deviceNameById(state, device.introducedBy)))
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
  return <DescriptionList rows={rows} />
}

/** The config counts in KiB a second, despite its name. */
function limitText(kibPerSecond: number): string {
  return kibPerSecond > 0 ? formatRate(kibPerSecond * KIB) : t('device.noLimit')
}
