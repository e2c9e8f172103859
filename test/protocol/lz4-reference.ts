/** The block decoder beside the library that decodes smaller messages. */
import assert from 'node:assert/strict'
import { uncompressSync } from 'lz4-napi'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { decodeBlock } from '../../src/protocol/lz4-block.ts'
import { finish } from './read-index.ts'

/** The library writes the length, little-endian, before the block. */
export const BLOCK_START = 4

/** The decoded bytes, or the error that refuses them. */
export function decoded(block: Uint8Array, lengthBytes: number, stale = 0): Uint8Array | ProtocolError {
  const output = Buffer.alloc(lengthBytes, stale)
  try {
    finish(decodeBlock(block, output))
    return output
  } catch (error) {
    assert.ok(error instanceof ProtocolError && error.kind === 'malformed', String(error))
    return error
  }
}

function decodedByLibrary(block: Uint8Array, lengthBytes: number): Uint8Array | undefined {
  const length = Buffer.alloc(BLOCK_START)
  length.writeUInt32LE(lengthBytes)
  try {
    const body = uncompressSync(Buffer.concat([length, block]))
    return body.length === lengthBytes ? body : undefined
  } catch {
    return undefined
  }
}

/** Fails unless both decode the same, whatever was in memory before, or both refuse. */
export function assertAsLibrary(block: Uint8Array, lengthBytes: number): 'decoded' | 'refused' {
  const own = decoded(block, lengthBytes, 0xa5)
  const expected = decodedByLibrary(block, lengthBytes)
  if (own instanceof ProtocolError) {
    assert.equal(expected, undefined, `only the library decodes it: ${own.message}`)
    return 'refused'
  }
  assert.ok(expected !== undefined, 'the library refuses it')
  assert.ok(Buffer.from(own).equals(expected), 'it is decoded differently')
  return 'decoded'
}
