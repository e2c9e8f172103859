import type { CopiedBlock, FileOrder, FileOutcome } from '../../file-maker.ts'
import type { BlockOutcome, CopyOutcome, NumberedBlock, NumberedCopy } from './block-task.ts'
import type { MakeTask, NumberedFile } from './make-task.ts'

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

/** Numbers orders consecutively. The contents of files are copied, so that their memory stays with the caller. */
export function packOrders(orders: readonly WaitingOrder[], firstNumber: number): PackedOrders {
  const sizeBytes = orders.reduce((sum, each) => sum + (each.kind === 'file' ? each.order.data.length : 0), 0)
  const data = new Uint8Array(sizeBytes)
  const files: NumberedFile[] = []
  const blocks: NumberedBlock[] = []
  const copies: NumberedCopy[] = []
  let endBytes = 0
  orders.forEach((each, at) => {
    const number = firstNumber + at
    if (each.kind === 'block') return void blocks.push({ ...each.order, number })
    if (each.kind === 'copy') return void copies.push({ ...each.order, number })
    const { data: content, ...order } = each.order
    const startBytes = endBytes
    data.set(content, startBytes)
    endBytes += content.length
    files.push({ ...order, number, startBytes, endBytes })
  })
  return { task: { kind: 'make', files, data, blocks, copies }, transfer: sizeBytes === 0 ? [] : [data.buffer] }
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
