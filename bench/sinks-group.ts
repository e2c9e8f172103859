import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Lan, missingLan, run, type Host } from '../test/support/lan.ts'
import type { Bench } from './bench-options.ts'
import { field, firstScan, FOLDER } from './measure.ts'
import { Running } from './program.ts'
import { twinfold } from './twinfold.ts'

const MIB = 1024 * 1024
const LINE = '100mbit'
const PORT = 22_000
const POLL_MS = 50
const LIMIT_MS = 300_000
/** 10 Mbit/s. */
const SLOW_KIB_PER_S = 1_221

interface Shape {
  readonly row: string
  readonly files: number
  /** One of the sinks receives slowly; the time is that of the others. */
  readonly hasSlow?: boolean
}

/** The same bytes as one file, of which devices exchange the blocks they have, and as several. */
const SHAPES: readonly Shape[] = [
  { row: 'one', files: 1 },
  { row: 'several', files: 64 },
  { row: 'many', files: 640 },
  { row: 'slow', files: 64, hasSlow: true },
]

interface Device {
  readonly running: Running
  readonly id: string
  readonly address: string
  readonly root: string
}

/** A source behind a slow line, and sinks that reach each other quickly: one sink, then five. */
export async function syncSinks(bench: Bench): Promise<void> {
  if (!bench.programs.includes(twinfold) || missingLan() !== undefined) return
  for (let round = 0; round < bench.rounds; round++) {
    for (const { row, files, hasSlow = false } of SHAPES) {
      const sizeBytes = Math.floor((bench.sizes.sinksMib * MIB) / files)
      for (const sinks of bench.sizes.sinks) {
        if (hasSlow && sinks === 1) continue
        const { elapsedMs, sentBytes, cpuS } = await distribute(bench.scratch, sinks, { files, sizeBytes, hasSlow })
        const record = (name: string, value: number) =>
          bench.record({ row: `sinks-${row}-${sinks}-${name}`, subject: 'twinfold', value, cpuS })
        record('time', elapsedMs / 1000)
        record('sent', sentBytes / MIB)
      }
    }
  }
}

async function distribute(
  scratch: string,
  sinks: number,
  { files, sizeBytes, hasSlow }: { readonly files: number; readonly sizeBytes: number; readonly hasSlow: boolean },
): Promise<{ readonly elapsedMs: number; readonly sentBytes: number; readonly cpuS: number }> {
  const own = mkdtempSync(join(scratch, 'sinks-'))
  await using lan = await Lan.make('10.99.1')
  await using daemons = new AsyncDisposableStack()
  lan.connect({ pid: process.pid }, 'bench0') // to send requests
  const devices: Device[] = []
  for (let place = 0; place <= sinks; place++) {
    const host = await lan.addHost()
    if (place === 0) run(...host.inside, 'tc', 'qdisc', 'add', 'dev', 'eth0', 'root', 'tbf', ...lineOptions())
    devices.push(await startDevice(host, join(own, String(place)), daemons))
  }
  await introduceAll(devices)
  const [source, ...others] = devices
  const slow = hasSlow ? others.pop() : undefined
  await slow?.running.call('PATCH', '/rest/config/options', { maxRecvKbps: SLOW_KIB_PER_S, limitBandwidthInLan: true })
  await until('connections', async () => {
    for (const each of devices) if ((await connectedOf(each)) < sinks) return false
    return true
  })
  for (let file = 0; file < files; file++) writeFileSync(join(source!.root, `file-${file}.bin`), randomBytes(sizeBytes))
  const cpuBefore = devices.reduce((sum, { running }) => sum + running.cpuSeconds(), 0)
  const sentBefore = await sentOf(source!)
  const startedMs = performance.now()
  await source!.running.call('POST', `/rest/db/scan?folder=${FOLDER}`)
  await until('sinks', async () => {
    for (const { running } of others) {
      const status = await running.call('GET', `/rest/db/status?folder=${FOLDER}`)
      if (field(status, 'localFiles') !== files || field(status, 'needTotalItems') !== 0) return false
    }
    return true
  })
  const elapsedMs = performance.now() - startedMs
  const sentBytes = (await sentOf(source!)) - sentBefore
  const cpuS = devices.reduce((sum, { running }) => sum + running.cpuSeconds(), 0) - cpuBefore
  await daemons.disposeAsync()
  rmSync(own, { recursive: true, force: true })
  return { elapsedMs, sentBytes, cpuS }
}

function lineOptions(): readonly string[] {
  return ['rate', LINE, 'burst', '256kb', 'latency', '100ms']
}

async function startDevice(host: Host, home: string, stack: AsyncDisposableStack): Promise<Device> {
  mkdirSync(home, { mode: 0o700 })
  twinfold.makeHome(home)
  const onHost = {
    ...twinfold,
    command: (...args: Parameters<typeof twinfold.command>) => {
      const { args: command, env } = twinfold.command(...args) // at most two
      return { args: [...host.inside, ...command], env }
    },
  }
  const { running } = await Running.start(onHost, home, host.address)
  stack.use(running)
  const address = `tcp://${host.address}:${PORT}`
  await running.call('PATCH', '/rest/config/options', {
    listenAddresses: [address],
    globalAnnounceEnabled: false,
    localAnnounceEnabled: false,
    relaysEnabled: false,
    natEnabled: false,
    crashReportingEnabled: false,
    reconnectionIntervalS: 5,
  })
  const id = String(field(await running.call('GET', '/rest/system/status'), 'myID'))
  const root = join(home, 'root')
  mkdirSync(root)
  return { running, id, address, root }
}

async function introduceAll(devices: readonly Device[]): Promise<void> {
  const members = devices.map(({ id }) => ({ deviceID: id }))
  for (const { running, id, root } of devices) {
    for (const other of devices) {
      if (other.id !== id)
        await running.call('POST', '/rest/config/devices', { deviceID: other.id, addresses: [other.address] })
    }
    const tree = { name: '', path: root, files: 0, sizeBytesMin: 0, sizeBytesMax: 0 }
    await firstScan(running, tree, { devices: members })
  }
}

async function connectedOf({ running }: Device): Promise<number> {
  const { connections } = Object(await running.call('GET', '/rest/system/connections'))
  return Object.values(Object(connections)).filter((each) => field(each, 'connected') === true).length
}

async function sentOf({ running }: Device): Promise<number> {
  const { total } = Object(await running.call('GET', '/rest/system/connections'))
  return Number(field(total, 'outBytesTotal') ?? 0)
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + LIMIT_MS
  while (!(await isDone())) {
    if (performance.now() > deadlineMs) throw new Error(`${what}: not within ${LIMIT_MS} ms`)
    await new Promise((done) => setTimeout(done, POLL_MS))
  }
}
