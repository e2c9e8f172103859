import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, POLL_MS, scratchDirectory } from '../support/scratch.ts'
import { link, Network, type ProgramKind, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { conflictCopies, temporaries, treeItems } from '../support/tree-compare.ts'

const skip = missingSyncthing() ?? false
const KIB = 1024
const MIB = 1024 * KIB
const RATE_KIBPS = 16 * KIB
const SMALL_FILES = 150
const LARGE_FILES = 2
const LARGE_BYTES = 16 * MIB
const TRANSFER_MS_MAX = 60_000

/** Large files take some seconds at the rate given, small ones go by in between. */
function plant(root: string, round: number): void {
  const top = join(root, `round-${round}`)
  mkdirSync(join(top, 'small'), { recursive: true })
  for (let number = 0; number < LARGE_FILES; number++)
    writeFileSync(join(top, `large-${number}`), randomBytes(LARGE_BYTES))
  for (let number = 0; number < SMALL_FILES; number++)
    writeFileSync(join(top, 'small', `${number}`), randomBytes((number * 977) % 200_000))
}

/** What the sink has under its final name must be whole, whenever one looks. */
function tornFiles(source: Member, sink: Member): readonly string[] {
  const whole = treeItems(source.root)
  const temporary = new Set(temporaries(sink.root))
  return [...treeItems(sink.root)]
    .filter(
      ([path, { type, content }]) => !temporary.has(path) && type === 'file' && whole.get(path)?.content !== content,
    )
    .map(([path]) => path)
}

/** Waits until something of this round has arrived and something has not. */
async function untilMidTransfer(sink: Member, wantedBytes: number): Promise<void> {
  const isMidTransfer = async () => {
    const { needBytes, globalBytes } = await sink.status()
    return (globalBytes > 0 && needBytes > 0 && needBytes < wantedBytes) || undefined
  }
  await eventually('the middle of the transfer', isMidTransfer, TRANSFER_MS_MAX, POLL_MS).catch(
    async (error: unknown) => {
      throw new Error(`${JSON.stringify(await sink.status())}\n${sink.output.slice(-3_000)}`, { cause: error })
    },
  )
}

const CASES: readonly {
  readonly source: ProgramKind
  readonly sink: ProgramKind
  readonly killed: 'source' | 'sink'
}[] = [
  { source: 'syncthing', sink: 'twinfold', killed: 'sink' },
  { source: 'syncthing', sink: 'twinfold', killed: 'source' },
  { source: 'twinfold', sink: 'syncthing', killed: 'source' },
  { source: 'twinfold', sink: 'syncthing', killed: 'sink' },
]

for (const { source: sourceKind, sink: sinkKind, killed } of CASES) {
  test(`${sourceKind} sends to ${sinkKind}, and the ${killed} is killed on the way`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const pair = await Promise.all([network.add(sourceKind, 'source'), network.add(sinkKind, 'sink')])
    const [source, sink] = pair
    await source.request('PATCH', '/rest/config/options', { maxSendKbps: RATE_KIBPS })
    plant(source.root, 0)
    await link([pair])
    const kills = effort(1)
    for (let kill = 0; kill < kills; kill++) {
      if (kill > 0) {
        plant(source.root, kill)
        await source.scan()
      }
      // Somewhere between the beginning and the end, each time elsewhere.
      await untilMidTransfer(sink, LARGE_FILES * LARGE_BYTES * (1 - 0.2 * (kill % 4)))
      const victim = killed === 'source' ? source : sink
      await victim.kill()
      assert.deepEqual(tornFiles(source, sink), [])
      await victim.start()
    }
    await source.request('PATCH', '/rest/config/options', { maxSendKbps: 0 })
    const convergedMs = await untilInSync(pair, { limitMs: 90_000 })
    for (const { root } of pair) {
      assert.deepEqual(temporaries(root), [])
      assert.deepEqual(conflictCopies(root), [])
    }
    reportRow({
      id: `sync-kill-${killed}`,
      tried: kills,
      source: sourceKind,
      sink: sinkKind,
      convergedMs: Math.round(convergedMs),
    })
  })
}
