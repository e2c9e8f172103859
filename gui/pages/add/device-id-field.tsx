import { useState } from 'preact/hooks'
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

/**
 * Validates an ID with the daemon as it is typed; the ID of this device and known ones are rejected with an error.
 * `checkNow` is for a form that is sent before that was done.
 */
export function useCheckedId(typed: string): CheckedId & { readonly checkNow: () => Promise<CheckedId> } {
  const asked = useDebounced(typed.trim())
  const localId = useLive((state) => state.system?.myID)
  const devices = useLive((state) => state.config?.devices)
  const check = async (text: string, signal?: AbortSignal) => {
    const reply = await client.call('GET /rest/svc/deviceid', { query: { id: text }, ...(signal && { signal }) })
    return { text, checked: 'id' in reply ? { id: reply.id } : { error: t('add.badId') } }
  }
  const { value } = useQuery(asked, async (signal) => (asked === '' ? undefined : check(asked, signal)))
  const [ofForm, setOfForm] = useState<Awaited<ReturnType<typeof check>>>()
  const withRefusal = (checked: CheckedId) => refusalOf(checked.id, localId, devices ?? []) ?? checked
  const known = [value, ofForm].find((each) => each?.text === typed.trim())
  const checkNow = async () => {
    const found = await check(typed.trim())
    setOfForm(found)
    return withRefusal(found.checked)
  }
  return { ...(known && withRefusal(known.checked)), checkNow }
}

function refusalOf(
  id: string | undefined,
  localId: string | undefined,
  devices: readonly DeviceConfig[],
): CheckedId | undefined {
  if (id === undefined) return undefined
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
