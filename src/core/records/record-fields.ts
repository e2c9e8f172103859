import { bool, bytes, int32, int64, repeatedMessage, innerMessage, text, uint32, uint64 } from '../wire/fields.ts'
import { message } from '../wire/schema.ts'
import { COUNTERS_MAX } from './version-vector.ts'

const COUNTER = message({ id: uint64(1), value: uint64(2) })

/** With one counter more than allowed a vector is refused; further ones are not decoded. */
export const VECTOR = message({ counters: repeatedMessage(1, COUNTER, COUNTERS_MAX + 1) })

/**
 * The fields of a record in protobuf, with the names of the specification: Syncthing stores records as it sends them.
 * Platform data (14) and blocks (16) are left out, because each reader has its own form of them.
 */
export const RECORD_FIELDS = {
  name: text(1),
  type: int32(2),
  size: int64(3),
  permissions: uint32(4),
  modified_s: int64(5),
  deleted: bool(6),
  invalid: bool(7),
  no_permissions: bool(8),
  version: innerMessage(9, VECTOR),
  sequence: int64(10),
  modified_ns: int32(11),
  modified_by: uint64(12),
  block_size: int32(13),
  symlink_target: bytes(17),
  blocks_hash: bytes(18),
  encrypted: bytes(19),
  previous_blocks_hash: bytes(20),
}
