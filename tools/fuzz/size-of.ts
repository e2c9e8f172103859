const OBJECT_BYTES = 32
const FIELD_BYTES = 8
/** Measured: Node 26 adds some bytes to `Buffer.poolSize`. */
const POOL_BYTES = Buffer.allocUnsafe(1).buffer.byteLength

/** About the memory that a value keeps. Bytes of the input itself are counted where they are seen. */
export function sizeOf(value: unknown, input: Uint8Array): number {
  const seen = new Set<object>()
  const stack: unknown[] = [value]
  let total = 0
  while (stack.length > 0) {
    const each = stack.pop()
    if (typeof each === 'string') total += 2 * each.length + OBJECT_BYTES
    else if (typeof each === 'bigint') total += OBJECT_BYTES
    else if (typeof each !== 'object' || each === null || seen.has(each)) total += FIELD_BYTES
    else {
      seen.add(each)
      total += OBJECT_BYTES
      if (ArrayBuffer.isView(each)) total += bytesOf(each, input)
      else if (each instanceof Map) stack.push(...each.keys(), ...each.values())
      else if (each instanceof Set) stack.push(...each)
      else for (const inner of Object.values(each)) stack.push(inner)
      total += FIELD_BYTES
    }
  }
  return total
}

/** A view of the input, or of the memory that Node shares among small buffers, counts by its own length. */
function bytesOf(view: ArrayBufferView, input: Uint8Array): number {
  const isShared = view.buffer === input.buffer || view.buffer.byteLength === POOL_BYTES
  return isShared ? view.byteLength : view.buffer.byteLength
}
