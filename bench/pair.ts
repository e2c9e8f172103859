import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { field, firstScan, FOLDER, type ScanFigures } from './measure.ts'
import { freePort, Running, type Program } from './program.ts'
import type { Tree } from './tree.ts'

const SYNC_LIMIT_MS = 600_000
/** For many files: 25 minutes for a million. */
const FILE_LIMIT_MS = 1.5
/** In seconds: Syncthing dials a resumed device only after this time since the last dial. */
const RECONNECTION_S = 5
const SETTLE_MS = RECONNECTION_S * 1_000 + 300
/**
 * This many files are not removed until the bench ends: for minutes after a deletion ext4 skips the freed inodes one by
 * one when it creates files, which would slow down the next measurement.
 */
const LEFT_FILES_MIN = 1_000

/** The source and the sink. */
export interface PairPrograms {
  readonly source: Program
  readonly sink: Program
}

export interface PairRoute {
  /** The relay at which the source reaches the sink, instead of directly. */
  readonly relay?: string
  /** The sink is untrusted: it gets data that is encrypted with this password. */
  readonly password?: string
}

export interface SyncFigures {
  /** From the sink's event that it is connected (or from `sinceMs`) to the event that it needs nothing more. */
  readonly elapsedMs: number
  readonly sourceCpuS: number
  readonly sinkCpuS: number
  /** What the source sent and received, as it counts itself: messages, without what TLS adds. */
  readonly wireBytes: number
}

interface Device {
  readonly running: Running
  readonly home: string
  readonly id: string
  readonly address: string
}

/** Two daemons that share one folder. The source has scanned it, the sink is empty; they are not connected yet. */
export class Pair implements AsyncDisposable {
  readonly source: Running
  readonly sink: Running
  readonly sinkRoot: string
  /** The first scan at the source. */
  readonly scan: ScanFigures
  readonly #sinkId: string
  readonly #feed: EventFeed
  readonly #sourceFeed: EventFeed
  /** Removed at the end; undefined: removed with the whole directory. */
  readonly #scratch: string | undefined

  private constructor(parts: {
    source: Device
    sink: Device
    sinkRoot: string
    scratch: string | undefined
    scan: ScanFigures
    feed: EventFeed
    sourceFeed: EventFeed
  }) {
    this.source = parts.source.running
    this.sink = parts.sink.running
    this.sinkRoot = parts.sinkRoot
    this.scan = parts.scan
    this.#sinkId = parts.sink.id
    this.#feed = parts.feed
    this.#sourceFeed = parts.sourceFeed
    this.#scratch = parts.scratch
  }

  static async start(
    { source, sink }: PairPrograms,
    tree: Tree,
    scratch: string,
    { relay, password = '' }: PairRoute = {},
  ): Promise<Pair> {
    const own = mkdtempSync(join(scratch, 'pair-'))
    const sinkRoot = join(own, 'sink')
    mkdirSync(sinkRoot)
    await using started = new AsyncDisposableStack()
    const isRelayed = relay !== undefined
    const giver = await startDevice(source, join(own, 'source-home'), started, { isRelayed, relay: undefined })
    const taker = await startDevice(sink, join(own, 'sink-home'), started, { isRelayed, relay })
    await introduce(giver, taker, { addresses: [taker.address], paused: true })
    await introduce(taker, giver, { addresses: ['dynamic'] }) // it has no address of the source: only one side dials
    const devices = [{ deviceID: giver.id }, { deviceID: taker.id, encryptionPassword: password }]
    const scan = await firstScan(giver.running, tree, { devices })
    const type = password === '' ? 'sendreceive' : 'receiveencrypted'
    const members = devices.map(({ deviceID }) => ({ deviceID }))
    await firstScan(taker.running, { ...tree, path: sinkRoot, files: 0 }, { devices: members, type })
    const feed = await EventFeed.open(taker.running, 'DeviceConnected,StateChanged')
    const sourceFeed = await EventFeed.open(giver.running, 'DeviceConnected,DeviceDisconnected')
    started.move()
    return new Pair({
      source: giver,
      sink: taker,
      sinkRoot,
      scratch: tree.files < LEFT_FILES_MIN ? own : undefined,
      scan,
      feed,
      sourceFeed,
    })
  }

