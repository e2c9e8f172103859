import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { SimFaults } from '../../src/platform/sim/disk-faults.ts'
import { MessageCounter } from '../../src/protocol/message-counter.ts'
import { ROOT, type SimDevice } from '../sim/device.ts'
import { SomeDevices } from '../sim/some-devices.ts'
import { DOCS } from './model.ts'

/** By kind of work and counter: how often per file. */
export type FileCosts = Readonly<Record<string, Readonly<Record<string, number>>>>

const FILES = 200
const FILES_PER_DIRECTORY = 20
const SIZE_BYTES = 4 * 1_024
/** Scans of single files take longer: this part of them is counted. */
const ALONE_EVERY = 10
/** Far below the rescan interval: no scan runs by the clock. */
const STEP_MS = 20
const STEPS_MAX = 2_000
/** Records of the last files are stored and announced by then. */
const STORED_MS = 5_000
/** Node's pool grows by this. */
const POOL_KIB = 64
const CHILD_MAX_MS = 120_000
/** MiB of the heap that one measured run stays below. */
const YOUNG_MIB = 512
const ALLOCATED_FLAGS = [
  '--expose-gc',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--no-incremental-marking',
  '--no-memory-reducer',
  '--single-threaded-gc',
  `--min-semi-space-size=${YOUNG_MIB}`,
  `--max-semi-space-size=${YOUNG_MIB}`,
]

type Counts = ReadonlyMap<string, number>
/** Runs the work and returns what it cost. */
type MeasureWork = (work: () => Promise<unknown>) => Promise<Counts>

/** What one more file costs, in calls, statements, messages and bytes allocated. */
export async function measureFileCosts(): Promise<FileCosts> {
  const [counts, allocated] = [await costsPerFile(counted), await allocatedPerFile()]
  return Object.fromEntries(Object.entries(counts).map(([work, costs]) => [work, { ...allocated[work], ...costs }]))
}

/**
 * The difference between runs with many files and with twice as many, so that what each run costs once is left out.
 * The devices are simulated and the figures do not depend on the machine.
 */
export async function costsPerFile(measure: MeasureWork): Promise<FileCosts> {
  await measureRun(FILES, measure) // what is loaded at the first use costs once per process
  const [some, twice] = [await measureRun(FILES, measure), await measureRun(2 * FILES, measure)]
  const costs: Record<string, Record<string, number>> = {}
  for (const [work, counts] of Object.entries(twice)) {
    const counters = [...new Set([...counts.keys(), ...(some[work]?.keys() ?? [])])].sort()
    const perFile = counters.map((counter): [string, number] => {
      const more = (counts.get(counter) ?? 0) - (some[work]?.get(counter) ?? 0)
      return [counter, Math.round((more / FILES) * 1_000) / 1_000]
    })
    costs[work] = Object.fromEntries(perFile)
  }
  return costs
}

/** In a process of its own that collects nothing and optimizes no code, so that equal work allocates equally. */
async function allocatedPerFile(): Promise<FileCosts> {
  const child = join(import.meta.dirname, 'allocated-child.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...ALLOCATED_FLAGS, child], {
    timeout: CHILD_MAX_MS,
  })
  return withoutPool(JSON.parse(stdout))
}

/** Small buffers are parts of a pool, which grows at another place when anything before it changes. */
function withoutPool(costs: FileCosts): FileCosts {
  const leastKib = (POOL_KIB * ALONE_EVERY) / FILES
  const isPool = (counter: string, kib: number) => counter === 'buffer KiB allocated' && Math.abs(kib) <= leastKib
  return Object.fromEntries(
    Object.entries(costs).map(([work, perFile]) => {
      const kept = Object.entries(perFile).filter(([counter, kib]) => !isPool(counter, kib))
      return [work, Object.fromEntries(kept)]
    }),
  )
}

async function measureRun(files: number, measure: MeasureWork): Promise<Readonly<Record<string, Counts>>> {
  await using devices = await SomeDevices.start('source', 'sink')
  const [source, sink] = devices.devices
  assert.ok(source !== undefined && sink !== undefined)
  assert.equal(await devices.converge(), undefined)
  await devices.during(sink.stop())
  for (let number = 0; number < files; number++) {
    const content = Buffer.alloc(SIZE_BYTES, `${number} `)
    await source.disk.makeDirectories(`${ROOT}/${directoryOf(number)}`, 0o755)
    source.disk.put(`${ROOT}/${directoryOf(number)}/${number}.txt`, content)
  }
  const scan = () => devices.during(source.model!.scan(DOCS))
  const scanned = await measure(scan)
  const rescanned = await measure(scan)
  const alone = await measure(async () => {
    for (let number = 0; number < files; number += ALONE_EVERY) {
      await devices.during(source.model!.scan(DOCS, [`${directoryOf(number)}/${number}.txt`]))
    }
  })
  const pulled = await measure(async () => {
    await sink.start()
    for (let step = 0; countFiles(sink) < files; step++) {
      assert.ok(step < STEPS_MAX, 'the files do not arrive')
      await devices.pass(STEP_MS)
    }
    await devices.pass(STORED_MS)
  })
  assert.equal(await devices.converge(), undefined)
  const ofAll = new Map([...alone].map(([counter, count]) => [counter, count * ALONE_EVERY]))
  return {
    'file scanned': scanned,
    'file scanned again': rescanned,
    'file scanned again, alone': ofAll,
    'file pulled': pulled,
  }
}

function directoryOf(number: number): string {
  return `d${Math.floor(number / FILES_PER_DIRECTORY)}`
}

function countFiles({ disk }: SimDevice): number {
  return [...disk.direct.tree(ROOT).keys()].filter((path) => /^d\d+\/\d+\.txt$/.test(path)).length
}

/** Counts calls of the disk, statements of SQLite and messages of all devices while the work runs. */
async function counted(work: () => Promise<unknown>): Promise<Counts> {
  const counts = new Map<string, number>()
  const add = (counter: string, count = 1) => void counts.set(counter, (counts.get(counter) ?? 0) + count)
  const restore = [
    hook(SimFaults.prototype, 'check', (call) => add(`disk ${String(call)}`)),
    hook(StatementSync.prototype, 'run', () => add('SQL change')),
    hook(StatementSync.prototype, 'get', () => add('SQL query')),
    hook(StatementSync.prototype, 'all', () => add('SQL query')),
    hook(StatementSync.prototype, 'iterate', () => add('SQL query')),
    hook(DatabaseSync.prototype, 'exec', () => add('SQL transaction step')),
    hook(MessageCounter.prototype, 'onSent', (body) => {
      add('message sent')
      if (Array.isArray(body))
        add(
          'message bytes',
          body.reduce((sum: number, part) => sum + (part?.length ?? 0), 0),
        )
    }),
  ]
  try {
    await work()
    return counts
  } finally {
    for (const undo of restore) undo()
  }
}

/** Calls `before` with the first argument of every call of a method. */
function hook(target: object, method: string, before: (first: unknown) => void): () => void {
  const original: unknown = Reflect.get(target, method)
  assert.ok(typeof original === 'function')
  Reflect.set(target, method, function (this: unknown, ...args: readonly unknown[]): unknown {
    before(args[0])
    return Reflect.apply(original, this, args)
  })
  return () => void Reflect.set(target, method, original)
}
