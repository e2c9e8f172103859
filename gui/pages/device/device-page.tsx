import type { DeviceConfig } from '../../../src/core/config/config.ts'
import { changeConfig } from '../../app/run-action.ts'
import { addressOf } from '../../base/address.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { goTo } from '../../base/route.ts'
import { deviceFacts, deviceName } from '../../view-model/device.ts'
import { deviceText } from '../../view-model/device-text.ts'
import { unsharePlans } from '../../view-model/share.ts'
import { client } from '../../live/client.ts'
import { useLiveFields } from '../../live/use-live-fields.ts'
import { live, useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyNote, Section, StateLabel, useNow } from '../../ui/parts.tsx'
import { OverTime } from '../../ui/over-time.tsx'
import { PausedUntil } from '../../ui/paused-until.tsx'
import { RatePlot } from '../../ui/plot.tsx'
import { t } from '../../i18n/texts.ts'
import { EditDeviceDialog } from '../edit/edit-device.tsx'
import { ConnectionFacts } from './connection-facts.tsx'
import { SharedFolders } from './shared-folders.tsx'

/** One other device: how it is connected, how fast, and what it shares with us. */
export function DevicePage({ id }: { readonly id: string }) {
  const device = useLive((state) =>
    state.config?.devices.find(({ deviceID }) => deviceID === id && deviceID !== state.system?.myID),
  )
  if (device === undefined)
    return (
      <>
        <h1 class="unseen">{t('nav.devices')}</h1>
        <EmptyNote>{t('device.unknown')}</EmptyNote>
      </>
    )
  return (
    <>
      <Head device={device} />
      <div class="device-columns">
        <Section title={t('device.connection')}>
          <div class="card">
            <ConnectionFacts device={device} />
          </div>
        </Section>
        <Rates id={id} />
      </div>
      <SharedFolders device={device} />
      {/* Last, because it is loaded later and would move what is below it away from the pointer. */}
      <OverTime of="device" id={id} />
    </>
  )
}

function Head({ device }: { readonly device: DeviceConfig }) {
  const { deviceID } = device
  const facts = useLiveFields((state) => deviceFacts(state, deviceID))
  const { paused } = facts
  const name = deviceName(device)
  const text = deviceText(facts, useNow(15_000))
  const setPaused = () =>
    changeConfig(
      () =>
        client.call(paused ? 'POST /rest/system/resume' : 'POST /rest/system/pause', { query: { device: deviceID } }),
      t(paused ? 'device.resumedNow' : 'device.pausedNow', { name }),
    )
  return (
    <header class="page-head">
      <div class="device-title">
        <nav class="page-back" aria-label={t('nav.devices')}>
          <a href={addressOf('devices')}>{t('nav.devices')}</a>
          <Icon name="chevron" size={14} />
        </nav>
        <h1>{name}</h1>
        <StateLabel tone={facts.tone}>{text}</StateLabel>
        {paused && <PausedUntil id={deviceID} />}
      </div>
      <div class="page-actions">
        <Button needs="operate" icon={paused ? 'play' : 'pause'} onClick={setPaused}>
          {t(paused ? 'do.resume' : 'do.pause')}
        </Button>
        <Button needs="admin" icon="settings" onClick={() => openDialog(() => <EditDeviceDialog device={device} />)}>
          {t('do.edit')}
        </Button>
        <Button needs="admin" icon="trash" kind="danger" onClick={() => removeDevice(deviceID, name)}>
          {t('do.remove')}
        </Button>
      </div>
    </header>
  )
}

async function removeDevice(deviceId: string, name: string): Promise<void> {
  const n = deviceFacts(live.get(), deviceId).folders
  const question = {
    title: t('device.removeTitle', { name }),
    text: t('device.removeText', { n }),
    action: t('do.remove'),
    danger: true,
    plans: unsharePlans(live.get().config?.folders ?? [], deviceId),
  }
  if (!(await confirm(question))) return
  const done = await changeConfig(
    () => client.call('DELETE /rest/config/devices/:id', { id: deviceId }),
    t('device.removed', { name }),
  )
  if (done) goTo('devices')
}

const NO_HISTORY = [] as const

function Rates({ id }: { readonly id: string }) {
  const history = useLive((state) => lookUp(state.deviceHistory, id)) ?? NO_HISTORY
  return (
    <Section title={t('plot.title')}>
      <div class="card">
        <RatePlot label={t('plot.title')} history={history} subject={id} />
      </div>
    </Section>
  )
}
