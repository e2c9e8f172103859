import { win32 } from 'node:path'
import { promisify } from 'node:util'
import { messageOf } from '../../../core/errors.ts'
import { hideCommand } from '../../../core/windows-programs.ts'
import { DiskError } from '../../disk-error.ts'

const HIDE_MS_MAX = 10_000

/** Node cannot set attributes of Windows: a program of the system does. */
export async function hideItem(path: string): Promise<void> {
  if (process.platform !== 'win32') return
  const { execFile } = await import('node:child_process') // few folders are new
  const { program, args } = hideCommand(process.env['SystemRoot'], win32.normalize(path))
  try {
    await promisify(execFile)(program, [...args], { timeout: HIDE_MS_MAX, windowsHide: true })
  } catch (error) {
    throw new DiskError('EIO', messageOf(error), 'hide', path)
  }
}
