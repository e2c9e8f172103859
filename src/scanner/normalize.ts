import { systemCode } from '../core/errors.ts'
import { asideName, baseOf, joinPath, parentOf } from '../core/paths.ts'
import { diskReason } from '../platform/files/disk-reason.ts'
import type { Disk, DiskStat } from '../platform/disk.ts'

export type NormalizedName = { readonly name: string } | { readonly error: string }

type NormalizeDisk = Pick<Disk, 'lstat' | 'list' | 'removeFile' | 'renameNew'>

const NO_ID = '0'.repeat(16)
const CONFLICT = 'normalizing path: item has UTF8 encoding conflict with another item'

/** Renames an item to its NFC form. Never replaces another item. */
export async function normalizeName(disk: NormalizeDisk, root: string, path: string): Promise<NormalizedName> {
  const name = path.normalize('NFC')
  const [from, to] = [joinPath(root, path), joinPath(root, name)]
  try {
    const there = await find(disk, to)
    if (there === undefined) await disk.renameNew(from, to)
    else if (await isListed(disk, to)) {
      if (!isSameFile(await disk.lstat(from), there)) return { error: CONFLICT }
      await disk.removeFile(from) // the file has both names after an interrupted rename
    } else {
      // The file system treats both spellings as equal: the new one requires a rename via a third name.
      const between = joinPath(root, asideName(name, NO_ID))
      await disk.renameNew(from, between)
      await disk.renameNew(between, to)
    }
    return { name }
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    return { error: code === 'EEXIST' ? CONFLICT : `normalizing path: ${diskReason(error)}` }
  }
}

async function find(disk: Pick<Disk, 'lstat'>, path: string): Promise<DiskStat | undefined> {
  try {
    return await disk.lstat(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Whether the directory has an item of exactly this name. */
async function isListed(disk: Pick<Disk, 'list'>, path: string): Promise<boolean> {
  return (await disk.list(parentOf(path))).some((sibling) => sibling.name === baseOf(path))
}

function isSameFile(a: DiskStat, b: DiskStat): boolean {
  return a.type === 'file' && b.type === 'file' && a.inode === b.inode && a.deviceId === b.deviceId
}
