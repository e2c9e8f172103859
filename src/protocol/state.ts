import type { Frame } from './frame.ts'
import { firstFolder } from './index-data.ts'
import { REQUEST } from './messages.ts'
import { quoted } from './names.ts'
import { decode } from '../core/wire/schema.ts'

/** Why this message is not allowed before the peer's ClusterConfig; undefined for one that may. */
export function stateFault(frame: Frame): string | undefined {
  if (frame.type === 'ClusterConfig' || frame.type === 'Close') return undefined
  return `protocol error on ${describe(frame)}: invalid state 0`
}

/** A compressed message is not unpacked for its description. */
function describe({ type, body, unpackedBytes }: Frame): string {
  if (unpackedBytes !== undefined) return type.toLowerCase()
  switch (type) {
    case 'Index':
      return `index for ${firstFolder(body) ?? ''}`
    case 'IndexUpdate':
      return `index update for ${firstFolder(body) ?? ''}`
    case 'Request': {
      const { name, folder } = decode(REQUEST, body, 0)
      return `request for ${quoted(name)} in ${folder}`
    }
    case 'DownloadProgress':
      return 'download-progress'
    case 'ClusterConfig':
      return 'cluster-config'
    default:
      return type.toLowerCase()
  }
}
