/** Measures what the history costs: records stored and files scanned with and without it, in turns. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceIdFromBytes } from '../src/core/device-id.ts'
import type { HistoryOrigin } from '../src/core/history/entry.ts'
import type { FileInfo } from '../src/core/records/file-info.ts'
import type { FolderIndex } from '../src/db/types.ts'
import { file, FOLDER, openTestStore } from '../test/db/records.ts'
import { scanDisk } from '../test/platform/node/scan-disk.ts'
import { scratchDirectory } from '../test/support/scratch.ts'

const FILES = 10_000
const BATCH = 500
const ROUNDS = 7
const PEER = deviceIdFromBytes(new Uint8Array(32).fill(7))

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunMs = cpuMs()
  await work()
  return cpuMs() - begunMs
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function records(round: string): readonly FileInfo[] {
  return Array.from({ length: FILES }, (_, i) => {
    const blockHashes = createHash('sha256').update(`${round}/${i}`).digest()
    return file(`Camera/2026/summer/IMG_${String(i).padStart(5, '0')}.jpg`, { blockHashes, modifiedNs: i })
  })
}

async function store(index: FolderIndex, all: readonly FileInfo[], origin: HistoryOrigin | undefined): Promise<void> {
  for (let at = 0; at < all.length; at += BATCH) await index.records.updateLocal(all.slice(at, at + BATCH), origin)
}

/** CPU time of storing all records: as a scan that finds them new, and as a pull that replaces them. */
async function stored(origin: 'scan' | 'pull', isRecorded: boolean): Promise<number> {
  using scratch = scratchDirectory()
  await using opened = await openTestStore(join(scratch.path, 'index'))
  const index = await opened.folder(FOLDER)
  if (origin === 'pull') {
    await store(index, records('old'), 'scan')
    await index.records.updateRemote(
      PEER,
      records('new').map((record, i) => ({ ...record, sequence: i + 1 })),
    )
  }
  await index.history.begin()
  const all = records('new')
  return await timed(() => store(index, all, isRecorded ? origin : undefined))
}

/** CPU time of a scan that finds as many small files as new, in a folder whose history has begun. */
async function scanned(isRecorded: boolean): Promise<number> {
  using scratch = scratchDirectory()
  await using opened = await openTestStore(join(scratch.path, 'index'))
  const index = await opened.folder(FOLDER)
  const root = join(scratch.path, 'folder')
  for (let i = 0; i < FILES; i++) {
    const directory = join(root, `d${Math.floor(i / 100)}`)
    if (i % 100 === 0) mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, `${i}.jpg`), `${i} `.repeat(500))
  }
  await index.history.begin()
  const { records: own } = index
  const unrecorded = Object.assign(Object.create(own) as typeof own, {
    updateLocal: (batch: readonly FileInfo[]) => own.updateLocal(batch),
    setDiskStamps: (stamps: ReadonlyMap<string, number>) => own.setDiskStamps(stamps),
    page: own.page.bind(own),
    get: own.get.bind(own),
    global: own.global.bind(own),
    localByBlocks: own.localByBlocks.bind(own),
  })
  return await timed(() => scanDisk(root, isRecorded ? own : unrecorded))
}

async function compare(title: string, run: (isRecorded: boolean) => Promise<number>): Promise<void> {
  const without: number[] = []
  const recorded: number[] = []
  await run(true)
  for (let round = 0; round < ROUNDS; round++) {
    const isFirst = round % 2 === 0
    for (const isRecorded of [isFirst, !isFirst]) (isRecorded ? recorded : without).push(await run(isRecorded))
  }
  const [a, b] = [median(without), median(recorded)]
  const perFile = ((b - a) / FILES) * 1_000
  const more = `${perFile.toFixed(2)} µs a file, ${((b / a - 1) * 100).toFixed(1)} %`
  console.log(`${title}: ${a.toFixed(0)} ms without, ${b.toFixed(0)} ms with: ${more}`)
}

await compare(`index, ${FILES} new records`, (isRecorded) => stored('scan', isRecorded))
await compare(`index, ${FILES} pulled records`, (isRecorded) => stored('pull', isRecorded))
await compare(`scan that finds ${FILES} new files, CPU time`, scanned)
