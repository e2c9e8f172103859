import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, type BigIntStats } from 'node:fs'

/** Change times are as coarse as the ticks of the kernel: a file may be written twice within one. */
const TICK_NS_MAX = 50_000_000n

/** A file with the same number and change time was not written since: large trees are compared many times. */
const digests = new Map<string, string>()

/** Of the content of a file, as `lstat` has just described it. */
export function fileDigest(path: string, { ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  const key = `${ino} ${size} ${mtimeNs} ${ctimeNs} ${path}`
  const known = digests.get(key)
  if (known !== undefined) return known
  const isSettled = BigInt(Date.now()) * 1_000_000n - ctimeNs > TICK_NS_MAX
  const digest = readDigest(path)
  if (isSettled) digests.set(key, digest)
  return digest
}

function readDigest(path: string): string {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(1024 * 1024)
  const file = openSync(path, 'r')
  try {
    for (let count = readSync(file, chunk); count > 0; count = readSync(file, chunk))
      hash.update(chunk.subarray(0, count))
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}
