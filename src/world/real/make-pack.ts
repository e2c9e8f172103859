import type { CheckedBlock, FileOrder, FileOutcome } from '../file-maker.ts'
import type { BlockOutcome, MakeTask, NumberedBlock, NumberedFile } from './make-task.ts'

/** Something to be put on disk, and who is told what became of it. */
export type WaitingOrder =
  | { readonly kind: 'file'; readonly order: FileOrder; readonly tell: (outcome: Outcome) => void }
  | { readonly kind: 'block'; readonly order: SharedBlock; readonly tell: (outcome: Outcome) => void }

export type Outcome = FileOutcome | BlockOutcome

/** Its memory is shared: the thread reads it where it is. */
export interface SharedBlock extends CheckedBlock {
  readonly descriptor: number
}

export interface PackedOrders {
  readonly task: MakeTask
  readonly transfer: readonly ArrayBuffer[]
}

/** Orders get numbers in a row. The contents of files are copied, so that the orders' memory stays their owners'. */
export function packOrders(orders: readonly WaitingOrder[], firstNumber: number): PackedOrders {
  const sizeBytes = orders.reduce((sum, each) => sum + (each.kind === 'file' ? each.order.data.length : 0), 0)
  const data = new Uint8Array(sizeBytes)
  const files: NumberedFile[] = []
  const blocks: NumberedBlock[] = []
  let endBytes = 0
  orders.forEach((each, at) => {
    const number = firstNumber + at
    if (each.kind === 'block') return void blocks.push({ ...each.order, number })
    const { data: content, ...order } = each.order
    const startBytes = endBytes
    data.set(content, startBytes)
    endBytes += content.length
    files.push({ ...order, number, startBytes, endBytes })
  })
  return { task: { kind: 'make', files, data, blocks }, transfer: [data.buffer] }
}
