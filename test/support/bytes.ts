import { createCipheriv } from 'node:crypto'

/**
 * Content that repeats with its seed and nowhere in itself, made quickly: a test that is busy for seconds loses its
 * connections.
 */
export function someBytes(sizeBytes: number, seed: number): Buffer {
  const key = Buffer.alloc(16)
  key.writeUInt32LE(seed >>> 0)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(sizeBytes))
}
