import type { ConnectionFigures } from '../../connections/types.ts'
import type { DeviceId } from '../../core/ids.ts'
import { counter, gauge, type Metric, type Sample } from '../../core/formats/prometheus.ts'
import type { Clock } from '../../platform/clock.ts'
import { folderMetrics, type FolderMetricsDeps } from './folder-metrics.ts'
import { syncMetrics, type SyncMetricsDeps } from './sync-metrics.ts'
import type { PathFigures } from '../pipeline/meter.ts'
import type { EventCountsView, RestDisk, SystemView, VersionFacts } from '../types.ts'

export interface MetricsDeps extends FolderMetricsDeps, SyncMetricsDeps {
  readonly clock: Clock
  readonly disk: RestDisk
  readonly system: SystemView
  readonly eventCounts?: EventCountsView
  /** The number and the durations of requests per route. */
  requests(): ReadonlyMap<string, PathFigures>
}

export interface MetricsOptions {
  readonly ownDevice: DeviceId
  readonly version: VersionFacts
  readonly databaseDirectory: string
  readonly startedMs: number
}

/** All metrics of `GET /metrics`, with Syncthing's names where it has the same metric. */
export async function collectMetrics(deps: MetricsDeps, options: MetricsOptions): Promise<readonly Metric[]> {
  return [
    buildInfo(options),
    ...configuration(deps),
    ...connections(deps, options.ownDevice),
    ...events(deps),
    ...(await folderMetrics(deps)),
    ...(await syncMetrics(deps, options.ownDevice)),
    gauge('twinfold_index_bytes', 'Size of the databases on disk.', [
      { value: await indexBytes(deps.disk, options.databaseDirectory) },
    ]),
    ...requests(deps),
    ...processFigures(deps, options.startedMs),
  ]
}

function buildInfo({ version: { version, codename, runtime, tags } }: MetricsOptions): Metric {
  const labels = { program: 'twinfold', version, codename, runtime, tags: tags.join(',') }
  return gauge('syncthing_build_info', 'Which program and version this is; always 1.', [{ labels, value: 1 }])
}

function configuration({ config }: MetricsDeps): readonly Metric[] {
  const { devices, folders } = config.current
  return [
    gauge(
      'syncthing_config_folder_info',
      'The folders of the configuration; always 1.',
      folders.map(({ id, label, type, path, paused }) => ({
        labels: { folder: id, label, type, path, paused: String(paused) },
        value: 1,
      })),
    ),
    gauge(
      'syncthing_config_device_info',
      'The devices of the configuration; always 1.',
      devices.map((device) => ({
        labels: {
          device: device.deviceID,
          name: device.name,
          introducer: String(device.introducer),
          paused: String(device.paused),
          untrusted: String(device.untrusted),
        },
        value: 1,
      })),
    ),
  ]
}

/** Figures count from the start of the current connections: a drop is a counter reset. */
function connections({ config, connections: view }: MetricsDeps, ownDevice: DeviceId): readonly Metric[] {
  const others = config.current.devices.map(({ deviceID }) => deviceID).filter((id) => id !== ownDevice)
  const status = view?.status()
  const perDevice = (value: (connection: ConnectionFigures) => number) =>
    others.map((device): Sample => {
      const figures = status?.devices.get(device)
      const all = figures === undefined ? [] : [figures.primary, ...figures.secondary]
      return { labels: { device }, value: all.reduce((sum, connection) => sum + value(connection), 0) }
    })
  const total = (value: number | undefined) => (value === undefined ? [] : [{ value }])
  return [
    gauge(
      'syncthing_connections_active',
      'Connections to each device; 0 when it is not connected.',
      perDevice(() => 1),
    ),
    ...PER_DEVICE.map(([name, help, value]) => counter(`syncthing_protocol_${name}_total`, help, perDevice(value))),
    counter(
      'twinfold_protocol_recv_bytes_total',
      'Bytes received from all devices since the start.',
      total(status?.inBytesTotal),
    ),
    counter(
      'twinfold_protocol_sent_bytes_total',
      'Bytes sent to all devices since the start.',
      total(status?.outBytesTotal),
    ),
  ]
}

