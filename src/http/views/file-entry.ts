import { shortIdText } from '../../core/device-id.ts'
import { hashSizeOf } from '../../core/records/blocks.ts'
import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  isInvalid,
  type FileHead,
  type FileInfo,
  type FileType,
} from '../../core/records/file-info.ts'
import { weightBytes } from '../../core/records/need.ts'
import type { UnixOwner } from '../../core/attributes/platform-data.ts'
import { viewPlatform, type ExtendedAttribute } from '../../core/attributes/platform-view.ts'
import type { FileEntryJson, FileTypeName, PlatformJson } from '../../rest/db.ts'
import { longList } from './long-lists.ts'
import { formatNs, TIME_ZERO } from './times.ts'

const TIME_EPOCH = '1970-01-01T00:00:00Z'

const TYPE_NAMES: Readonly<Record<FileType, FileTypeName>> = {
  file: 'FILE_INFO_TYPE_FILE',
  directory: 'FILE_INFO_TYPE_DIRECTORY',
  symlink: 'FILE_INFO_TYPE_SYMLINK',
}

const NO_PLATFORM: PlatformJson = { Unix: null, Windows: null, Linux: null, Darwin: null, FreeBSD: null, NetBSD: null }

const EMPTY_ENTRY: FileEntryJson = {
  blocksHash: null,
  deleted: false,
  ignored: false,
  inodeChange: TIME_EPOCH,
  invalid: false,
  localFlags: 0,
  modified: TIME_EPOCH,
  modifiedBy: '',
  mustRescan: false,
  name: '',
  noPermissions: false,
  numBlocks: 0,
  permissions: '0',
  platform: NO_PLATFORM,
  previousBlocksHash: null,
  sequence: 0,
  size: 0,
  type: 'FILE_INFO_TYPE_FILE',
  version: [],
}

export function typeName(type: FileType): FileTypeName {
  return TYPE_NAMES[type]
}

/** A record in the format of the interface; lists omit the number of blocks. */
export function fileEntryJson(head: FileHead, blockCount = 0): FileEntryJson {
  const entry = {
    blocksHash: base64Of(head.blocksHash),
    deleted: head.deleted,
    ignored: (head.localFlags & FLAG_IGNORED) !== 0,
    inodeChange: TIME_EPOCH,
    invalid: isInvalid(head),
    localFlags: head.localFlags,
    modified: formatNs(head.modifiedS, head.modifiedNs),
    modifiedBy: shortIdText(head.modifiedBy),
    mustRescan: (head.localFlags & FLAG_MUST_RESCAN) !== 0,
    name: head.name,
    noPermissions: head.noPermissions,
    numBlocks: blockCount,
  }
  return {
    ...entry,
    ...(head.noPermissions ? {} : { permissions: octal(head.permissions) }),
    platform: head.platform === undefined ? NO_PLATFORM : platformJson(head.platform),
    previousBlocksHash: base64Of(head.previousBlocksHash),
    sequence: head.sequence,
    size: weightBytes(head),
    type: TYPE_NAMES[head.type],
    version: head.version.map(({ device, value }) => `${shortIdText(device)}:${value}`),
  }
}

function base64Of(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : Buffer.from(bytes).toString('base64')
}

/** Records in a list of a reply. */
export function fileEntries(heads: readonly FileHead[]) {
  return longList(heads, (head) => fileEntryJson(head))
}

function platformJson(platform: Uint8Array): PlatformJson {
  const { unix, windows, linux, darwin, freeBsd, netBsd } = viewPlatform(platform)
  return {
    Unix: unix === undefined ? null : ownerJson(unix),
    Windows: windows ?? null,
    Linux: attributesJson(linux),
    Darwin: attributesJson(darwin),
    FreeBSD: attributesJson(freeBsd),
    NetBSD: attributesJson(netBsd),
  }
}

function ownerJson({ ownerName, groupName, userId, groupId }: UnixOwner) {
  return { ownerName, groupName, uid: userId, gid: groupId }
}

function attributesJson(attributes: readonly ExtendedAttribute[] | undefined) {
  if (attributes === undefined) return null
  return { xattrs: attributes.map(({ name, value }) => ({ name, value: Buffer.from(value).toString('base64') })) }
}

/** A whole record, or the empty one where there is none. */
export function fileInfoJson(info: FileInfo | undefined): FileEntryJson {
  if (info === undefined) return EMPTY_ENTRY
  return fileEntryJson(info, (info.blockHashes?.length ?? 0) / hashSizeOf(info))
}

/** With a leading zero; `0` for none. */
function octal(permissions: number): string {
  return permissions === 0 ? '0' : `0${permissions.toString(8)}`
}

/** The time of a file on disk and the time in the index, which differ where the disk could not store it. */
export function diskTimeJson(local: FileHead | undefined) {
  const { diskTime } = local ?? {}
  if (local === undefined || diskTime === undefined)
    return { err: null, value: { real: TIME_ZERO, virtual: TIME_ZERO } }
  const real = formatNs(diskTime.modifiedS, diskTime.modifiedNs)
  return { err: null, value: { real, virtual: formatNs(local.modifiedS, local.modifiedNs) } }
}
