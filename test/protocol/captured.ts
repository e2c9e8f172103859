/** Messages captured from a Syncthing. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MessageType } from '../../src/protocol/messages.ts'

interface Captured {
  readonly name: string
  readonly message_type: MessageType
  readonly header: { readonly type: number; readonly compression: number }
  readonly frame_hex: string
  readonly uncompressed_hex?: string
  readonly decoded: object
}

const VECTORS = join(import.meta.dirname, '..', 'vectors')
export const captured: readonly Captured[] = JSON.parse(
  readFileSync(join(VECTORS, 'bep-messages.json'), 'utf8'),
).messages
export const PARTS = 100_000

/** A decoded message in the format of the vectors: bytes in hex, 64 bits in decimal, defaults omitted. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => !isDefault(inner))
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]))
}

function isDefault(value: unknown): boolean {
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length === 0
  return value === undefined || value === 0 || value === 0n || value === false || value === ''
}
