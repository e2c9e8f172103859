import { basename, dirname, isAbsolute, join } from 'node:path'
import type { FolderConfig } from '../../core/config/config.ts'
import { folderRoot } from '../../core/config/folder-root.ts'
import { isMissing, messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import { moveProblem, spaceFor, spaceProblem, type MoveProblem, type TargetPlace } from '../../core/move/target.ts'
import { joinPath } from '../../core/paths.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'
import { mountPointsBelow } from '../../platform/mounts.ts'
import { forEachAtOnce } from '../../sync/for-each.ts'
import type { MovePreview } from './types.ts'

const AT_ONCE = 16

export interface PlanDeps {
  readonly disk: Disk
  readonly folders: readonly FolderConfig[]
  readonly userHome: string
  /** Directories of the home of this device. */
  readonly homes: readonly string[]
  index(): Promise<FolderIndex>
}

/** The contents of a tree, as a copy sees it. */
export interface TreeTotals {
  readonly files: number
  readonly bytes: number
  /** On a disk, where every file takes whole units. */
  readonly spaceBytes: number
}

/** What the move of a folder to a path would do, and why not. */
export async function planMove(
  deps: PlanDeps,
  folder: FolderConfig,
  path: string,
  signal: AbortSignal,
): Promise<MovePreview> {
  const { disk, userHome } = deps
  const nothing = { method: 'copy', files: 0, bytes: 0, freeBytes: undefined } as const
  if (!path.startsWith('~') && !isAbsolute(path)) {
    const problem = { code: 'relative', text: 'the path must be absolute, or begin with ~' } as const
    return { from: folder.path, to: path, ...nothing, problem }
  }
  const to = await realPathOf(disk, folderRoot({ path }, userHome))
  const root = folderRoot(folder, userHome)
  const from = await realPathOf(disk, root)
  const stop = await stopProblem(disk, root, folder.markerName)
  const problem = stop ?? (await problemOf(deps, folder, { from, to }))
  if (problem !== undefined) return { from, to, ...nothing, problem }
  const [old, place] = [await disk.stat(from), await existing(disk, to)]
  const isMount = dirname(from) === from || (await disk.stat(dirname(from))).deviceId !== old.deviceId
  const freeBytes = (await disk.space(place.path).catch(() => undefined))?.freeBytes
  if (old.deviceId === place.stat.deviceId && !isMount) {
    const { local } = await (await deps.index()).needs.counts()
    return { from, to, method: 'rename', files: local.files, bytes: local.bytes, freeBytes, problem: undefined }
  }
  const { files, bytes, spaceBytes } = await countTree(disk, from, signal)
  return { from, to, method: 'copy', files, bytes, freeBytes, problem: spaceProblem(to, spaceBytes, freeBytes) }
}

/** A folder that has stopped is not moved: its files may be on a disk that is not mounted. */
async function stopProblem(disk: Disk, root: string, markerName: string): Promise<MoveProblem | undefined> {
  try {
    await disk.lstat(join(root, markerName))
    return undefined
  } catch (error) {
    const reason = isMissing(error) ? 'its folder marker is missing' : messageOf(error)
    const text = `the folder has stopped at ${root} (${reason}); repair it first, or use "folder set --path"`
    return { code: 'stopped', text }
  }
}

async function problemOf(
  { disk, folders, homes, userHome }: PlanDeps,
  folder: FolderConfig,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<MoveProblem | undefined> {
  const others = folders.filter(({ id }) => id !== folder.id)
  const otherFolders = await Promise.all(
    others.map(async (each) => ({ id: each.id, root: await realPathOf(disk, folderRoot(each, userHome)) })),
  )
  return moveProblem({
    from,
    to,
    otherFolders,
    homes: await Promise.all(homes.map((home) => realPathOf(disk, home))),
    mounts: await mountPointsBelow(disk, from),
    place: await placeOf(disk, to),
  })
}

async function placeOf(disk: Disk, to: string): Promise<TargetPlace> {
  try {
    const { type } = await disk.stat(to)
    if (type !== 'directory') return { kind: 'no-directory' }
    return { kind: (await disk.list(to)).length === 0 ? 'empty' : 'used' }
  } catch (error) {
    if (!isMissing(error)) return { kind: 'unreadable', reason: messageOf(error) }
  }
  const parent = await disk.stat(dirname(to)).catch(() => undefined)
  return { kind: parent?.type === 'directory' ? 'missing' : 'no-parent' }
}

/** The directory itself, or the one in which it will be made. */
async function existing(disk: Disk, to: string): Promise<{ readonly path: string; readonly stat: DiskStat }> {
  const stat = await disk.stat(to).catch(() => undefined)
  return stat === undefined ? { path: dirname(to), stat: await disk.stat(dirname(to)) } : { path: to, stat }
}

/** Of what exists; the rest of the path is taken as it is. */
async function realPathOf(disk: Pick<Disk, 'realPath'>, path: string): Promise<string> {
  if (path === '') return ''
  try {
    return await disk.realPath(path)
  } catch (error) {
    const parent = dirname(path)
    if (systemCode(error) !== 'ENOENT' || parent === path) return path
    return joinPath(await realPathOf(disk, parent), basename(path))
  }
}

/** Symlinks are not followed. */
export async function countTree(disk: Disk, root: string, signal: AbortSignal): Promise<TreeTotals> {
  let [files, bytes, spaceBytes] = [0, 0, 0]
  const directories = [root]
  for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
    signal.throwIfAborted()
    const directory = next
    const names = (await disk.list(directory)).filter(({ valid }) => valid)
    await forEachAtOnce(names, AT_ONCE, async ({ name }) => {
      const path = joinPath(directory, name)
      const stat = await disk.lstat(path).catch((error: unknown) => {
        if (!isMissing(error)) throw new TwinfoldError('refused', messageOf(error), { cause: error })
      })
      if (stat?.type === 'directory') directories.push(path)
      if (stat?.type !== 'file') return
      files++
      bytes += stat.sizeBytes
      spaceBytes += spaceFor(stat.sizeBytes)
    })
  }
  return { files, bytes, spaceBytes }
}
