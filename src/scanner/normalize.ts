import { systemCode } from '../core/errors.ts'
import { baseOf, joinPath, parentOf } from '../core/paths.ts'
import { diskReason } from '../world/disk-reason.ts'
import type { Disk } from '../world/disk.ts'

export type Normalized = { readonly name: string } | { readonly error: string }

/** Gives an item the name in the form that all devices agree on. Never replaces another item. */
export async function normalizeName(
  disk: Pick<Disk, 'lstat' | 'list' | 'rename'>, root: string, path: string,
): Promise<Normalized> {
  const name = path.normalize('NFC')
  const [from, to] = [joinPath(root, path), joinPath(root, name)]
  try {
    if (!(await exists(disk, to))) {
      await disk.rename(from, to)
      return { name }
    }
    const siblings = await disk.list(joinPath(root, parentOf(path)))
    if (siblings.some((sibling) => sibling.name === baseOf(name))) {
      return { error: 'normalizing path: item has UTF8 encoding conflict with another item' }
    }
    // The disk takes both spellings for one: only by way of a third name does the new one stick.
    const between = joinPath(joinPath(root, parentOf(path)), `.syncthing.${baseOf(name)}.tmp`)
    if (await exists(disk, between)) return { error: 'normalizing path: the temporary name is taken' }
    await disk.rename(from, between)
    await disk.rename(between, to)
    return { name }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return { error: `normalizing path: ${diskReason(error)}` }
  }
}

async function exists(disk: Pick<Disk, 'lstat'>, path: string): Promise<boolean> {
  try {
    await disk.lstat(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
