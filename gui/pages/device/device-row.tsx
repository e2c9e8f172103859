import { useState } from 'preact/hooks'
import type { DeviceConfig } from '../../../src/core/config/config.ts'
import { addressOf } from '../../app/address.ts'
import { deviceFacts, deviceName, otherDevices, type DeviceFacts } from '../../facts/device.ts'
import { deviceText } from '../../facts/device-text.ts'
import { formatDuration, formatRate, formatSize } from '../../facts/format.ts'
import { meanRate, secondsLeft } from '../../facts/rates.ts'
import { deviceKey, filterCounts, orderedRows, type RowFilter, type RowKey } from '../../facts/row-order.ts'
import { useFacts } from '../../live/facts.ts'
import { useLive } from '../../live/live.ts'
import { Icon } from '../../ui/icon.tsx'
import { Bar, Empty, State, useNow } from '../../ui/parts.tsx'
import { RowFilterBar } from '../../ui/row-filter.tsx'
import { language } from '../../words/language.ts'
import { t } from '../../words/words.ts'

/** One line per device, by name; each opens its page. */
export function DeviceRows({ devices }: { readonly devices: readonly DeviceConfig[] }) {
  const [filter, setFilter] = useState<RowFilter>('all')
  const [text, setText] = useState('')
  const keys = useLive((state) => JSON.stringify(otherDevices(state).map((each) => deviceKey(state, each))))
  const rows = JSON.parse(keys) as readonly RowKey[]
  const ordered = orderedRows(rows, filter, text, language.get())
  const shown = ordered.flatMap((id) => devices.find(({ deviceID }) => deviceID === id) ?? [])
  const bar = { counts: filterCounts(rows), filter, text, onFilter: setFilter, onText: setText }
  return (
    <>
      <RowFilterBar {...bar} label={t('filter.devices')} />
      {shown.length === 0 ? (
        <Empty>{t('filter.none')}</Empty>
      ) : (
        <ul class="rows">
          {shown.map((device) => (
            <DeviceRow key={device.deviceID} device={device} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Name, connection, missing items, rates. */
function DeviceRow({ device: { deviceID, name } }: { readonly device: DeviceConfig }) {
  const facts = useFacts((state) => deviceFacts(state, deviceID))
  const text = deviceText(facts, useNow(15_000))
  return (
    <li class="row">
      <a class="row-link row-name" href={addressOf('devices', deviceID)}>
        {deviceName({ deviceID, name })}
      </a>
      <State tone={facts.tone}>{text}</State>
      <span class="row-detail">{facts.waiting > 0 && <Behind id={deviceID} facts={facts} text={text} />}</span>
      <span class="row-side">{facts.connected && <Rates id={deviceID} />}</span>
    </li>
  )
}

/** The missing items: being sent while it is connected, pending while it is not. */
function Behind({ id, facts, text }: { readonly id: string; readonly facts: DeviceFacts; readonly text: string }) {
  const rate = useLive((state) => meanRate(state.deviceHistory[id] ?? []).outBps)
  const behind = t('overview.behind', { n: facts.waiting, size: formatSize(facts.bytesLeft) })
  if (!facts.connected) return <>{behind}</>
  const leftS = secondsLeft(facts.bytesLeft, rate)
  return (
    <>
      <Bar fraction={facts.fraction} label={text} />
      <span class="row-pace">
        {leftS === undefined ? behind : `${behind} · ${t('time.left', { time: formatDuration(leftS) })}`}
      </span>
    </>
  )
}

function Rates({ id }: { readonly id: string }) {
  const down = formatRate(useLive((state) => state.rates[id]?.inBps ?? 0))
  const up = formatRate(useLive((state) => state.rates[id]?.outBps ?? 0))
  return (
    <span class="rates" role="img" aria-label={t('top.rates', { in: down, out: up })}>
      <span>
        <Icon name="down" size={14} />
        {down}
      </span>
      <span>
        <Icon name="up" size={14} />
        {up}
      </span>
    </span>
  )
}
