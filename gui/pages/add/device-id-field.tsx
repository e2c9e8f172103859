import type { DeviceConfig } from '../../../src/core/config/config.ts'
import { deviceName } from '../../view-model/device.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useDebounced } from '../../base/use-debounced.ts'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'

/** The state of an ID that is being typed. */
export interface CheckedId {
  /** In its usual form, when it can be used. */
  readonly id?: string
  readonly error?: string
}

/** Validates an ID with the daemon as it is typed; the ID of this device and known ones are rejected with an error. */
export function useCheckedId(typed: string): CheckedId {
  const text = useDebounced(typed.trim())
  const localId = useLive((state) => state.system?.myID)
  const devices = useLive((state) => state.config?.devices)
  const { value } = useQuery(text, async (signal) => {
    if (text === '') return undefined
    return { text, reply: await client.call('GET /rest/svc/deviceid', { query: { id: text }, signal }) }
  })
  if (value === undefined || value.text !== typed.trim()) return {}
  if (!('id' in value.reply)) return { error: t('add.badId') }
  return refusalOf(value.reply.id, localId, devices ?? []) ?? { id: value.reply.id }
}

function refusalOf(id: string, localId: string | undefined, devices: readonly DeviceConfig[]): CheckedId | undefined {
  if (id === localId) return { error: t('add.idOfThisDevice') }
  const known = devices.find(({ deviceID }) => deviceID === id)
  return known === undefined ? undefined : { error: t('add.knownDevice', { device: deviceName(known) }) }
}

export function DeviceIdField({
  typed,
  checked,
  onChange,
}: {
  readonly typed: string
  readonly checked: CheckedId
  readonly onChange: (typed: string) => void
}) {
  const help = checked.id === undefined ? t('add.deviceIdHelp') : t('add.idFine')
  return (
    <TextField
      label={t('add.deviceId')}
      help={help}
      error={checked.error}
      value={typed}
      onChange={onChange}
      lines={3}
      autoFocus
    />
  )
}
