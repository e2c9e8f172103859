import type { DisagreementsJson } from '../../src/rest/network.ts'
import type { WaitingJson, WhyJson } from '../../src/rest/twinfold.ts'
import type { TextValues } from '../i18n/fill.ts'
import type { TextKey } from '../i18n/texts.ts'
import { causeOf } from '../../src/core/remedies/cause.ts'
import { withoutCodes } from './error-key.ts'
import { waitCode } from './item-state.ts'

/** A text key with its values, not translated yet. */
export interface ReasonText {
  readonly key: TextKey
  readonly values?: TextValues
}

type DisagreementCode = DisagreementsJson[number]['code']
type WaitingItem = WaitingJson['items'][number]

/** Why an item is not here yet. `nameOf` returns the name of a device by its id. */
export function waitReason(item: WaitingItem, nameOf: (deviceId: string) => string): ReasonText {
  const code = waitCode(item.reason)
  const { cause = '' } = item.reason
  switch (code) {
    case 'failed':
    case 'folder-error':
      return causeText(cause)
    case 'no-device':
      return item.knownHolders.length === 0
        ? { key: 'wait.no-device' }
        : {
            key: 'wait.known',
            values: { devices: namesOf(item.knownHolders.map(nameOf)), n: item.knownHolders.length },
          }
    default:
      return { key: `wait.${code}` }
  }
}

/** The cause by its code; an error that the page does not know is quoted. */
function causeText(error: string): ReasonText {
  const code = causeOf(error)
  return code === 'other' ? { key: 'wait.failed', values: { reason: withoutCodes(error) } } : { key: `cause.${code}` }
}

/** The reasons for the state of a file, the most severe first. */
export function whyReasons({ reasons, devices }: Pick<WhyJson, 'reasons' | 'devices'>): readonly ReasonText[] {
  return reasons.flatMap(({ code, cause = '', device = '' }): ReasonText | readonly ReasonText[] => {
    switch (code) {
      case 'failed':
      case 'folder-error':
      case 'unreadable':
        return causeOf(cause) === 'other'
          ? { key: `why.${code}`, values: { reason: withoutCodes(cause) } }
          : { key: `cause.${causeOf(cause)}` }
      case 'disagreement':
        return [{ key: 'why.disagreement', values: { device } }, { key: `disagree.${cause as DisagreementCode}` }]
      case 'kept':
      case 'collected':
        return { key: `why.${code}`, values: { device: cause } }
      case 'device-paused':
        return { key: 'why.device-paused', values: { device } }
      case 'not-watched':
        return { key: 'why.not-watched', values: { reason: withoutCodes(cause) } }
      case 'future':
        return { key: 'why.future', values: { days: Number(cause) } }
      case 'unused-there':
      case 'paused-there':
      case 'not-shared-there':
      case 'deletion-waits-there':
      case 'missing-there':
        return { key: `why.${code}`, values: { devices: cause } }
      case 'ignored':
        return cause === '' ? { key: 'why.ignored' } : { key: 'why.ignored-by', values: { line: cause } }
      case 'absent':
        return cause === '' ? { key: 'why.absent' } : { key: 'why.absent-near', values: { names: cause } }
      case 'offered': {
        const names = devices
          .filter(({ connected, version }) => connected && version === 'newest')
          .map(({ name }) => name)
        return { key: 'why.offered', values: { devices: namesOf(names), n: names.length } }
      }
      case 'no-device': {
        const names = devices.filter(({ version }) => version === 'newest').map(({ name }) => name)
        return names.length === 0
          ? { key: 'why.no-device' }
          : { key: 'why.known', values: { devices: namesOf(names), n: names.length } }
      }
      default:
        return { key: `why.${code}` }
    }
  })
}

const NAMES_MAX = 4

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).join(', ')
  return names.length > NAMES_MAX ? `${shown} …` : shown
}
