/** A call tree to be written down; the same shape as `Profile` in world/process.ts. */
interface Tree {
  readonly kind: 'cpu' | 'heap'
  readonly durationMs: number
  readonly nodes: readonly {
    readonly name: string
    readonly file: string
    readonly line: number
    readonly parent: number | undefined
    readonly count: number
    readonly amount: number
  }[]
}

const TYPES = {
  cpu: { count: ['samples', 'count'], amount: ['cpu', 'nanoseconds'], scale: 1_000 },
  heap: { count: ['inuse_objects', 'count'], amount: ['inuse_space', 'bytes'], scale: 1 },
} as const

/** The format that `pprof` and everything around it reads: one protobuf message, which is usually packed with gzip. */
export function encodePprof(tree: Tree, timeMs: number): Uint8Array {
  const texts = new TextTable()
  const type = TYPES[tree.kind]
  const valueType = ([name, unit]: readonly [string, string]) => [
    ...number(1, texts.indexOf(name)),
    ...number(2, texts.indexOf(unit)),
  ]
  const parts: number[] = [...bytes(1, valueType(type.count)), ...bytes(1, valueType(type.amount))]
  for (const [i, node] of tree.nodes.entries()) {
    if (node.count === 0 && node.amount === 0) continue
    append(
      parts,
      bytes(2, [...packed(1, stackOf(tree, i)), ...packed(2, [node.count, Math.round(node.amount * type.scale)])]),
    )
  }
  const functions = new Map<string, number>()
  for (const [i, node] of tree.nodes.entries()) {
    const key = `${node.file}\0${node.name}`
    let id = functions.get(key)
    if (id === undefined) {
      functions.set(key, (id = functions.size + 1))
      const about = [...number(2, texts.indexOf(node.name)), ...number(4, texts.indexOf(node.file))]
      append(parts, bytes(5, [...number(1, id), ...about]))
    }
    append(parts, bytes(4, [...number(1, i + 1), ...bytes(4, [...number(1, id), ...number(2, node.line)])]))
  }
  for (const text of texts.all) append(parts, bytes(6, new TextEncoder().encode(text)))
  append(parts, number(9, Math.round(timeMs) * 1_000_000))
  append(parts, number(10, Math.round(tree.durationMs) * 1_000_000))
  return Uint8Array.from(parts)
}

/** Locations from the innermost to the outermost; a location is a node, its id the index plus one. */
function stackOf({ nodes }: Tree, index: number): readonly number[] {
  const stack: number[] = []
  for (let at: number | undefined = index; at !== undefined; at = nodes[at]?.parent) stack.push(at + 1)
  return stack
}

/** Every text is written once and named by its place; the empty one comes first. */
class TextTable {
  readonly #places = new Map([['', 0]])

  get all(): Iterable<string> {
    return this.#places.keys()
  }

  indexOf(text: string): number {
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.#places.set(text, this.#places.size)
    return this.#places.size - 1
  }
}

/** One by one: a spread of a large list overflows the stack. */
function append(to: number[], from: Iterable<number>): void {
  for (const byte of from) to.push(byte)
}

function varint(value: number): readonly number[] {
  const digits: number[] = []
  for (let left = BigInt(value); ; left >>= 7n) {
    if (left < 128n) return [...digits, Number(left)]
    digits.push(Number(left & 127n) | 128)
  }
}

function number(field: number, value: number): readonly number[] {
  return [field << 3, ...varint(value)]
}

function bytes(field: number, value: ArrayLike<number> & Iterable<number>): readonly number[] {
  const whole = [(field << 3) | 2, ...varint(value.length)]
  append(whole, value)
  return whole
}

function packed(field: number, values: readonly number[]): readonly number[] {
  return bytes(field, values.flatMap(varint))
}
