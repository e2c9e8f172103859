import { deviceName } from '../../view-model/device.ts'
import { invitedAddresses, inviteText } from '../../view-model/invite.ts'
import { listenersOf } from '../../view-model/listeners.ts'
import { useLive } from '../../live/live.ts'
import { CopyButton } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { InviteButton } from './invite-buttons.tsx'

/** The ID of this device, for the other one: scanned, or copied, alone or as an invitation with name and addresses. */
export function ThisDeviceId() {
  const system = useLive((state) => state.system)
  const device = useLive((state) => state.config?.devices.find(({ deviceID }) => deviceID === state.system?.myID))
  const id = system?.myID ?? ''
  const listening = listenersOf(system?.connectionServiceStatus ?? {}).filter(({ error }) => error === '')
  const addresses = invitedAddresses(listening.map(({ address }) => address))
  return (
    <aside class="add-this-device">
      <h3>{t('add.thisDeviceId')}</h3>
      {id !== '' && (
        <img class="add-qr" src={`/qr/?text=${encodeURIComponent(id)}`} width={176} height={176} alt={t('add.qr')} />
      )}
      <code class="add-id">{id}</code>
      <CopyButton text={id} label={t('add.copyId')} />
      {device !== undefined && (
        <CopyButton
          text={inviteText({ deviceID: id, name: deviceName(device), addresses })}
          label={t('add.copyInvite')}
        />
      )}
      <p class="field-help">{t('add.thisDeviceIdHelp')}</p>
      <InviteButton />
      <p class="field-help">{t('add.inviteHelp')}</p>
    </aside>
  )
}
