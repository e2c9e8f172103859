/** The constant parts of the messages of the tests of connections. */
import { REQUEST } from '../../src/protocol/messages.ts'
import { encode } from '../../src/core/wire/schema.ts'
import type { IndexData } from '../../src/protocol/types.ts'
import { FULL_INDEX } from './reference-schema.ts'
import { frame } from './test-connection.ts'

export const EMPTY = frame(0, new Uint8Array(0))
export const HASH = new Uint8Array(32).fill(2)
export const NO_FILES: IndexData = { folder: 'v', files: [], lastSequence: 1, prevSequence: 0 }
export const MIB = 1024 * 1024

export function request(id: number, fields: object = {}): Buffer {
  return frame(3, encode(REQUEST, { id, folder: 'v', name: 'x', size: 10, hash: HASH, ...fields }))
}

export function index(folder: string, type = 1): Buffer {
  return frame(type, encode(FULL_INDEX, { folder, last_sequence: 1 }))
}
