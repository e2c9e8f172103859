import { addressOf } from '../../base/address.ts'
import { runAction } from '../../app/run-action.ts'
import { deviceFacts, otherDevices } from '../../view-model/device.ts'
import { deviceText } from '../../view-model/device-text.ts'
import { formatDuration, formatRate, formatSize } from '../../i18n/format.ts'
import { meanRate, secondsLeft } from '../../view-model/rates.ts'
import { deviceKey, type RowKey } from '../../view-model/row-order.ts'
import { client } from '../../live/client.ts'
import { useLiveFields } from '../../live/use-live-fields.ts'
import { useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import type { LiveState } from '../../live/state.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Identity } from '../../ui/identity.tsx'
import { ProgressBar, StateLabel, useNow } from '../../ui/parts.tsx'
import { RowOverview, RowTable } from '../../ui/row-tables.tsx'
import { BulkBar } from '../../ui/selection.tsx'
import type { Column } from '../../ui/table-props.ts'
import { t } from '../../i18n/texts.ts'

function keysOf(state: LiveState): readonly RowKey[] {
  return otherDevices(state).map((device) => deviceKey(state, device))
}

/** All other devices, by name; each row opens its page. */
export function DeviceRows() {
  return (
    <RowTable
      kind="device"
      caption={t('nav.devices')}
      columns={columns()}
      keysOf={keysOf}
      filterLabel={t('filter.devices')}
      bulk={(ids, clear) => <DeviceBulk ids={ids} onClear={clear} />}
    />
  )
}

export function DeviceOverview() {
  const hrefOf = (id: string) => addressOf('devices', id)
  return <RowOverview kind="device" caption={t('nav.devices')} columns={columns()} keysOf={keysOf} hrefOf={hrefOf} />
}

function DeviceBulk({ ids, onClear }: { readonly ids: readonly string[]; readonly onClear: () => void }) {
  const setPaused = (paused: boolean) =>
    runAction(
      () => Promise.all(ids.map((id) => client.call('PATCH /rest/config/devices/:id', { id, body: { paused } }))),
      t(paused ? 'table.paused' : 'table.resumed', { n: ids.length }),
    )
  return (
    <BulkBar count={ids.length} onClear={onClear}>
      <Button needs="operate" icon="pause" onClick={() => setPaused(true)}>
        {t('do.pause')}
      </Button>
      <Button needs="operate" icon="play" onClick={() => setPaused(false)}>
        {t('do.resume')}
      </Button>
    </BulkBar>
  )
}

function columns(): readonly Column<RowKey>[] {
  return [
    { id: 'name', title: t('files.name'), phone: 'name', sorts: true, cell: (row) => <Name row={row} /> },
    {
      id: 'state',
      title: t('table.state'),
      phone: 'line',
      width: '37%',
      sorts: true,
      cell: ({ id }) => <StateCell id={id} />,
    },
    { id: 'bytes', title: t('table.behind'), width: '27%', sorts: true, cell: ({ id }) => <Behind id={id} /> },
    { id: 'rates', title: t('table.rates'), phone: 'side', width: '172px', cell: ({ id }) => <Rates id={id} /> },
  ]
}

function Name({ row: { id, name } }: { readonly row: RowKey }) {
  return (
    <a class="row-link row-name" href={addressOf('devices', id)} title={name}>
      <Identity kind="device" id={id} />
      <span class="row-text">{name}</span>
    </a>
  )
}

function StateCell({ id }: { readonly id: string }) {
  const facts = useLiveFields((state) => deviceFacts(state, id))
  const text = deviceText(facts, useNow(15_000))
  return (
    <span title={text}>
      <StateLabel tone={facts.tone}>{text}</StateLabel>
    </span>
  )
}

/** The missing items: being sent while it is connected, pending while it is not. */
function Behind({ id }: { readonly id: string }) {
  const facts = useLiveFields((state) => deviceFacts(state, id))
  const rate = useLive((state) => meanRate(lookUp(state.deviceHistory, id) ?? []).outBps)
  if (facts.waiting === 0) return null
  const behind = t('overview.behind', { n: facts.waiting, size: formatSize(facts.bytesLeft) })
  if (!facts.connected) return <span class="soft">{behind}</span>
  const leftS = secondsLeft(facts.bytesLeft, rate)
  const pace = leftS === undefined ? behind : `${behind} · ${t('time.left', { time: formatDuration(leftS) })}`
  return (
    <span class="row-progress" title={pace}>
      <ProgressBar fraction={facts.fraction} label={deviceText(facts, Date.now())} />
      <span class="row-pace">{pace}</span>
    </span>
  )
}

function Rates({ id }: { readonly id: string }) {
  const connected = useLive((state) => lookUp(state.connections.connections, id)?.connected === true)
  const down = formatRate(useLive((state) => state.rates[id]?.inBps ?? 0))
  const up = formatRate(useLive((state) => state.rates[id]?.outBps ?? 0))
  return connected ? (
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
  ) : null
}