  /** Connects the two; resolves when the sink has everything. */
  async connect(files: number): Promise<SyncFigures> {
    return await this.#measured(files, undefined, async () => {
      await this.source.call('PATCH', `/rest/config/devices/${this.#sinkId}`, { paused: false })
    })
  }

  /** Pauses the sink at the source and resumes it; the time from that request to the event that it is connected. */
  async resume(): Promise<number> {
    await this.#sourceFeed.next(0)
    await this.source.call('POST', `/rest/system/pause?device=${this.#sinkId}`)
    await this.#sourceEvent('DeviceDisconnected')
    return await this.resumeFirst()
  }

  /** The same for the sink as it is after `start`: paused, and neither daemon has had a connection. */
  async resumeFirst(): Promise<number> {
    await new Promise((done) => setTimeout(done, SETTLE_MS))
    const startedMs = performance.timeOrigin + performance.now()
    const resumed = this.source.call('POST', `/rest/system/resume?device=${this.#sinkId}`)
    const connectedMs = await this.#sourceEvent('DeviceConnected')
    await resumed
    return connectedMs - startedMs
  }

  /** The time of the next event of this type. */
  async #sourceEvent(wanted: string): Promise<number> {
    for (;;) {
      const found = (await this.#sourceFeed.next()).find(({ type }) => type === wanted)
      if (found !== undefined) return found.timeMs
    }
  }

  /** The source scans; resolves when the sink has what was found. Timed from the end of the scan. */
  async scanned(files: number, sub: string): Promise<SyncFigures> {
    return await this.#measured(files, 'action', async () => {
      await this.source.call('POST', `/rest/db/scan?folder=${FOLDER}&sub=${encodeURIComponent(sub)}`)
    })
  }

  async #measured(files: number, since: 'action' | undefined, act: () => Promise<void>): Promise<SyncFigures> {
    const sourceCpuBefore = this.source.cpuSeconds()
    const sinkCpuBefore = this.sink.cpuSeconds()
    const bytesBefore = await this.#wireBytes()
    await act()
    let startedMs = since === 'action' ? Date.now() : Number.NaN
    let syncing = false
    const limitMs = Math.max(SYNC_LIMIT_MS, files * FILE_LIMIT_MS)
    const deadlineMs = Date.now() + limitMs
    while (Date.now() < deadlineMs) {
      for (const { type, timeMs, data } of await this.#feed.next()) {
        // Syncthing 2 opens further connections to a device seconds later, each with an event of its own.
        if (type === 'DeviceConnected' && Number.isNaN(startedMs)) startedMs = timeMs
        if (type !== 'StateChanged') continue
        const to = field(data, 'to')
        syncing ||= to === 'syncing'
        if (to !== 'idle' || !syncing) continue
        const sourceCpuS = this.source.cpuSeconds() - sourceCpuBefore
        const sinkCpuS = this.sink.cpuSeconds() - sinkCpuBefore
        if (!(await this.#isInSync(files))) continue
        return {
          elapsedMs: timeMs - startedMs,
          sourceCpuS,
          sinkCpuS,
          wireBytes: (await this.#wireBytes()) - bytesBefore,
        }
      }
    }
    throw new Error(`not in sync within ${limitMs} ms: ${JSON.stringify(await this.#sinkStatus())}`)
  }

  async #sinkStatus(): Promise<unknown> {
    return await this.sink.call('GET', `/rest/db/status?folder=${FOLDER}`)
  }

  async #isInSync(files: number): Promise<boolean> {
    const status = await this.#sinkStatus()
    return field(status, 'needTotalItems') === 0 && field(status, 'localFiles') === files
  }

  async #wireBytes(): Promise<number> {
    const { connections } = Object(await this.source.call('GET', '/rest/system/connections'))
    const own = field(connections, this.#sinkId)
    return Number(field(own, 'outBytesTotal') ?? 0) + Number(field(own, 'inBytesTotal') ?? 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.source, this.sink].map((running) => running[Symbol.asyncDispose]()))
    if (this.#scratch !== undefined) rmSync(this.#scratch, { recursive: true, force: true })
  }
}

async function startDevice(
  program: Program,
  home: string,
  stack: AsyncDisposableStack,
  listen: { readonly relay: string | undefined; readonly isRelayed: boolean },
): Promise<Device> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  program.makeHome(home)
  const { running } = await Running.start(program, home)
  stack.use(running)
  const address = listen.relay ?? `tcp://127.0.0.1:${await freePort()}`
  await running.call('PATCH', '/rest/config/options', {
    listenAddresses: [address],
    globalAnnounceEnabled: false,
    localAnnounceEnabled: false,
    relaysEnabled: listen.isRelayed,
    relayReconnectIntervalM: 1,
    natEnabled: false,
    crashReportingEnabled: false,
    reconnectionIntervalS: RECONNECTION_S,
  })
  const id = String(field(await running.call('GET', '/rest/system/status'), 'myID'))
  return { running, home, id, address }
}

async function introduce(
  to: Device,
  whom: Device,
  more: { readonly addresses: readonly string[]; readonly paused?: boolean },
): Promise<void> {
  await to.running.call('POST', '/rest/config/devices', { deviceID: whom.id, name: 'peer', ...more })
}

interface SyncEvent {
  readonly type: string
  /** The time of the event, by the clock of its device. */
  readonly timeMs: number
  readonly data: unknown
}

/** New events of a daemon, in order. */
class EventFeed {
  readonly #running: Running
  readonly #mask: string
  #since = 0

  private constructor(running: Running, mask: string) {
    this.#running = running
    this.#mask = mask
  }

  static async open(running: Running, mask: string): Promise<EventFeed> {
    const feed = new EventFeed(running, mask)
    await feed.next(0) // what happened so far is of no interest
    return feed
  }

  async next(timeoutS = 60): Promise<readonly SyncEvent[]> {
    const events = await this.#running.call(
      'GET',
      `/rest/events?events=${this.#mask}&since=${this.#since}&timeout=${timeoutS}`,
    )
    if (!Array.isArray(events)) throw new Error('events are no list')
    this.#since = Number(field(events.at(-1), 'id') ?? this.#since)
    return events.map((event: unknown) => {
      return {
        type: String(field(event, 'type')),
        timeMs: Date.parse(String(field(event, 'time'))),
        data: field(event, 'data'),
      }
    })
  }
}
