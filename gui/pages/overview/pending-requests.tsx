import type { ComponentChildren } from 'preact'
import { runAction, changeConfig } from '../../app/run-action.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { deviceNameById } from '../../view-model/device.ts'
import {
  ignoringDevice,
  ignoringFolder,
  deviceRequestsOf,
  offersOf,
  type DeviceRequest,
  type Offer,
} from '../../view-model/pending.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { TimeAgo, Section } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { AddDeviceDialog } from '../add/add-device.tsx'
import { AddFolderDialog } from '../add/add-folder.tsx'
import { changeShare } from '../device/change-share.ts'

/** Pending devices and folders: each is accepted, ignored for good, or dismissed until the next request. */
export function PendingRequests() {
  const pendingDevices = useLive((state) => state.pendingDevices)
  const pendingFolders = useLive((state) => state.pendingFolders)
  const config = useLive((state) => state.config)
  const [requests, offers] = [deviceRequestsOf({ pendingDevices }), offersOf({ pendingFolders, config })]
  if (requests.length + offers.length === 0) return null
  return (
    <Section title={t('pending.title')}>
      <ul class="rows overview-requests">
        {requests.map((request) => (
          <DeviceRequestRow key={request.deviceID} request={request} />
        ))}
        {offers.map((offer) => (
          <OfferRow key={`${offer.folderID} ${offer.deviceID}`} offer={offer} />
        ))}
      </ul>
    </Section>
  )
}

function DeviceRequestRow({ request }: { readonly request: DeviceRequest }) {
  const name = request.name === '' ? request.deviceID.slice(0, 7) : request.name
  const accept = () => openDialog(() => <AddDeviceDialog preset={{ deviceID: request.deviceID, name: request.name }} />)
  const ignore = () =>
    changeConfig(
      async () => {
        const config = await client.config()
        await client.call('PUT /rest/config', { body: ignoringDevice(config, request, new Date().toISOString()) })
      },
      t('pending.deviceIgnored', { name }),
    )
  const dismiss = () =>
    runAction(() => client.call('DELETE /rest/cluster/pending/devices', { query: { device: request.deviceID } }))
  const yes = (
    <Button needs="admin" kind="primary" onClick={accept}>
      {t('do.accept')}
    </Button>
  )
  return (
    <PendingRow title={t('pending.device', { name })} onIgnore={ignore} onDismiss={dismiss} accept={yes}>
      <span class="mono overview-request-id">{request.deviceID}</span> {request.address} ·{' '}
      <TimeAgo time={request.time} />
    </PendingRow>
  )
}

function OfferRow({ offer }: { readonly offer: Offer }) {
  const { folderID, label, deviceID, isEncrypted, needsPassword } = offer
  const device = useLive((state) => deviceNameById(state, deviceID))
  const name = label === '' ? folderID : label
  const accept = () =>
    openDialog(() => <AddFolderDialog offer={{ id: folderID, label, deviceID, isEncrypted, needsPassword }} />)
  const shareIt = () => changeShare(folderID, deviceID, true, t('device.nowShared', { folder: name, name: device }))
  const ignore = () =>
    changeConfig(
      async () => {
        const config = await client.config()
        await client.call('PATCH /rest/config/devices/:id', {
          id: deviceID,
          body: ignoringFolder(config, offer, new Date().toISOString()),
        })
      },
      t('pending.folderIgnored', { folder: name, name: device }),
    )
  const dismiss = () =>
    runAction(() =>
      client.call('DELETE /rest/cluster/pending/folders', { query: { folder: folderID, device: deviceID } }),
    )
  const yes = offer.isHere ? (
    <Button needs="admin" kind="primary" onClick={shareIt}>
      {t('pending.shareWith', { name: device })}
    </Button>
  ) : (
    <Button needs="admin" kind="primary" onClick={accept}>
      {t('do.accept')}
    </Button>
  )
  const title = t(offer.isHere ? 'pending.folderHere' : 'pending.folder', { name: device, folder: name })
  return (
    <PendingRow title={title} onIgnore={ignore} onDismiss={dismiss} accept={yes}>
      <span class="mono">{folderID}</span> {(isEncrypted || needsPassword) && `· ${t('encrypt.hidden')} `}·{' '}
      <TimeAgo time={offer.time} />
    </PendingRow>
  )
}

interface PendingRowProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly accept: ComponentChildren
  readonly onIgnore: () => Promise<unknown>
  readonly onDismiss: () => Promise<unknown>
}

function PendingRow({ title, children, accept, onIgnore, onDismiss }: PendingRowProps) {
  return (
    <li class="overview-request">
      <div class="overview-request-text">
        <p class="overview-request-title">{title}</p>
        <p class="soft">{children}</p>
      </div>
      <div class="overview-request-actions">
        {accept}
        <Button needs="admin" title={t('pending.ignoreHelp')} onClick={onIgnore}>
          {t('do.ignore')}
        </Button>
        <Button needs="admin" kind="quiet" title={t('pending.dismissHelp')} onClick={onDismiss}>
          {t('pending.dismiss')}
        </Button>
      </div>
    </li>
  )
}
