/**
 * One command that measures Twinfold, a real Syncthing and the limits of the machine, interleaved.
 * Nothing here is an assertion: it prints a table, and every single figure as a line of JSON on demand.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AGAINST_ROWS, runAgainst } from './against.ts'
import { missingProgram } from '../test/support/debian.ts'
import { loopbackOnly, missingNamespaces } from '../test/support/loopback.ts'
import { hasWayOut } from '../test/support/syncthing.ts'
import { missingSyncthingProgram, syncthingProgram } from '../test/support/syncthing-program.ts'
import type { Bench } from './bench-options.ts'
import { drawCharts } from './charts.ts'
import { manyDevices } from './devices-group.ts'
import { ENCRYPTED_GROUPS } from './encrypted-groups.ts'
import { manyFolders } from './folders-group.ts'
import { GROUPS as SINGLE_GROUPS } from './groups.ts'
import type { Program } from './program.ts'
import { largeIndexes } from './large-group.ts'
import { syncMany } from './many-group.ts'
import { peerIndex } from './peer-group.ts'
import { REACH_GROUPS } from './reach-groups.ts'
import { cloneCommit, type ScratchClone } from './scratch-clone.ts'
import { rowInfos, syncRowInfos, type Sample, type Sizes } from './rows.ts'
import { syncSinks } from './sinks-group.ts'
import { SYNC_GROUPS } from './sync-groups.ts'
import { DEBIAN, findSyncthing, syncthingAt, syncthingNames } from './syncthing.ts'
import { renderPairTable, renderTable } from './table.ts'
import { removeAllTrees } from './tree.ts'
import { twinfold, twinfoldOf } from './twinfold.ts'

const GROUPS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  ...SINGLE_GROUPS,
  ...SYNC_GROUPS,
  ...REACH_GROUPS,
  ...ENCRYPTED_GROUPS,
  index: largeIndexes,
  'sync-many': syncMany,
  sinks: syncSinks,
  peer: peerIndex,
  devices: manyDevices,
  folders: manyFolders,
}
const INSIDE = 'TWINFOLD_BENCH_INSIDE'
/** Where the commit is that `--against` names. */
const CLONE = 'TWINFOLD_BENCH_CLONE'
const USAGE = `usage: npm run bench -- [--rows ${Object.keys(GROUPS).join(',')}] [--rounds N] [--quick]
                       [--million] [--indexes N,N]
                       [--syncthing PATH|debian]... [--only twinfold,syncthing] [--json FILE] [--keep]
                       [--against COMMIT [--pairs N]]
       npm run bench -- --charts FILE [--charts FILE]... [--out DIRECTORY]   draws what --json wrote, measures nothing
       npm run bench -- --help`

const FULL: Sizes = {
  largeFiles: 4,
  largeMib: 512,
  small: 50_000,
  growth: [10_000, 50_000, 200_000],
  latency: 200_000,
  indexes: [100_000, 1_000_000],
  syncLargeMib: 1_024,
  syncSmall: 10_000,
  many: [10_000, 100_000],
  sinks: [1, 5],
  sinksMib: 64,
  peerRecords: [1_000_000],
  devices: [100],
  folders: [1_000],
}
const QUICK: Sizes = {
  largeFiles: 4,
  largeMib: 64,
  small: 10_000,
  growth: [2_000, 10_000],
  latency: 10_000,
  indexes: [10_000, 100_000],
  syncLargeMib: 128,
  syncSmall: 2_000,
  many: [1_000, 10_000],
  sinks: [1, 5],
  sinksMib: 32,
  peerRecords: [20_000],
  devices: [10],
  folders: [50],
}

function options() {
  try {
    const { values } = parseArgs({
      options: {
        rows: { type: 'string' },
        against: { type: 'string' },
        pairs: { type: 'string', default: '5' },
        rounds: { type: 'string' },
        syncthing: { type: 'string', multiple: true, default: [DEBIAN] },
        only: { type: 'string', default: 'twinfold,syncthing' },
        quick: { type: 'boolean', default: false },
        indexes: { type: 'string' },
        million: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        json: { type: 'string' },
        charts: { type: 'string', multiple: true },
        out: { type: 'string', default: join(import.meta.dirname, '..', 'docs', 'charts') },
        help: { type: 'boolean', default: false },
      },
    })
    return values
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  }
}

