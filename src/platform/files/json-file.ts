import { isMissing, TwinfoldError } from '../../core/errors.ts'
import type { Disk } from '../disk.ts'
import { fillBuffer } from '../fill-buffer.ts'
import { writeFileAtomically } from './atomic-write.ts'

const PRIVATE = 0o600
const SIZE_BYTES_MAX = 32 * 1_024 * 1_024

/** The value of a JSON file of the home; undefined without one. Rejects for a file that is too large or damaged. */
export async function readJsonFile(disk: Disk, path: string): Promise<unknown> {
  const data = await readFileOfHome(disk, path)
  return data === undefined ? undefined : JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data))
}

/** Replaces a JSON file of the home atomically; only its owner may read it. */
export async function writeJsonFile(disk: Disk, path: string, value: unknown, temporaryName: string): Promise<void> {
  const data = new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`)
  await writeFileAtomically(disk, path, data, PRIVATE, temporaryName)
}

/** The bytes of a file of the home; undefined without one. Rejects for one that is too large. */
export async function readFileOfHome(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  try {
    await using file = await disk.open(path, 'read')
    const { sizeBytes } = await file.stat()
    if (sizeBytes > SIZE_BYTES_MAX) throw new TwinfoldError('config-invalid', 'the file is too large')
    const data = new Uint8Array(sizeBytes)
    return data.subarray(0, await fillBuffer(file, data))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
