import { join } from 'node:path'
import type { FolderConfig } from '../core/config/config.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { DiskSpace } from '../http/types.ts'
import type { Model } from '../model/model.ts'
import { SeriesRecorder, type SeriesFacts } from '../stats/series-recorder.ts'
import type { DeviceBase } from './device-base.ts'
import type { Network } from './network.ts'

interface SeriesParts {
  readonly model: Model
  readonly network: Network
  disks(): Promise<readonly DiskSpace[]>
}

/** The recorder of figures over time, with the state of this device. */
export async function openSeries(base: DeviceBase, parts: SeriesParts): Promise<SeriesRecorder> {
  const { platform, events, logger, options } = base
  const { clock, disk } = platform
  return await SeriesRecorder.open(
    { clock, disk, events, log: logger('stats'), facts: () => factsOf(base, parts), disks: parts.disks },
    join(options.locations.dataDirectory, 'twinfold-series'),
  )
}

function factsOf({ config, identity }: DeviceBase, { model, network }: SeriesParts): SeriesFacts {
  const { inBytesTotal, outBytesTotal, devices } = network.connections.status()
  const others = config.current.devices.filter(({ deviceID }) => deviceID !== identity.deviceId)
  return {
    inBytesTotal,
    outBytesTotal,
    devices: others.map(({ deviceID: id }) => {
      const figures = devices.get(id)
      const all = figures === undefined ? [] : [figures.primary, ...figures.secondary]
      const sum = { in: 0, out: 0 }
      for (const { inBytesTotal: inBytes, outBytesTotal: outBytes } of all) {
        sum.in += inBytes
        sum.out += outBytes
      }
      return { id, bytes: figures === undefined ? undefined : sum }
    }),
    folders: config.current.folders.map((folder) => ({ id: folder.id, behind: itemsBehind(model, folder) })),
  }
}

/** Undefined for a folder that is paused, was removed, or whose index is not open. */
function itemsBehind(model: Model, { id, paused }: FolderConfig): number | undefined {
  if (paused) return undefined
  try {
    const status = model.statusNow(id)
    if (status === undefined || status.state === '' || status.state === 'error') return undefined
    const { files, directories, symlinks, deleted } = status.counts.need
    return files + directories + symlinks + deleted
  } catch (error) {
    if (error instanceof TwinfoldError && error.code.startsWith('folder-')) return undefined
    throw error
  }
}