function counts(text: string): readonly number[] {
  const values = text.split(',').map(Number)
  if (!values.every((value) => Number.isInteger(value) && value > 0)) fail(`--indexes takes whole numbers\n${USAGE}`)
  return values
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

/** Programs are installed over the network; everything else runs with loopback only. */
async function enterNamespace(against: string | undefined, syncthings: readonly string[]): Promise<never> {
  missingProgram('wrk', 'wrk')
  missingProgram('rsync', 'rsync')
  if (against === undefined && syncthings.includes(DEBIAN)) missingSyncthingProgram()
  using clone = against === undefined ? undefined : clonedOrFail(against)
  const more = clone === undefined ? {} : { [CLONE]: clone.path }
  const before = missingNamespaces() === undefined ? loopbackOnly() : []
  const [program, ...args] = [...before, process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const child = spawn(program!, args, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1', ...more } })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void child.kill(signal))
  await once(child, 'exit')
  clone?.[Symbol.dispose]()
  process.exit(child.exitCode ?? 1)
}

function clonedOrFail(commit: string): ScratchClone {
  try {
    return cloneCommit(commit)
  } catch (error) {
    return fail(`--against ${commit}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** What `--only` leaves of Twinfold and the Syncthings; one that was named and cannot be run ends the bench. */
function programs(only: readonly string[], syncthings: readonly string[]): readonly Program[] {
  const own = only.includes('twinfold') ? [twinfold] : []
  if (!only.includes('syncthing')) return own
  if (hasWayOut()) {
    console.error('*** Syncthing is left out: no network namespace could be made.')
    return own
  }
  const found = syncthings.map(findSyncthing)
  const usable = found.flatMap(({ path, version }) => {
    if (version !== undefined) return [{ path, version }]
    if (path !== syncthingProgram()) fail(`--syncthing ${path}: it prints no version`)
    console.error(`*** Syncthing is left out: ${path} could not be got or run.`)
    return []
  })
  const names = syncthingNames(usable.map(({ version }) => version))
  for (const { version } of usable) console.log(version)
  return [...own, ...usable.map(({ path }, place) => syncthingAt(path, names[place]!))]
}

function describeMachine(): void {
  const [cpu] = cpus()
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')
  console.log(
    `${cpus().length} x ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ` +
      `${process.version}, load ${load}`,
  )
}

async function main(): Promise<void> {
  const chosen = options()
  if (chosen.help) {
    console.log(USAGE)
    return
  }
  if (chosen.charts !== undefined) {
    for (const file of drawCharts(chosen.charts, chosen.out)) console.log(join(chosen.out, file))
    return
  }
  if (process.env[INSIDE] !== '1') await enterNamespace(chosen.against, chosen.syncthing)
  const groups = (chosen.rows ?? (chosen.against === undefined ? Object.keys(GROUPS).join(',') : AGAINST_ROWS)).split(
    ',',
  )
  const unknown = groups.filter((name) => !Object.hasOwn(GROUPS, name))
  if (unknown.length > 0) fail(`unknown rows: ${unknown.join(', ')}\n${USAGE}`)
  const rounds = Number(chosen.rounds ?? (chosen.quick ? 2 : 5))
  if (!Number.isInteger(rounds) || rounds < 1) fail(`--rounds takes a whole number above 0\n${USAGE}`)
  const base = chosen.quick ? QUICK : FULL
  const sizes = {
    ...base,
    ...(chosen.million && { growth: [...base.growth, 1_000_000], many: [...base.many, 1_000_000] }),
    ...(chosen.indexes !== undefined && { indexes: counts(chosen.indexes), peerRecords: counts(chosen.indexes) }),
  }
  const samples: Sample[] = []
  const scratch = mkdtempSync(join(tmpdir(), 'twinfold-bench-'))
  if (chosen.json !== undefined) writeFileSync(chosen.json, '')
  const record = (sample: Sample) => {
    samples.push(sample)
    if (chosen.json !== undefined) appendFileSync(chosen.json, `${JSON.stringify(sample)}\n`)
  }
  describeMachine()
  const bench: Bench = {
    programs: chosen.against === undefined ? programs(chosen.only.split(','), chosen.syncthing) : [twinfold],
    sizes,
    rounds,
    repeats: chosen.quick ? 50 : 200,
    scratch,
    record,
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
  process.on('exit', () => {
    rmSync(scratch, { recursive: true, force: true })
    if (!chosen.keep) removeAllTrees()
  })
  if (chosen.against !== undefined) return await compareWith(chosen.against, chosen.pairs, groups, bench, !chosen.quick)
  for (const name of groups) await runGroup(name, bench)
  const paired = samples.some(({ row }) => row.startsWith('sync-'))
  const single = samples.some(({ row }) => !row.startsWith('sync-'))
  if (single) console.log(`\n${renderTable(rowInfos(sizes, !chosen.quick), samples)}`)
  if (paired) console.log(`\n${renderPairTable(syncRowInfos(sizes, !chosen.quick), samples)}`)
}

async function compareWith(
  commit: string,
  pairsText: string,
  names: readonly string[],
  bench: Bench,
  full: boolean,
): Promise<void> {
  const pairs = Number(pairsText)
  if (!Number.isInteger(pairs) || pairs < 2) fail(`--pairs takes a whole number above 1\n${USAGE}`)
  const infos = new Map([...rowInfos(bench.sizes, full), ...syncRowInfos(bench.sizes, full)])
  const groups = names.map((name) => [name, GROUPS[name]!] as const)
  const before = await twinfoldOf(process.env[CLONE] ?? '')
  console.log(`${commit} → this tree, ${pairs} pairs`)
  const after = await twinfoldOf()
  if (await runAgainst(bench, { commit, before, after, pairs, infos, groups })) return
  process.exitCode = 1
}

/** A failing group keeps the figures of the others; the command still exits with 1. */
async function runGroup(name: string, bench: Bench): Promise<void> {
  const startedMs = performance.now()
  try {
    await GROUPS[name]?.(bench)
    console.error(`${name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  } catch (error) {
    console.error(`${name} failed:`, error)
    process.exitCode = 1
  }
}

await main()