const PER_DEVICE: readonly (readonly [name: string, help: string, value: (of: ConnectionFigures) => number])[] = [
  ['recv_bytes', 'Bytes received from each device over its present connections.', (of) => of.inBytesTotal],
  ['sent_bytes', 'Bytes sent to each device over its present connections.', (of) => of.outBytesTotal],
  ['recv_messages', 'Messages received from each device.', ({ messages }) => messages.received],
  ['sent_messages', 'Messages sent to each device.', ({ messages }) => messages.sent],
  [
    'recv_decompressed_bytes',
    'Bytes of the messages received, uncompressed.',
    ({ messages }) => messages.receivedBytes,
  ],
  ['sent_uncompressed_bytes', 'Bytes of the messages sent, before compression.', ({ messages }) => messages.sentBytes],
]

function events({ eventCounts }: MetricsDeps): readonly Metric[] {
  const seen = [...(eventCounts?.() ?? [])].filter(([, { created }]) => created > 0)
  const samples = seen.flatMap(([event, counts]) => [
    { labels: { event, state: 'created' }, value: counts.created },
    { labels: { event, state: 'delivered' }, value: counts.delivered },
    { labels: { event, state: 'dropped' }, value: counts.dropped },
  ])
  return [counter('syncthing_events_total', 'Events that were created, delivered and dropped.', samples)]
}

async function indexBytes(disk: RestDisk, directory: string): Promise<number> {
  let total = 0
  const names = await disk.list(directory).catch(() => []) // an index in memory has no directory
  for (const { name, valid } of names) {
    if (!valid) continue
    const found = await disk.lstat(`${directory}/${name}`).catch(() => undefined) // deleted since
    if (found?.type === 'file') total += found.sizeBytes
  }
  return total
}

function requests(deps: MetricsDeps): readonly Metric[] {
  const all = [...deps.requests()]
  return [
    counter(
      'twinfold_http_requests_total',
      'Requests to each path of this interface.',
      all.map(([path, { count }]) => ({ labels: { path }, value: count })),
    ),
    counter(
      'twinfold_http_request_seconds_total',
      'Duration of requests by path.',
      all.map(([path, { sumMs }]) => ({ labels: { path }, value: sumMs / 1_000 })),
    ),
  ]
}

/** The names that exporters for Node and for any process use. */
function processFigures({ clock, system }: MetricsDeps, startedMs: number): readonly Metric[] {
  const figures = system.process.figures()
  const one = (value: number | undefined) => (value === undefined ? [] : [{ value }])
  return [
    counter('process_cpu_seconds_total', 'Time of processors used.', one(figures.cpuS)),
    counter('process_cpu_user_seconds_total', 'Of that, in our own code.', one(figures.cpuS - figures.cpuSystemS)),
    counter('process_cpu_system_seconds_total', 'Of that, in the system.', one(figures.cpuSystemS)),
    gauge('process_resident_memory_bytes', 'Memory held.', one(figures.residentBytes)),
    gauge('process_open_fds', 'Open files and sockets.', one(figures.openFiles)),
    gauge('process_start_time_seconds', 'When the process started.', one(startedMs / 1_000)),
    gauge(
      'process_uptime_seconds',
      'How long it has been running.',
      one(Math.max(0, clock.nowMs() - startedMs) / 1_000),
    ),
    gauge('nodejs_heap_size_used_bytes', 'Memory of the heap in use.', one(figures.heapUsedBytes)),
    gauge('nodejs_heap_size_total_bytes', 'Memory of the heap.', one(figures.heapTotalBytes)),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers outside of the heap.', one(figures.externalBytes)),
    counter('twinfold_eventloop_busy_seconds_total', 'How long the main loop was at work.', one(figures.loopBusyS)),
    counter('twinfold_eventloop_idle_seconds_total', 'How long the main loop waited for work.', one(figures.loopIdleS)),
    counter('twinfold_eventloop_rounds_total', 'How often the main loop went round.', one(figures.loopCount)),
    counter('twinfold_unhandled_failures_total', 'Unhandled failures: bugs, with their stacks in the log.', [
      { labels: { kind: 'rejection' }, value: figures.unhandledRejections },
      { labels: { kind: 'exception' }, value: figures.unhandledExceptions },
    ]),
  ]
}
