import { RECORD_FIELDS, type VECTOR } from '../../core/records/record-fields.ts'
import { bool, bytes, int32, int64, repeatedMessage, innerMessage, text, uint32 } from '../../core/wire/fields.ts'
import { message, type Message } from '../../core/wire/schema.ts'

/** Protobuf messages in the databases of Syncthing, with the names of its specification. */

/** A file of 16 TiB in blocks of 16 MiB has a million. */
export const PARTS_MAX = 2_000_000

const BLOCK = message({ size: int32(2), hash: bytes(3) })

export const BLOCK_LIST = message({ blocks: repeatedMessage(1, BLOCK) })

export type Block = Message<typeof BLOCK>

export type Vector = Message<typeof VECTOR>

/** A record: as between devices, and fields of the host from 1000 on. */
export const STORED_FILE = message({
  ...RECORD_FIELDS,
  platform: bytes(14),
  blocks: repeatedMessage(16, BLOCK),
  local_flags: uint32(1000),
  version_hash: bytes(1001),
  encryption_trailer_size: int32(1003),
})

export type StoredFile = Message<typeof STORED_FILE>

/** Counters of a folder in 1.x, one for each device and flag. */
export const COUNTS_SET = message({
  counts: repeatedMessage(
    1,
    message({
      files: int32(1),
      directories: int32(2),
      symlinks: int32(3),
      deleted: int32(4),
      sequence: int64(6),
      device_id: bytes(17),
      local_flags: uint32(18),
    }),
  ),
})

const TIME = message({ seconds: int64(1), nanos: int32(2) })

export const OBSERVED_FOLDER = message({
  time: innerMessage(1, TIME),
  label: text(2),
  receive_encrypted: bool(3),
  remote_encrypted: bool(4),
})

export const OBSERVED_DEVICE = message({ time: innerMessage(1, TIME), name: text(2), address: text(3) })

export function timeMs(time: Message<typeof TIME> | undefined): number {
  return time === undefined ? 0 : time.seconds * 1_000 + Math.floor(time.nanos / 1e6)
}
