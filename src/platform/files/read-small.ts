import type { DiskFile } from '../disk.ts'

/** The content of an open file that has this size; undefined if it has another one by now. */
export async function readSmall(file: Pick<DiskFile, 'read'>, sizeBytes: number): Promise<Uint8Array | undefined> {
  const data = Buffer.alloc(sizeBytes + 1)
  let filled = 0
  for (let read = -1; read !== 0 && filled < data.length; filled += read) {
    read = await file.read(data.subarray(filled), filled)
  }
  return filled === sizeBytes ? data.subarray(0, sizeBytes) : undefined
}
