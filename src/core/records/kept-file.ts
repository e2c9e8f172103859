import { isChanged, type CompareOptions, type DiskItem } from './change.ts'
import { hasOtherStamp } from './disk-stamp.ts'
import { isCanonical, isReserved } from '../paths.ts'
import type { ShortId } from '../ids.ts'
import type { FileHead } from './file-info.ts'
import type { VersionVector } from './version-vector.ts'

/** A file that other devices have deleted and that stays on this one: our record of it is the deletion. */
export interface KeptFile {
  /** The file as it is on our disk. */
  readonly file: FileHead
  /** The deletion that was accepted. */
  readonly deletedS: number
  readonly deletedBy: ShortId
  readonly deletion: VersionVector
  /** It is to be announced again, by the next scan that finds it. */
  readonly isReturning: boolean
}

/** A line of the list: a file that is kept, or a name that is no longer. */
export type KeptLine =
  | { readonly kind: 'kept'; readonly kept: KeptFile }
  | { readonly kind: 'gone'; readonly name: string }

/** What a scan finds of a kept file. `suspect`: its content must be compared, because its stamp has changed. */
export type KeptState = 'same' | 'suspect' | 'edited'

/** The entry for a file of ours whose deletion by another device is accepted. */
export function keptFileOf(local: FileHead, deletion: FileHead): KeptFile {
  const { name, sizeBytes, modifiedS, modifiedNs, permissions, noPermissions, blockSizeBytes, blocksHash } = local
  const { diskTime, diskStamp } = local
  return {
    file: {
      ...keptHead(name),
      sizeBytes,
      modifiedS,
      modifiedNs,
      permissions,
      noPermissions,
      blockSizeBytes,
      blocksHash,
      ...(diskTime !== undefined && { diskTime }),
      ...(diskStamp !== undefined && { diskStamp }),
    },
    deletedS: deletion.modifiedS,
    deletedBy: deletion.modifiedBy,
    deletion: deletion.version,
    isReturning: false,
  }
}

/** Whether an item on the disk is the kept file. Owners and attributes are not part of what is kept. */
export function keptState(
  { file, isReturning }: KeptFile,
  item: DiskItem,
  { ignorePerms, modTimeWindowMs }: Pick<CompareOptions, 'ignorePerms' | 'modTimeWindowMs'>,
): KeptState {
  if (isReturning || isChanged(file, item, { ownFlags: 0, ignorePerms, modTimeWindowMs })) return 'edited'
  return hasOtherStamp(file.diskStamp, item) ? 'suspect' : 'same'
}

/** The deletion as a record, for an index that does not have it: the next version of the file is above it. */
export function acceptedDeletion({ file, deletedS, deletedBy, deletion }: KeptFile): FileHead {
  return { ...keptHead(file.name), deleted: true, modifiedS: deletedS, modifiedBy: deletedBy, version: deletion }
}

function keptHead(name: string): FileHead {
  return {
    name,
    type: 'file',
    deleted: false,
    sizeBytes: 0,
    modifiedS: 0,
    modifiedNs: 0,
    permissions: 0,
    noPermissions: false,
    version: [],
    modifiedBy: 0n as ShortId,
    sequence: 0,
    localFlags: 0,
    blockSizeBytes: 0,
    blocksHash: undefined,
    symlinkTarget: '',
  }
}

export function encodeKept({ file, deletedS, deletedBy, deletion, isReturning }: KeptFile): string {
  const { diskTime } = file
  return JSON.stringify({
    name: file.name,
    size: file.sizeBytes,
    modified: [file.modifiedS, file.modifiedNs],
    ...(!file.noPermissions && { permissions: file.permissions }),
    blockSize: file.blockSizeBytes,
    ...(file.blocksHash !== undefined && { blocks: Buffer.from(file.blocksHash).toString('hex') }),
    ...(diskTime !== undefined && { onDisk: [diskTime.modifiedS, diskTime.modifiedNs] }),
    ...(file.diskStamp !== undefined && { stamp: file.diskStamp }),
    deleted: deletedS,
    by: deletedBy.toString(16),
    version: deletion.map(({ device, value }) => [device.toString(16), value.toString(16)]),
    ...(isReturning && { returning: true }),
  })
}

export function encodeGone(name: string): string {
  return JSON.stringify({ name, gone: true })
}

/** Undefined for a line that is none of ours: a torn or damaged one. */
export function parseKept(line: string): KeptLine | undefined {
  try {
    const fields: unknown = JSON.parse(line)
    return fields !== null && typeof fields === 'object' ? readLine(fields as LineFields) : undefined
  } catch {
    return undefined
  }
}

type LineFields = Readonly<Record<string, unknown>>

function readLine(fields: LineFields): KeptLine | undefined {
  const { name } = fields
  if (typeof name !== 'string' || !isCanonical(name) || isReserved(name)) return undefined
  return fields['gone'] === true ? { kind: 'gone', name } : { kind: 'kept', kept: readKept(name, fields) }
}

/** Throws for a field of another type. */
function readKept(name: string, fields: LineFields): KeptFile {
  const [modifiedS, modifiedNs] = pairOf(fields['modified'])
  const { blocks, onDisk, permissions, stamp, version } = fields
  if (!Array.isArray(version)) throw new TypeError('no version')
  return {
    file: {
      ...keptHead(name),
      sizeBytes: numberOf(fields['size']),
      modifiedS,
      modifiedNs,
      permissions: permissions === undefined ? 0 : numberOf(permissions),
      noPermissions: permissions === undefined,
      blockSizeBytes: numberOf(fields['blockSize']),
      blocksHash: typeof blocks === 'string' ? new Uint8Array(Buffer.from(blocks, 'hex')) : undefined,
      ...(onDisk !== undefined && { diskTime: timeOf(pairOf(onDisk)) }),
      ...(stamp !== undefined && { diskStamp: numberOf(stamp) }),
    },
    deletedS: numberOf(fields['deleted']),
    deletedBy: idOf(fields['by']),
    deletion: version.map((counter: unknown) => {
      if (!Array.isArray(counter)) throw new TypeError('no counter')
      return { device: idOf(counter[0]), value: idOf(counter[1]) }
    }),
    isReturning: fields['returning'] === true,
  }
}

function timeOf([modifiedS, modifiedNs]: readonly [number, number]): NonNullable<FileHead['diskTime']> {
  return { modifiedS, modifiedNs }
}

function numberOf(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('no number')
  return value as number
}

function pairOf(value: unknown): readonly [number, number] {
  if (!Array.isArray(value)) throw new TypeError('no pair')
  return [numberOf(value[0]), numberOf(value[1])]
}

function idOf(value: unknown): ShortId {
  if (typeof value !== 'string' || !/^[0-9a-f]{1,16}$/.test(value)) throw new TypeError('no id')
  return BigInt(`0x${value}`) as ShortId
}
