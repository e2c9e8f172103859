import type { DiskFile } from './disk.ts'

/** Reads from a position until the buffer is full or the file ends; resolves with the number of bytes read. */
export async function fillBuffer(file: Pick<DiskFile, 'read'>, buffer: Uint8Array, positionBytes = 0): Promise<number> {
  let done = 0
  for (let count = -1; count !== 0 && done < buffer.length; done += count)
    count = await file.read(buffer.subarray(done), positionBytes + done)
  return done
}
