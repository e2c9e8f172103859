import type { WhyJson } from '../../../src/rest/twinfold.ts'
import { live } from '../../live/live.ts'
import { t } from '../../i18n/texts.ts'
import { deviceNameById } from '../../view-model/device.ts'
import type { ItemFacts } from '../../view-model/item-state.ts'
import { DeviceVersion, ItemState } from './item-state.tsx'

interface FileDevicesProps {
  readonly why: WhyJson
  readonly facts: ItemFacts
}

const VERSIONS: readonly Device['version'][] = ['older', 'none', 'newest']

type Device = WhyJson['devices'][number]

/** Those that lack the newest version first. */
function byVersion(one: Device, other: Device): number {
  return VERSIONS.indexOf(one.version) - VERSIONS.indexOf(other.version) || (one.name < other.name ? -1 : 1)
}

/** What each device has of a file. */
export function FileDevices({ why, facts }: FileDevicesProps) {
  return (
    <table class="table file-devices">
      <caption class="unseen">{t('file.where')}</caption>
      <tbody>
        <tr>
          <th scope="row">{t('file.thisDevice')}</th>
          <td />
          <td>
            <ItemState code={facts.code} />
          </td>
        </tr>
        {why.devices.toSorted(byVersion).map(({ deviceID, name, connected, version }) => (
          <tr key={deviceID}>
            <th scope="row">{name === deviceID ? deviceNameById(live.get(), deviceID) : name}</th>
            <td class="soft">{t(connected ? 'file.connected' : 'file.offline')}</td>
            <td>
              <DeviceVersion version={version} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
