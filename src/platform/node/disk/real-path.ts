import { realpath as plainRealpath, realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import { slashedPath } from '../../../core/paths.ts'
import { DiskError } from '../../disk-error.ts'
import { nameFromBytes } from '../../files/disk-name.ts'

const walk = promisify(plainRealpath)

/** The real path as the port has it. Rejects with `EILSEQ` where it is no UTF-8. */
export async function realPathOf(path: string): Promise<string> {
  if (process.platform === 'win32')
    return slashedPath(
      await preferred(
        () => realpath(path),
        () => walk(path),
      ),
      'win32',
    )
  return decoded(await realpath(path, { encoding: 'buffer' }), path)
}

export function realPathSync(path: string): string {
  if (process.platform !== 'win32') return decoded(realpathSync.native(path, { encoding: 'buffer' }), path)
  try {
    return slashedPath(realpathSync.native(path), 'win32')
  } catch {
    return slashedPath(realpathSync(path), 'win32')
  }
}

/**
 * The call of Windows does not support every file system, and that of Wine no paths above 260 characters. Node can look
 * up every component instead, whose error is the better one.
 */
export async function preferred<T>(first: () => Promise<T>, second: () => Promise<T>): Promise<T> {
  try {
    return await first()
  } catch {
    return await second()
  }
}

function decoded(bytes: Buffer, path: string): string {
  const { name, valid } = nameFromBytes(bytes)
  if (!valid) throw new DiskError('EILSEQ', `'${name}' is not valid UTF-8`, 'realpath', path)
  return name
}
