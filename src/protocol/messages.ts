import { RECORD_FIELDS, VECTOR } from '../core/records/record-fields.ts'
import { blockList } from './block-list.ts'
import {
  rawMessage,
  bool,
  bytes,
  int32,
  int64,
  int64Exact,
  repeatedMessage,
  manyInt32,
  manyTexts,
  innerMessage,
  text,
  uint64,
} from '../core/wire/fields.ts'
import { message, type Message } from '../core/wire/schema.ts'

/** Every message of the protocol with the field names of its specification. The table is the codec. */

export const MESSAGE_TYPES = [
  'ClusterConfig',
  'Index',
  'IndexUpdate',
  'Request',
  'Response',
  'DownloadProgress',
  'Ping',
  'Close',
] as const

export type MessageType = (typeof MESSAGE_TYPES)[number]

export const HELLO = message({
  device_name: text(1),
  client_name: text(2),
  client_version: text(3),
  num_connections: int32(4),
  timestamp: int64Exact(5),
  /** Far from the numbers that a later version of the protocol would use. */
  invitation_proof: bytes(517),
})

export const HEADER = message({ type: int32(1), compression: int32(2) })

/** Entries of devices in all folders of a ClusterConfig. */
export const CLUSTER_DEVICE_COUNT_MAX = 10_000

const DEVICE = message({
  id: bytes(1),
  name: text(2),
  addresses: manyTexts(3),
  compression: int32(4),
  cert_name: text(5),
  max_sequence: int64(6),
  introducer: bool(7),
  index_id: uint64(8),
  skip_introduction_removals: bool(9),
  encryption_password_token: bytes(10),
})

export const FOLDER = message({
  id: text(1),
  label: text(2),
  type: int32(3),
  ignore_permissions: bool(4),
  ignore_delete: bool(5),
  disable_temp_indexes: bool(6),
  stop_reason: int32(7),
  devices: repeatedMessage(16, DEVICE, CLUSTER_DEVICE_COUNT_MAX + 1),
})

/** Read folder by folder, because each can list many devices. */
export const CLUSTER_CONFIG = message({ folders: repeatedMessage(1, FOLDER), secondary: bool(2) })
export const FOLDERS_FIELD = 1
export const SECONDARY_FIELD = 2

const XATTRS = message({ xattrs: repeatedMessage(1, message({ name: text(1), value: bytes(2) })) })

/** Owners and extended attributes, by system. */
const PLATFORM = message({
  unix: innerMessage(1, message({ owner_name: text(1), group_name: text(2), uid: int32(3), gid: int32(4) })),
  windows: innerMessage(2, message({ owner_name: text(1), owner_is_group: bool(2) })),
  linux: innerMessage(3, XATTRS),
  darwin: innerMessage(4, XATTRS),
  freebsd: innerMessage(5, XATTRS),
  netbsd: innerMessage(6, XATTRS),
})

export const FILE_INFO = message({
  ...RECORD_FIELDS,
  platform: rawMessage(14, PLATFORM),
  blocks: blockList(16),
})

/** Without its files, which are read one by one, because an index can have the maximum message size. */
export const INDEX_ENVELOPE = message({ folder: text(1), last_sequence: int64(3), prev_sequence: int64(4) })
export const INDEX_FILES_FIELD = 2

export const REQUEST = message({
  id: int32(1),
  folder: text(2),
  name: text(3),
  offset: int64(4),
  size: int32(5),
  hash: bytes(6),
  from_temporary: bool(7),
  block_no: int32(9),
})

export const RESPONSE = message({ id: int32(1), data: bytes(2), code: int32(3) })

const DOWNLOAD_UPDATE = message({
  update_type: int32(1),
  name: text(2),
  version: innerMessage(3, VECTOR),
  block_indexes: manyInt32(4),
  block_size: int32(5),
})

export const DOWNLOAD_PROGRESS = message({ folder: text(1), updates: repeatedMessage(2, DOWNLOAD_UPDATE) })

/** Without its updates, which are read once the sender is known to be permitted. */
export const PROGRESS_ENVELOPE = message({ folder: text(1) })

export const CLOSE = message({ reason: text(1) })

export type WireDevice = Message<typeof DEVICE>
export type WireFolder = Message<typeof FOLDER>
export type WireFile = Message<typeof FILE_INFO>
export type WireVector = Message<typeof VECTOR>
