/** What is measured of whom. `limit` is what one Node thread reaches with nothing else to do. */
export type Subject = 'limit' | 'twinfold' | 'syncthing'

export interface Sample {
  readonly row: string
  readonly subject: Subject
  readonly value: number
  readonly cpuS?: number
  readonly peakRssMib?: number
}

export interface RowInfo {
  readonly title: string
  readonly unit: 'ms' | 'requests/s' | 'MiB' | 'µs/file' | 'B/file'
  readonly better: 'less' | 'more'
  /** Against the limit of the same run, or in the unit of the row. Shown, never asserted. */
  readonly goal?: { readonly ofLimit: number } | { readonly atMost: number }
}

export type Sizes = {
  readonly largeFiles: number
  readonly largeMib: number
  readonly small: number
  readonly growth: readonly number[]
  readonly latency: number
}

const thousands = (count: number) => count.toLocaleString('en-US')

/** Every row of the table in the order shown. Goals hold for the full sizes only. */
export function rowInfos(sizes: Sizes, full: boolean): ReadonlyMap<string, RowInfo> {
  const goal = <G extends NonNullable<RowInfo['goal']>>(value: G) => (full ? { goal: value } : {})
  const small = thousands(sizes.small)
  const rows: [string, RowInfo][] = [
    ['first-large', { title: `first scan, ${sizes.largeFiles} x ${sizes.largeMib} MiB`, unit: 'ms', better: 'less', ...goal({ ofLimit: 1.5 }) }],
    ['first-small', { title: `first scan, ${small} files`, unit: 'ms', better: 'less', ...goal({ ofLimit: 0.4 }) }],
    ['first-small-rss', { title: `peak RSS, first scan of ${small}`, unit: 'MiB', better: 'less', ...goal({ atMost: 160 }) }],
    ['rescan', { title: `rescan, nothing changed, ${small} files`, unit: 'ms', better: 'less', ...goal({ ofLimit: 0.4 }) }],
    ['sub-same', { title: 'rescan of one unchanged file by sub', unit: 'ms', better: 'less', ...goal({ atMost: 2 }) }],
    ['sub-changed', { title: 'rescan of one changed file by sub', unit: 'ms', better: 'less', ...goal({ atMost: 2 }) }],
    ['ping', { title: 'GET /rest/system/ping', unit: 'requests/s', better: 'more', ...goal({ ofLimit: 0.7 }) }],
    ['debug', { title: 'GET /rest/system/debug', unit: 'requests/s', better: 'more', ...goal({ ofLimit: 0.7 }) }],
    ['start', { title: 'start to first ping', unit: 'ms', better: 'less', ...goal({ atMost: 350 }) }],
    ['idle-rss', { title: 'RSS idle, no folder', unit: 'MiB', better: 'less', ...goal({ atMost: 80 }) }],
    ...sizes.growth.flatMap((files): [string, RowInfo][] => [
      [`grow-${files}-time`, { title: `first scan per file, ${thousands(files)}`, unit: 'µs/file', better: 'less' }],
      [`grow-${files}-rss`, { title: `peak RSS, ${thousands(files)}`, unit: 'MiB', better: 'less', ...(files === 200_000 && goal({ atMost: 250 })) }],
      [`grow-${files}-db`, { title: `database per file, ${thousands(files)}`, unit: 'B/file', better: 'less' }],
    ]),
    ['latency-p50', { title: `ping during scan of ${thousands(sizes.latency)}, p50`, unit: 'ms', better: 'less' }],
    ['latency-p99', { title: `ping during scan of ${thousands(sizes.latency)}, p99`, unit: 'ms', better: 'less', ...goal({ atMost: 20 }) }],
    ['latency-max', { title: `ping during scan of ${thousands(sizes.latency)}, worst`, unit: 'ms', better: 'less' }],
  ]
  return new Map(rows)
}
