import type { DeviceConfig } from '../../../src/core/config.ts'
import { addressOf } from '../../app/address.ts'
import { deviceFacts, deviceName } from '../../facts/device.ts'
import { formatRate, formatSize } from '../../facts/format.ts'
import { useLive } from '../../live/live.ts'
import { Icon } from '../../ui/icon.tsx'
import { Bar, State, useNow } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'

/** One line a device: name, how it is connected, what it lacks, its rates. */
export function DeviceRow({ device }: { readonly device: DeviceConfig }) {
  const state = useLive((value) => value)
  const facts = deviceFacts(state, device, useNow(15_000))
  const rate = state.rates[device.deviceID] ?? { inBps: 0, outBps: 0 }
  return (
    <a class="row" href={addressOf('devices', device.deviceID)}>
      <span class="row-name">{deviceName(device)}</span>
      <State tone={facts.tone}>{facts.text}</State>
      <span class="row-detail">
        {facts.waiting > 0 && (facts.connected
          ? <Bar fraction={facts.fraction} label={facts.text} />
          : `${t('count.items', { n: facts.waiting })} · ${formatSize(facts.bytesLeft)}`)}
      </span>
      <span class="row-side rates">
        {facts.connected && <><span><Icon name="down" size={14} />{formatRate(rate.inBps)}</span><span><Icon name="up" size={14} />{formatRate(rate.outBps)}</span></>}
      </span>
    </a>
  )
}
