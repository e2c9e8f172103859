import { HASH_SIZE_BYTES } from '../../../core/records/blocks.ts'
import type { CopiedBlock, FileOrder, FileOutcome, ReplacedFile } from '../../file-maker.ts'
import type { BlockOutcome, CopyOutcome, NumberedBlock, NumberedCopy } from './block-task.ts'

/** Orders as posted to a thread. */
export interface MakeTask {
  readonly kind: 'make'
  readonly files: PackedFiles
  readonly blocks: readonly NumberedBlock[]
  readonly copies: readonly NumberedCopy[]
}

/** Small files as one text and flat arrays: objects take a thread six times as long to receive. */
interface PackedFiles {
  /** FIELDS of each. */
  readonly fields: Float64Array
  /** Three of each, joined by NUL, which no path contains. */
  readonly paths: string
  /** One of each that has one, then the contents, in one transferred buffer. */
  readonly data: Uint8Array
  readonly replaced: readonly { readonly at: number; readonly replaces: ReplacedFile }[]
}

export interface NumberedFile extends FileOrder {
  readonly number: number
}

export interface MakeReport {
  readonly kind: 'made'
  /** MADE_FIELDS of each file that was made as usual. */
  readonly made: Float64Array
  readonly others: readonly NumberedOutcome[]
}

export interface NumberedOutcome {
  readonly number: number
  readonly outcome: Outcome
}

/** An order and the callback for its outcome. */
export type WaitingOrder =
  | { readonly kind: 'file'; readonly order: FileOrder; readonly report: (outcome: Outcome) => void }
  | { readonly kind: 'block'; readonly order: SharedBlock; readonly report: (outcome: Outcome) => void }
  | { readonly kind: 'copy'; readonly order: CopyOrder; readonly report: (outcome: Outcome) => void }

export type Outcome = FileOutcome | BlockOutcome | CopyOutcome

export type CopyOrder = Omit<NumberedCopy, 'number'>

/** In shared memory, which is not copied. */
type SharedBlock = Omit<NumberedBlock, 'number'>

export interface PackedOrders {
  readonly task: MakeTask
  readonly transfer: readonly ArrayBuffer[]
}

/** Number, bytes, mode to open with, mode or -1, seconds, nanoseconds, whether it is synced, whether it has a hash. */
const FIELDS = 8
const NO_MODE = -1
/** Number, seconds, nanoseconds, inode, change stamp or not a number. */
const MADE_FIELDS = 5

/** What is written for it. */
export function orderBytes({ kind, order }: WaitingOrder): number {
  return kind === 'copy' ? order.sizes.reduce((sum, size) => sum + size, 0) : order.data.length
}

/** Numbers orders consecutively. The contents of files are copied, so that their memory stays with the caller. */
export function packOrders(orders: readonly WaitingOrder[], firstNumber: number): PackedOrders {
  const files: NumberedFile[] = []
  const blocks: NumberedBlock[] = []
  const copies: NumberedCopy[] = []
  orders.forEach((each, at) => {
    const number = firstNumber + at
    if (each.kind === 'file') files.push({ ...each.order, number })
    else if (each.kind === 'block') blocks.push({ ...each.order, number })
    else copies.push({ ...each.order, number })
  })
  const packed = packFiles(files)
  return {
    task: { kind: 'make', files: packed, blocks, copies },
    transfer: files.length === 0 ? [] : [packed.data.buffer],
  }
}

function packFiles(files: readonly NumberedFile[]): PackedFiles & { readonly data: Uint8Array<ArrayBuffer> } {
  const fields = new Float64Array(FIELDS * files.length)
  const paths: string[] = []
  const replaced: PackedFiles['replaced'][number][] = []
  const data = new Uint8Array(files.reduce((sum, { data, hash }) => sum + data.length + (hash?.length ?? 0), 0))
  let end = 0
  files.forEach((file, at) => {
    const { number, openMode, mode = NO_MODE, modifiedS, modifiedNs, sync, hash, replaces } = file
    const isSynced = sync ? 1 : 0
    const hasHash = hash === undefined ? 0 : 1
    fields.set([number, file.data.length, openMode, mode, modifiedS, modifiedNs, isSynced, hasHash], FIELDS * at)
    paths.push(file.temporaryPath, file.path, file.realDirectory)
    if (replaces !== undefined) replaced.push({ at, replaces })
    if (hash !== undefined) data.set(hash, end)
    end += hash?.length ?? 0
    data.set(file.data, end)
    end += file.data.length
  })
  return { fields, paths: paths.join('\0'), data, replaced }
}

export function unpackFiles({ fields, paths, data, replaced }: PackedFiles): readonly NumberedFile[] {
  const texts = paths.split('\0')
  const replaces = new Map(replaced.map((each) => [each.at, each.replaces]))
  let end = 0
  const next = (sizeBytes: number) => data.subarray(end, (end += sizeBytes))
  return Array.from({ length: fields.length / FIELDS }, (_, at): NumberedFile => {
    const field = (place: number) => fields[FIELDS * at + place]!
    const hash = field(7) === 1 ? next(HASH_SIZE_BYTES) : undefined
    return {
      number: field(0),
      temporaryPath: texts[3 * at]!,
      path: texts[3 * at + 1]!,
      realDirectory: texts[3 * at + 2]!,
      hash,
      data: next(field(1)),
      openMode: field(2),
      mode: field(3) === NO_MODE ? undefined : field(3),
      modifiedS: field(4),
      modifiedNs: field(5),
      sync: field(6) === 1,
      replaces: replaces.get(at),
    }
  })
}

export function packResults(results: readonly NumberedOutcome[]): MakeReport {
  const made: number[] = []
  const others: NumberedOutcome[] = []
  for (const result of results) {
    const { number, outcome } = result
    if (outcome.kind !== 'made' || outcome.hasDisplaced === true) others.push(result)
    else made.push(number, outcome.modifiedS, outcome.modifiedNs, outcome.inode, outcome.changeStamp ?? Number.NaN)
  }
  return { kind: 'made', made: Float64Array.from(made), others }
}

export function unpackResults({ made, others }: MakeReport): readonly NumberedOutcome[] {
  const results = [...others]
  for (let at = 0; at < made.length; at += MADE_FIELDS) {
    const [number, modifiedS, modifiedNs, inode, stamp] = [
      made[at]!,
      made[at + 1]!,
      made[at + 2]!,
      made[at + 3]!,
      made[at + 4]!,
    ]
    const changeStamp = Number.isNaN(stamp) ? undefined : stamp
    results.push({ number, outcome: { kind: 'made', modifiedS, modifiedNs, inode, changeStamp } })
  }
  return results
}

export function copyOrder(
  files: Pick<CopyOrder, 'fromDescriptor' | 'fromDirect' | 'descriptor' | 'direct'>,
  blocks: readonly CopiedBlock[],
): CopyOrder {
  return {
    ...files,
    froms: Float64Array.from(blocks, ({ fromBytes }) => fromBytes),
    positions: Float64Array.from(blocks, ({ positionBytes }) => positionBytes),
    sizes: Float64Array.from(blocks, ({ sizeBytes }) => sizeBytes),
    hashes: new Uint8Array(Buffer.concat(blocks.map(({ hash }) => hash))),
  }
}
