import assert from 'node:assert/strict'
import { DatabaseSync, StatementSync } from 'node:sqlite'
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

/**
 * What one more file costs: the difference between runs with many files and with twice as many, so that what each run
 * costs once is left out. The devices are simulated and the figures do not depend on the machine. Bytes allocated are
 * not among them: the engine reports only how much it holds, which depends on when it collects garbage.
 */
export async function measureFileCosts(): Promise<FileCosts> {
  await measureRun(FILES) // what is loaded at the first use costs once per process
  const [some, twice] = [await measureRun(FILES), await measureRun(2 * FILES)]
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

type Counts = ReadonlyMap<string, number>

async function measureRun(files: number): Promise<Readonly<Record<string, Counts>>> {
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
  const scanned = await counted(scan)
  const rescanned = await counted(scan)
  const alone = await counted(async () => {
    for (let number = 0; number < files; number += ALONE_EVERY) {
      await devices.during(source.model!.scan(DOCS, [`${directoryOf(number)}/${number}.txt`]))
    }
  })
  const pulled = await counted(async () => {
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
