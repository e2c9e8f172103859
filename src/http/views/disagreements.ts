import { REFUSALS } from '../../core/refusals.ts'
import type { Disagreement } from '../../model/peers/disagreements.ts'
import type { DisagreementsJson } from '../../rest/network.ts'
import { formatMs } from './times.ts'

export function disagreementsJson(found: readonly Disagreement[]): DisagreementsJson {
  return found.map(({ device, folder, code, whenMs }) => ({
    deviceID: device,
    folder: folder ?? null,
    code,
    ...REFUSALS[code],
    time: formatMs(whenMs),
  }))
}
