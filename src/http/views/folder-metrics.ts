import type { ConfigStore } from '../../config/types.ts'
import { counter, gauge, type Metric, type Sample } from '../../core/formats/prometheus.ts'
import type { Hub } from '../../model/model.ts'
import type { FolderWorkView, IndexWorkView } from '../types.ts'

export interface FolderMetricsDeps {
  readonly config: ConfigStore
  readonly hub: Pick<Hub, 'status' | 'guard'>
  readonly folderWork?: FolderWorkView
  readonly indexWork?: IndexWorkView
}

/** Syncthing's numbers. */
const STATE_NUMBERS: Readonly<Record<string, number>> = {
  idle: 0,
  scanning: 1,
  'scan-waiting': 2,
  'sync-waiting': 3,
  'sync-preparing': 4,
  syncing: 5,
  cleaning: 6,
  'clean-waiting': 7,
  error: 8,
  starting: 9,
}

/** The contents, the state and the counters of the folders. */
export async function folderMetrics(deps: FolderMetricsDeps): Promise<readonly Metric[]> {
  return [...(await stateMetrics(deps)), ...workMetrics(deps), ...indexMetrics(deps)]
}

/** Omits a folder whose status is not available. */
async function stateMetrics({ config, hub }: FolderMetricsDeps): Promise<readonly Metric[]> {
  const states: Sample[] = []
  const summaries: Sample[] = []
  const errors: Sample[] = []
  for (const { id: folder, paused } of config.current.folders) {
    const status = paused ? undefined : await hub.status(folder).catch(() => undefined)
    if (status === undefined) continue
    states.push({ labels: { folder }, value: STATE_NUMBERS[status.state] ?? -1 })
    errors.push({ labels: { folder }, value: status.errorCount })
    for (const scope of ['global', 'local', 'need'] as const) {
      for (const type of ['files', 'directories', 'symlinks', 'deleted', 'bytes'] as const) {
        summaries.push({ labels: { folder, scope, type }, value: status.counts[scope][type] })
      }
    }
  }
  return [
    gauge('syncthing_model_folder_state', 'What each folder is doing: 0 idle, 1 scanning, 5 syncing, 8 error.', states),
    gauge(
      'syncthing_model_folder_summary',
      'What is in each folder: everywhere, here, and still needed here.',
      summaries,
    ),
    gauge('twinfold_model_folder_errors', 'Items of each folder that could not be scanned or synchronized.', errors),
  ]
}

function workMetrics({ folderWork: view }: FolderMetricsDeps): readonly Metric[] {
  const all = [...(view?.() ?? [])]
  const each = (value: (work: (typeof all)[number][1]) => number): readonly Sample[] =>
    all.map(([folder, work]) => ({ labels: { folder }, value: value(work) }))
  return [
    counter(
      'syncthing_model_folder_scans_total',
      'Scans of each folder.',
      each(({ scans }) => scans),
    ),
    counter(
      'syncthing_model_folder_scan_seconds_total',
      'Time spent scanning each folder.',
      each(({ scanMs }) => scanMs / 1_000),
    ),
    counter(
      'syncthing_model_folder_pulls_total',
      'Pulls of each folder.',
      each(({ pulls }) => pulls),
    ),
    counter(
      'syncthing_model_folder_pull_seconds_total',
      'Time spent pulling each folder.',
      each(({ pullMs }) => pullMs / 1_000),
    ),
    counter(
      'syncthing_model_folder_processed_bytes_total',
      'Bytes of pulled files, by where they came from.',
      all.flatMap(([folder, { pulledBytes }]) =>
        Object.entries(pulledBytes).map(([source, value]) => ({ labels: { folder, source }, value })),
      ),
    ),
    counter(
      'syncthing_model_folder_conflicts_total',
      'Files of each folder that were put aside because another version won.',
      each(({ conflicts }) => conflicts),
    ),
    counter(
      'syncthing_scanner_hashed_bytes_total',
      'Bytes that scans read and hashed.',
      each(({ hashedBytes }) => hashedBytes),
    ),
    counter(
      'syncthing_scanner_scanned_items_total',
      'Items that scans checked.',
      each(({ scannedItems }) => scannedItems),
    ),
    gauge(
      'twinfold_scanner_bytes_per_second',
      'Hash rate of a scan in progress; 0 when none has lasted long enough to measure.',
      each(({ scanRate }) => scanRate),
    ),
  ]
}

/** Families of Syncthing 2.x, whose operations are the methods of its database; ours are of two kinds. */
function indexMetrics({ indexWork: view }: FolderMetricsDeps): readonly Metric[] {
  const all = [...(view?.() ?? [])]
  const each = (query: (work: (typeof all)[number][1]) => number, change: typeof query): readonly Sample[] =>
    all.flatMap(([folder, work]) => [
      { labels: { folder, operation: 'query' }, value: query(work) },
      { labels: { folder, operation: 'change' }, value: change(work) },
    ])
  return [
    gauge(
      'syncthing_db_operations_current',
      'Operations on the index of each folder that are running; always 0, because none runs beside a request.',
      each(
        () => 0,
        () => 0,
      ),
    ),
    counter(
      'syncthing_db_operations_total',
      'Operations on the index of each folder.',
      each(
        ({ queries }) => queries,
        ({ changes }) => changes,
      ),
    ),
    counter(
      'syncthing_db_operation_seconds_total',
      'Time spent in operations on the index of each folder.',
      each(
        ({ queryMs }) => queryMs / 1_000,
        ({ changeMs }) => changeMs / 1_000,
      ),
    ),
    counter(
      'syncthing_db_files_updated_total',
      'Records stored in the index of each folder, or removed from it.',
      all.map(([folder, { records }]) => ({ labels: { folder }, value: records })),
    ),
  ]
}
