import { lookUp } from '../base/look-up.ts'
import type { TextKey } from '../i18n/texts.ts'
import type { LiveState } from '../live/state.ts'
import type { AttentionEntry } from './attention-entry.ts'
import { deviceNameById } from './device.ts'
import { folderName } from './folder-name.ts'

const LOSS_ADVICE = {
  local: 'guard.local.advice',
  remote: 'guard.remote.advice',
  deleted: 'guard.applied.advice',
  rewritten: 'guard.rewritten.advice',
} as const satisfies Record<string, TextKey>

/** What the deletion guards hold, and what they noticed. */
export function lossEntries(state: LiveState): readonly AttentionEntry[] {
  return (state.config?.folders ?? []).flatMap((folder) => {
    const { held = [], notices = [] } = lookUp(state.folders, folder.id)?.guard ?? {}
    const found = [
      ...held.map((loss) => ({ ...loss, is: loss.side })),
      ...notices.map((loss) => ({ ...loss, is: loss.kind })),
    ]
    return found.map(({ is, origin, since, deletions, truncations }): AttentionEntry => {
      const files = deletions + truncations
      const device = origin === 'local' ? undefined : origin
      const deviceName = device === undefined ? '' : deviceNameById(state, device)
      const isHeld = is === 'local' || is === 'remote'
      const key = is === 'deleted' ? 'guard.remote' : (`guard.${is}` as const)
      const devices = folder.devices.filter(({ deviceID }) => deviceID !== state.system?.myID).length
      return {
        id: `${isHeld ? 'held' : 'noticed'} ${folder.id} ${is}`,
        tone: is === 'deleted' ? 'wait' : 'bad',
        title: { key, values: { n: files, device: deviceName } },
        advice: LOSS_ADVICE[is],
        members: [{ name: folderName(folder), place: ['folders', folder.id], n: undefined }],
        remedy: { kind: 'guard', loss: is, folder: folder.id, files, since, devices, device, deviceName },
      }
    })
  })
}
