import protobuf from 'protobufjs'
import { VECTOR } from '../../src/core/records/record-fields.ts'
import { CLOSE, CLUSTER_CONFIG, DOWNLOAD_PROGRESS, FILE_INFO, REQUEST, RESPONSE } from '../../src/protocol/messages.ts'
import {
  bool,
  bytes,
  int32,
  int64,
  repeatedMessage,
  innerMessage,
  text,
  uint32,
  uint64,
} from '../../src/core/wire/fields.ts'
import { message, type Schema } from '../../src/core/wire/schema.ts'

const XATTRS = message({ xattrs: repeatedMessage(1, message({ name: text(1), value: bytes(2) })) })
const UNIX = message({ owner_name: text(1), group_name: text(2), uid: int32(3), gid: int32(4) })
const WINDOWS = message({ owner_name: text(1), owner_is_group: bool(2) })
const PLATFORM = message({
  unix: innerMessage(1, UNIX),
  windows: innerMessage(2, WINDOWS),
  linux: innerMessage(3, XATTRS),
  darwin: innerMessage(4, XATTRS),
  freebsd: innerMessage(5, XATTRS),
  netbsd: innerMessage(6, XATTRS),
})
const BLOCK = message({ offset: int64(1), size: int32(2), hash: bytes(3), weak_hash: uint32(4) })

/** A record with everything that 1.x puts into it, also what we pass over. */
const FULL_FILE = message({
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
  platform: innerMessage(14, PLATFORM),
  blocks: repeatedMessage(16, BLOCK),
  symlink_target: bytes(17),
  blocks_hash: bytes(18),
  encrypted: bytes(19),
  previous_blocks_hash: bytes(20),
})

export const FULL_INDEX = message({
  folder: text(1),
  files: repeatedMessage(2, FULL_FILE),
  last_sequence: int64(3),
  prev_sequence: int64(4),
})

/** The codec of every message by its name, with nothing left out. */
export const FULL: Readonly<Record<string, Schema<object>>> = {
  ClusterConfig: CLUSTER_CONFIG,
  Index: FULL_INDEX,
  IndexUpdate: FULL_INDEX,
  Request: REQUEST,
  Response: RESPONSE,
  DownloadProgress: DOWNLOAD_PROGRESS,
  Ping: message({}),
  Close: CLOSE,
  FileInfo: FILE_INFO,
}

/** The same messages once more, for another implementation of protobuf. */
const PROTO = `syntax = "proto3";
message Hello { string device_name = 1; string client_name = 2; string client_version = 3; int32 num_connections = 4;
  int64 timestamp = 5; }
message Header { int32 type = 1; int32 compression = 2; }
message ClusterConfig { repeated Folder folders = 1; bool secondary = 2; }
message Folder { string id = 1; string label = 2; int32 type = 3; bool ignore_permissions = 4; bool ignore_delete = 5;
  bool disable_temp_indexes = 6; int32 stop_reason = 7; repeated Device devices = 16; }
message Device { bytes id = 1; string name = 2; repeated string addresses = 3; int32 compression = 4;
  string cert_name = 5;
  int64 max_sequence = 6; bool introducer = 7; uint64 index_id = 8; bool skip_introduction_removals = 9;
  bytes encryption_password_token = 10; }
message Index { string folder = 1; repeated FileInfo files = 2; int64 last_sequence = 3; int64 prev_sequence = 4; }
message FileInfo { string name = 1; int32 type = 2; int64 size = 3; uint32 permissions = 4; int64 modified_s = 5;
  bool deleted = 6; bool invalid = 7;
  bool no_permissions = 8; Vector version = 9; int64 sequence = 10; int32 modified_ns = 11;
  uint64 modified_by = 12; int32 block_size = 13;
  repeated BlockInfo blocks = 16; bytes symlink_target = 17; bytes blocks_hash = 18; bytes encrypted = 19;
  bytes previous_blocks_hash = 20; }
message BlockInfo { int64 offset = 1; int32 size = 2; bytes hash = 3; uint32 weak_hash = 4; }
message Vector { repeated Counter counters = 1; }
message Counter { uint64 id = 1; uint64 value = 2; }
message Request { int32 id = 1; string folder = 2; string name = 3; int64 offset = 4; int32 size = 5;
  bytes hash = 6; bool from_temporary = 7; int32 block_no = 9; }
message Response { int32 id = 1; bytes data = 2; int32 code = 3; }
message DownloadProgress { string folder = 1; repeated FileDownloadProgressUpdate updates = 2; }
message FileDownloadProgressUpdate { int32 update_type = 1; string name = 2; Vector version = 3;
  repeated int32 block_indexes = 4 [packed = false]; int32 block_size = 5; }
message Close { string reason = 1; }
`

const ROOT = protobuf.parse(PROTO, { keepCase: true }).root

export function referenceType(name: string): protobuf.Type {
  return ROOT.lookupType(name)
}
