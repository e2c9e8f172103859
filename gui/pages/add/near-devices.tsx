import { shortId } from '../../view-model/device.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { t } from '../../i18n/texts.ts'

/** Preset fields of the device to add. */
export interface DevicePreset {
  readonly deviceID: string
  readonly name: string
  readonly addresses?: readonly string[]
}

/** Devices to choose from: pending ones, and those discovered on the local network. */
export function NearDevices({ onPick }: { readonly onPick: (device: DevicePreset) => void }) {
  const pending = useLive((state) => state.pendingDevices)
  const devices = useLive((state) => state.config?.devices) ?? []
  const { value: found = {} } = useQuery('discovery', (signal) => client.call('GET /rest/system/discovery', { signal }))
  const known = new Set([...devices.map(({ deviceID }): string => deviceID), ...Object.keys(pending)])
  const choices = [
    ...Object.entries(pending).map(([deviceID, { name, address }]) => ({
      deviceID,
      name,
      detail: t('add.wantsToConnect', { address }),
    })),
    ...Object.keys(found)
      .filter((id) => !known.has(id))
      .map((deviceID) => ({ deviceID, name: '', detail: t('add.near') })),
  ]
  if (choices.length === 0) return null
  return (
    <fieldset class="add-near">
      <legend>{t('add.pickDevice')}</legend>
      {choices.map(({ deviceID, name, detail }) => (
        <Button key={deviceID} icon="device" title={deviceID} onClick={() => onPick({ deviceID, name })}>
          {name === '' ? shortId(deviceID) : name} <span class="soft">{detail}</span>
        </Button>
      ))}
    </fieldset>
  )
}
