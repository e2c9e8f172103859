import { folderRoot } from '../core/config/folder-root.ts'
import type { FolderId } from '../core/ids.ts'
import { NEVER } from '../core/never.ts'
import type { DiskSpace } from '../http/types.ts'
import { mountPointOf } from '../platform/mounts.ts'
import { untilAborted } from '../platform/until-aborted.ts'
import { withTimeout } from '../sync/timeout.ts'
import type { DeviceBase } from './device-base.ts'

/** A disk that does not reply, as one of a server that is gone, is left out. */
const DISK_MS_MAX = 5_000

/** The disks of all folders and of the home, each once; those that cannot be read are left out. */
export async function diskSpaces({ platform, config, options }: DeviceBase): Promise<readonly DiskSpace[]> {
  const { disk, clock } = platform
  const { userHome, dataDirectory } = options.locations
  const places = [
    ...config.current.folders.map((folder) => ({ id: folder.id, root: folderRoot(folder, userHome) })),
    { id: undefined, root: dataDirectory },
  ]
  const spaceOf = async (root: string) => ({ path: await mountPointOf(disk, root), ...(await disk.space(root)) })
  const bounded = (root: string) =>
    withTimeout(clock, DISK_MS_MAX, NEVER, (until) => untilAborted(spaceOf(root), until)).catch(() => undefined)
  const found = await Promise.all(places.map(async ({ id, root }) => ({ id, space: await bounded(root) })))
  const disks = new Map<string, DiskSpace & { readonly folders: FolderId[] }>()
  for (const { id, space } of found) {
    if (space === undefined) continue
    const known = disks.get(space.path) ?? { ...space, folders: [] }
    if (id !== undefined) known.folders.push(id)
    disks.set(space.path, known)
  }
  return [...disks.values()]
}
