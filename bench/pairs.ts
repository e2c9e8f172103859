import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import type { Bench } from './bench-options.ts'
import { Pair, type PairPrograms, type PairRoute } from './pair.ts'
import type { Program } from './program.ts'
import type { PairName, Sample } from './rows.ts'
import { makeTree, removeTree, type Tree, type TreeSpec } from './tree.ts'

/** Each with itself first: those are the figures that are compared. Then Twinfold with every other, both ways. */
export function pairsOf(programs: readonly Program[]): readonly PairPrograms[] {
  const [own, others] = [programs.filter(isTwinfold), programs.filter((program) => !isTwinfold(program))]
  return [
    ...programs.map((program) => ({ source: program, sink: program })),
    ...own.flatMap((twinfold) => others.map((other) => ({ source: twinfold, sink: other }))),
    ...own.flatMap((twinfold) => others.map((other) => ({ source: other, sink: twinfold }))),
  ]
}

function isTwinfold({ name }: Program): boolean {
  return name === 'twinfold'
}

function nameOf({ source, sink }: PairPrograms): PairName {
  return `${source.name} > ${sink.name}`
}

export type Recorder = (row: string, value: number, more?: Partial<Sample>) => void
type Use = (pair: Pair, record: Recorder) => Promise<void>

export async function withPair(
  bench: Bench,
  ends: PairPrograms,
  tree: Tree,
  use: Use,
  way: PairRoute = {},
): Promise<void> {
  const pair = await Pair.start(ends, tree, bench.scratch, way)
  try {
    await use(pair, (row, value, more) => bench.record({ row, subject: nameOf(ends), value, ...more }))
  } finally {
    await pair[Symbol.asyncDispose]()
  }
}

/** The tree exists while `use` runs, and is in the page cache. */
export async function withTree(spec: TreeSpec, use: (tree: Tree) => Promise<void>): Promise<void> {
  await use(makeTree(spec))
  removeTree(spec)
}

/** An incomplete transfer would appear fast. */
export function expectEqualTrees(tree: Tree, pair: Pick<Pair, 'sinkRoot'>): void {
  const args = ['-r', '-q', '--exclude=.stfolder', tree.path, pair.sinkRoot]
  const result = spawnSync('diff', args, { encoding: 'utf8' })
  if (result.status !== 0)
    throw new Error(`the sink differs from the source (${dirname(tree.path)}):\n${result.stdout.slice(0, 2_000)}`)
}
