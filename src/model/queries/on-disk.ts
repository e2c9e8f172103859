import { messageOf, systemCode } from '../../core/errors.ts'
import { nearestTexts } from '../../core/formats/nearest.ts'
import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { withSharedIgnores } from '../../core/ignore/shared-ignores.ts'
import { ancestorsOf, baseOf, isCanonical, isReserved, joinPath, parentOf } from '../../core/paths.ts'
import type { DiskFacts } from '../../core/records/disk-reasons.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'
import { loadIgnores, viewIgnores } from '../folder/ignore-file.ts'

/** Names of one directory that are compared with a misspelt one. */
const COMPARED_MAX = 20_000
const NEAREST_MAX = 3
const NO_RULES = new IgnoreRules([])

type ReadDisk = Pick<Disk, 'lstat' | 'list' | 'open' | 'realPath'>

/**
 * What the disk shows of one name of a folder, for a name that the index cannot explain. `shared`: the patterns of
 * `.stglobalignore` that are in force.
 */
export async function diskFacts(
  disk: Disk,
  root: string,
  name: string,
  hasIgnores: boolean,
  shared: readonly string[] = [],
): Promise<DiskFacts> {
  if (!isCanonical(name)) return { kind: 'outside' }
  if (isReserved(name)) return { kind: 'reserved' }
  const own = hasIgnores ? await loadIgnores(disk, root).catch(() => undefined) : undefined
  const line = ignoringLine(withSharedIgnores(own ?? NO_RULES, shared), name)
  if (line !== undefined) {
    const isShared = own?.lines.includes(line) !== true && shared.includes(line)
    return isShared ? { kind: 'ignored', line, isShared } : ignoredFacts(disk, root, line)
  }
  try {
    const symlink = await symlinkAbove(disk, root, name)
    if (symlink !== undefined) return { kind: 'behind-symlink', symlink }
    const stat = await disk.lstat(joinPath(root, name))
    return await presentFacts(disk, joinPath(root, name), stat)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return { kind: 'absent', nearest: await nearestNames(disk, root, name) }
    return { kind: 'unreadable', error: messageOf(error) }
  }
}

/** The first directory of the path that is a symlink. Rejects if one is missing. */
async function symlinkAbove(disk: ReadDisk, root: string, name: string): Promise<string | undefined> {
  for (const above of ancestorsOf(name).slice(1)) {
    if ((await disk.lstat(joinPath(root, above))).type === 'symlink') return above
  }
  return undefined
}

/** The text of the line that ignores the name, or a directory above it. */
function ignoringLine(rules: IgnoreRules, name: string): string | undefined {
  const line = rules.match(name).ignored ? rules.decidingLine(name) : undefined
  return line === undefined ? undefined : rules.lines[line]
}

async function ignoredFacts(disk: Disk, root: string, line: string): Promise<DiskFacts> {
  const own = (await viewIgnores(disk, root)).ignore ?? []
  const isIncluded = !own.some((each) => each.trim() === line)
  return { kind: 'ignored', line, ...(isIncluded && { isIncluded }) }
}

/** A file that cannot be opened is listed with the other problems of a scan; the reason is read here again. */
async function presentFacts(disk: ReadDisk, path: string, { type }: DiskStat): Promise<DiskFacts> {
  if (type === 'other') return { kind: 'special' }
  try {
    if (type === 'file') await (await disk.open(path, 'read')).close()
    if (type === 'directory') await disk.list(path)
    return { kind: 'present' }
  } catch (error) {
    return { kind: 'unreadable', error: messageOf(error) }
  }
}

/** Similar names in the same directory; that directory may be misspelt, too. */
async function nearestNames(disk: ReadDisk, root: string, name: string): Promise<readonly string[]> {
  const parent = parentOf(name)
  try {
    const names = await disk.list(joinPath(root, parent))
    const known = names.slice(0, COMPARED_MAX).filter(({ name: each, valid }) => valid && !isReserved(each))
    const texts = known.map((each) => each.name)
    return nearestTexts(baseOf(name), texts, NEAREST_MAX).map((near) => joinPath(parent, near).replace(/^\//, ''))
  } catch {
    return parent === '' ? [] : nearestNames(disk, root, parent)
  }
}
