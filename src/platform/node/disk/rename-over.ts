import { chmod, lstat, rename } from 'node:fs/promises'
import { systemCode } from '../../../core/errors.ts'

const OWNER_WRITE = 0o200

/** Windows does not replace a read-only file: it loses that attribute first, and gets it back if that is in vain. */
export async function renameOver(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (process.platform !== 'win32' || systemCode(error) !== 'EPERM') throw error
    const { mode } = await lstat(to)
    if ((mode & OWNER_WRITE) !== 0) throw error
    await chmod(to, mode | OWNER_WRITE)
    await rename(from, to).catch(async (again: unknown) => {
      await chmod(to, mode).catch(() => {}) // the first error is reported
      throw again
    })
  }
}
