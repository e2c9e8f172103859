import type { FileOrder } from '../file-maker.ts'
import type { MakeTask } from './make-task.ts'

/** The files get numbers in a row. Their contents are copied, so that the orders' memory stays their owners'. */
export function packFiles(orders: readonly FileOrder[], firstNumber: number): MakeTask & { readonly data: Uint8Array<ArrayBuffer> } {
  const data = new Uint8Array(orders.reduce((sum, order) => sum + order.data.length, 0))
  let endBytes = 0
  const files = orders.map(({ data: content, ...order }, at) => {
    const startBytes = endBytes
    data.set(content, startBytes)
    endBytes += content.length
    return { ...order, number: firstNumber + at, startBytes, endBytes }
  })
  return { kind: 'make', files, data }
}
