import { Profile, StringTable, type FunctionInput, type LocationInput, type SampleInput } from 'pprof-format'

/** A call tree to encode; the same structure as `Profile` in platform/process.ts. */
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

/** The format of `pprof` and related tools: one protobuf message, usually compressed with gzip. */
export function encodePprof(tree: Tree, timeMs: number): Uint8Array {
  const stringTable = new StringTable()
  const { count, amount, scale } = TYPES[tree.kind]
  const sampleType = [count, amount].map(([type, unit]) => ({
    type: stringTable.dedup(type),
    unit: stringTable.dedup(unit),
  }))
  return new Profile({
    sampleType,
    sample: samplesOf(tree, scale),
    ...placesOf(tree, stringTable),
    stringTable,
    timeNanos: nanoseconds(timeMs),
    durationNanos: nanoseconds(tree.durationMs),
  }).encode()
}

function samplesOf(tree: Tree, scale: number): SampleInput[] {
  const samples: SampleInput[] = []
  for (const [i, { count, amount }] of tree.nodes.entries()) {
    if (count === 0 && amount === 0) continue
    samples.push({ locationId: stackOf(tree, i), value: [count, Math.round(amount * scale)] })
  }
  return samples
}

/** Locations from the innermost to the outermost; a location is a node, its id the index plus one. */
function stackOf({ nodes }: Tree, index: number): number[] {
  const stack: number[] = []
  for (let at: number | undefined = index; at !== undefined; at = nodes[at]?.parent) stack.push(at + 1)
  return stack
}

function placesOf({ nodes }: Tree, texts: StringTable): { location: LocationInput[]; function: FunctionInput[] } {
  const ids = new Map<string, number>()
  const functions: FunctionInput[] = []
  const location = nodes.map(({ name, file, line }, i) => {
    const key = `${file}\0${name}`
    const functionId = ids.get(key) ?? ids.size + 1
    if (!ids.has(key)) functions.push({ id: functionId, name: texts.dedup(name), filename: texts.dedup(file) })
    ids.set(key, functionId)
    return { id: i + 1, line: [{ functionId, line }] }
  })
  return { location, function: functions }
}

/** The current time in nanoseconds exceeds the exact range of a number. */
function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms)) * 1_000_000n
}
