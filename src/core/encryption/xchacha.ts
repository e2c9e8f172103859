import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'

export const KEY_BYTES = 32
export const NONCE_BYTES = 24
const TAG_BYTES = 16
/** What sealing adds. */
const SEAL_BYTES = NONCE_BYTES + TAG_BYTES
const CONSTANTS = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574)
/** Larger results are mapped by the system for each call, which takes longer than the cipher. */
const PIECE_BYTES = 64 * 1_024
const OPTIONS = { authTagLength: TAG_BYTES }

/** How bytes are sealed. A nonce is random and never used twice; the padding is appended to the bytes before. */
export interface Seal {
  readonly key: Uint8Array
  readonly nonce: Uint8Array
  readonly padding: Uint8Array
}

/** XChaCha20-Poly1305: nonce, ciphertext, tag. */
export function sealBytes(seal: Seal, plain: Uint8Array): Buffer {
  const room = Buffer.allocUnsafe(sealedSize(seal, plain.length))
  room.set(plain, NONCE_BYTES)
  sealInPlace(seal, room, plain.length)
  return room
}

export function sealedSize({ padding }: Seal, plainBytes: number): number {
  return plainBytes + padding.length + SEAL_BYTES
}

/** Seals the plain bytes that stand in the room after the space for a nonce. */
export function sealInPlace({ key, nonce, padding }: Seal, room: Uint8Array, plainBytes: number): void {
  const endBytes = NONCE_BYTES + plainBytes + padding.length
  const cipher = createCipheriv('chacha20-poly1305', subkeyOf(key, nonce), ivOf(nonce), OPTIONS)
  room.set(nonce)
  room.set(padding, NONCE_BYTES + plainBytes)
  for (let at = NONCE_BYTES; at < endBytes; at += PIECE_BYTES) {
    const piece = cipher.update(room.subarray(at, Math.min(at + PIECE_BYTES, endBytes)))
    room.set(piece, at)
    release(piece)
  }
  cipher.final()
  room.set(cipher.getAuthTag(), endBytes)
}

/** Frees the memory at once: the garbage collector would let it grow to a hundred megabytes. */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** Undefined for data that was not sealed with this key. */
export function openBytes(key: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length < SEAL_BYTES) return undefined
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tagAt = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('chacha20-poly1305', subkeyOf(key, nonce), ivOf(nonce), OPTIONS)
  decipher.setAuthTag(sealed.subarray(tagAt))
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, tagAt))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return plain
}

function ivOf(nonce: Uint8Array): Buffer {
  const iv = Buffer.alloc(12)
  iv.set(nonce.subarray(16, NONCE_BYTES), 4)
  return iv
}

/** HChaCha20: ten double rounds over key and the first 16 bytes of the nonce. */
function subkeyOf(key: Uint8Array, nonce: Uint8Array): KeyObject {
  const state = new Uint32Array(16)
  state.set(CONSTANTS)
  const input = Buffer.concat([key, nonce.subarray(0, 16)])
  for (let i = 0; i < 12; i++) state[4 + i] = input.readUInt32LE(4 * i)
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 4; i++) quarter(state, i, 4 + i, 8 + i, 12 + i)
    for (let i = 0; i < 4; i++) quarter(state, i, 4 + ((i + 1) & 3), 8 + ((i + 2) & 3), 12 + ((i + 3) & 3))
  }
  const subkey = Buffer.alloc(32)
  for (let i = 0; i < 4; i++) {
    subkey.writeUInt32LE(state[i]!, 4 * i)
    subkey.writeUInt32LE(state[12 + i]!, 16 + 4 * i)
  }
  return createSecretKey(subkey) // with the bytes themselves a cipher takes 20 µs longer
}

function quarter(state: Uint32Array, a: number, b: number, c: number, d: number): void {
  mix(state, a, b, d, 16)
  mix(state, c, d, b, 12)
  mix(state, a, b, d, 8)
  mix(state, c, d, b, 7)
}

/** Adds, xors into the third word and rotates that. */
function mix(state: Uint32Array, to: number, from: number, third: number, bits: number): void {
  state[to]! += state[from]!
  const word = state[third]! ^ state[to]!
  state[third] = (word << bits) | (word >>> (32 - bits))
}
