/** What copies small files, without a connection or an index, for comparison. */
export const RSYNC = 'rsync --fsync'
/** The least that two Node processes do to bring files from one to the other (`bare-child.mjs`). */
export const BARE = 'bare Node'
/** The measured rows by program. `limit` is the result of one Node thread without other load. */
export type Subject = 'limit' | typeof RSYNC | typeof BARE | ProgramName | PairName

/** With its version where the program was named by its path: `syncthing 2.1.3`. */
export type ProgramName = 'twinfold' | `syncthing${string}`
/** The source and the sink. */
export type PairName = `${ProgramName} > ${ProgramName}`

/** Twinfold, a Syncthing, or a pair of them; the others are there for comparison. */
export function isProgram(subject: Subject): boolean {
  return subject !== 'limit' && subject !== RSYNC && subject !== BARE
}

export interface Sample {
  readonly row: string
  readonly subject: Subject
  readonly value: number
  readonly cpuS?: number
  readonly peakRssMib?: number
  /** Resident memory after the work. */
  readonly rssMib?: number
}

export interface RowInfo {
  readonly title: string
  readonly unit:
    | 'ms'
    | 'requests/s'
    | 'MiB'
    | 'µs/file'
    | 'B/file'
    | 'MB/s'
    | 'files/s'
    | 'KiB'
    | 's'
    | 'polls'
    | 'µs/s'
  readonly better: 'less' | 'more'
  /** Against the limit of the same run, or in the unit of the row. Shown, never asserted. */
  readonly goal?: { readonly ofLimit: number } | { readonly atMost: number } | { readonly ofSyncthing: number }
}

export type Sizes = {
  readonly largeFiles: number
  readonly largeMib: number
  readonly small: number
  readonly growth: readonly number[]
  readonly latency: number
  /** Files in indexes that are written directly. */
  readonly indexes: readonly number[]
  /** One file that is synchronized, and many. */
  readonly syncLargeMib: number
  readonly syncSmall: number
  /** Tiny files that are synchronized. */
  readonly many: readonly number[]
  /** Devices behind one line, and what they get. */
  readonly sinks: readonly number[]
  readonly sinksMib: number
  /** Records of a device that connects. */
  readonly peerRecords: readonly number[]
  /** Connected devices, this one included, and folders of one device. */
  readonly devices: readonly number[]
  readonly folders: readonly number[]
}

const thousands = (count: number) => count.toLocaleString('en-US')

/** Every row of the table in the order shown. Goals hold for the full sizes only. */
export function rowInfos(sizes: Sizes, full: boolean): ReadonlyMap<string, RowInfo> {
  const goal = <G extends NonNullable<RowInfo['goal']>>(value: G) => (full ? { goal: value } : {})
  const small = thousands(sizes.small)
  const rows: [string, RowInfo][] = [
    [
      'first-large',
      {
        title: `first scan, ${sizes.largeFiles} x ${sizes.largeMib} MiB`,
        unit: 'ms',
        better: 'less',
        ...goal({ ofLimit: 1.5 }),
      },
    ],
    ['first-small', { title: `first scan, ${small} files`, unit: 'ms', better: 'less', ...goal({ ofLimit: 0.4 }) }],
    [
      'first-small-rss',
      { title: `peak RSS, first scan of ${small}`, unit: 'MiB', better: 'less', ...goal({ atMost: 140 }) },
    ],
    [
      'rescan',
      { title: `rescan, nothing changed, ${small} files`, unit: 'ms', better: 'less', ...goal({ ofLimit: 0.4 }) },
    ],
    [
      'sub-same',
      { title: 'rescan of one unchanged file by sub', unit: 'ms', better: 'less', ...goal({ atMost: 2.3 }) },
    ],
    [
      'sub-changed',
      { title: 'rescan of one changed file by sub', unit: 'ms', better: 'less', ...goal({ atMost: 2.3 }) },
    ],
    ['ping', { title: 'GET /rest/system/ping', unit: 'requests/s', better: 'more', ...goal({ ofSyncthing: 1 }) }],
    ['debug', { title: 'GET /rest/system/debug', unit: 'requests/s', better: 'more', ...goal({ ofLimit: 0.7 }) }],
    ...restRows(small, full),
    ['start', { title: 'start to first ping', unit: 'ms', better: 'less', ...goal({ atMost: 150 }) }],
    ['idle-rss', { title: 'RSS idle, no folder', unit: 'MiB', better: 'less', ...goal({ atMost: 65 }) }],
    ...sizes.growth.flatMap((files): [string, RowInfo][] => [
      [`grow-${files}-time`, { title: `first scan per file, ${thousands(files)}`, unit: 'µs/file', better: 'less' }],
      [
        `grow-${files}-rss`,
        {
          title: `peak RSS, ${thousands(files)}`,
          unit: 'MiB',
          better: 'less',
          ...(files === 200_000 && goal({ atMost: 250 })),
        },
      ],
      [`grow-${files}-db`, { title: `database per file, ${thousands(files)}`, unit: 'B/file', better: 'less' }],
    ]),
    ...sizes.indexes.flatMap((files) => indexRows(files, full)),
    ...sizes.sinks.flatMap((sinks) => sinksRows(sinks, sizes.sinksMib)),
    ...sizes.peerRecords.flatMap((records) => figureRows(`peer-${records}`, peerTitle(records), PEER_FIGURES)),
    ...sizes.devices.flatMap((devices) => figureRows(`devices-${devices}`, `${devices} devices`, DEVICES_FIGURES)),
    ...sizes.folders.flatMap((folders) => figureRows(`folders-${folders}`, `${folders} folders`, FOLDERS_FIGURES)),
    ['latency-p50', { title: `ping during scan of ${thousands(sizes.latency)}, p50`, unit: 'ms', better: 'less' }],
    ['latency-p99', { title: `ping during scan of ${thousands(sizes.latency)}, p99`, unit: 'ms', better: 'less' }],
    ['latency-max', { title: `ping during scan of ${thousands(sizes.latency)}, worst`, unit: 'ms', better: 'less' }],
  ]
  return new Map(rows)
}

type Figures = Readonly<Record<string, readonly [title: string, unit: RowInfo['unit'], goal?: number]>>

const peerTitle = (records: number) => `index of ${thousands(records)} received`

const PEER_FIGURES: Figures = {
  cpu: ['CPU', 'µs/file'],
  rate: ['records stored', 'files/s'],
  'delay-p99': ['event loop delay p99', 'ms', 20],
  'delay-max': ['event loop delay, longest', 'ms'],
  'turn-p99': ['CPU of 5 ms of the loop, p99', 'ms', 20],
  'turn-max': ['CPU of 5 ms of the loop, most', 'ms'],
  'ping-p99': ['ping p99', 'ms'],
  idle: ['RSS before', 'MiB'],
  peak: ['peak RSS', 'MiB'],
  rested: ['RSS 20 s after', 'MiB'],
}

const PHASES = { connect: 'connect, index sent', answer: 'their indexes received', announce: 'a new file announced' }

const DEVICES_FIGURES: Figures = {
  'rss-before': ['RSS before', 'MiB'],
  ...Object.fromEntries(
    Object.entries(PHASES).flatMap(([phase, title]): [string, Figures[string]][] => [
      [`${phase}-time`, [title, 'ms']],
      [`${phase}-cpu`, [`${title}, CPU`, 'ms']],
      [`${phase}-ping-p99`, [`${title}, ping p99`, 'ms']],
      [`${phase}-turn-max`, [`${title}, CPU of 5 ms of the loop, most`, 'ms']],
    ]),
  ),
  peak: ['peak RSS', 'MiB'],
  'idle-cpu': ['idle CPU', 'µs/s'],
  'idle-rss': ['RSS idle', 'MiB'],
}

const FOLDERS_FIGURES: Figures = {
  start: ['start to first ping', 'ms', 2_000],
  'start-cpu': ['CPU to the first ping', 'ms'],
  'settled-cpu': ['CPU until 20 s after the scans', 'ms'],
  'start-turn-max': ['start and scans, CPU of 5 ms of the loop, most', 'ms'],
  'idle-cpu': ['idle CPU', 'µs/s'],
  rss: ['RSS idle', 'MiB'],
  peak: ['peak RSS', 'MiB'],
  'ping-p99': ['ping p99', 'ms'],
  'status-cpu': ['db/status, CPU', 'ms'],
  'status-p99': ['db/status p99', 'ms'],
}

function figureRows(row: string, what: string, figures: Figures): [string, RowInfo][] {
  return Object.entries(figures).map(([name, [title, unit, atMost]]): [string, RowInfo] => [
    `${row}-${name}`,
    {
      title: `${what}, ${title}`,
      unit,
      better: unit === 'files/s' ? 'more' : 'less',
      ...(atMost !== undefined && { goal: { atMost } }),
    },
  ])
}

/** Requests about a loaded folder: how many in a second, and how long they take. */
function restRows(files: string, full: boolean): [string, RowInfo][] {
  const works = [
    ['rest-status', 'GET db/status', { ofLimit: 0.5 }],
    ['rest-need', 'GET db/need', { ofSyncthing: 10 }],
    ['rest-prio', 'POST db/prio', { ofSyncthing: 10 }],
    ['rest-browse', 'GET db/browse?levels=0', { ofSyncthing: 100 }],
  ] as const
  return works.flatMap(([row, title, goal]): [string, RowInfo][] => [
    [row, { title: `${title}, ${files} files`, unit: 'requests/s', better: 'more', ...(full && { goal }) }],
    [`${row}-p50`, { title: `${title}, p50`, unit: 'ms', better: 'less' }],
    [`${row}-p99`, { title: `${title}, p99`, unit: 'ms', better: 'less' }],
  ])
}

export interface LargeRequest {
  readonly row: string
  readonly title: string
  readonly method: 'GET' | 'POST'
  /** `{file}`, `{directory}`, `{group}`, `{base}`, `{page}` and `{other}` change or are filled in. */
  readonly path: string
  /** Until there is no `next`; the time is that of all requests together. */
  readonly isFollowed?: boolean
}

const folder = 'folder=bench'

/** What is asked about a large index: each request about another place in it. */
export const LARGE_REQUESTS: readonly LargeRequest[] = [
  { row: 'status', title: 'db/status', method: 'GET', path: `/rest/db/status?${folder}` },
  { row: 'file', title: 'db/file', method: 'GET', path: `/rest/db/file?${folder}&file={file}` },
  { row: 'completion', title: 'db/completion', method: 'GET', path: `/rest/db/completion?${folder}&device={other}` },
  { row: 'browse', title: 'db/browse, top', method: 'GET', path: `/rest/db/browse?${folder}&levels=0` },
  { row: 'below', title: 'db/browse below', method: 'GET', path: `/rest/db/browse?${folder}&levels=0&prefix={group}` },
  { row: 'need', title: 'db/need, page 1', method: 'GET', path: `/rest/db/need?${folder}&perpage=100` },
  {
    row: 'need-page',
    title: 'db/need, any page',
    method: 'GET',
    path: `/rest/db/need?${folder}&perpage=100&page={page}`,
  },
  { row: 'prio', title: 'db/prio', method: 'POST', path: `/rest/db/prio?${folder}&file={file}&perpage=100` },
  { row: 'why', title: 'twinfold/why', method: 'GET', path: `/rest/twinfold/why?${folder}&file={file}` },
  { row: 'tree', title: 'twinfold/tree, top', method: 'GET', path: `/rest/twinfold/tree?${folder}` },
  {
    row: 'tree-below',
    title: 'twinfold/tree below',
    method: 'GET',
    path: `/rest/twinfold/tree?${folder}&prefix={directory}`,
  },
  { row: 'waiting', title: 'twinfold/waiting', method: 'GET', path: `/rest/twinfold/waiting?${folder}` },
  {
    row: 'search',
    title: 'twinfold/search, many found',
    method: 'GET',
    path: `/rest/twinfold/search?${folder}&text=document`,
  },
  {
    row: 'search-one',
    title: 'twinfold/search, one request anywhere',
    method: 'GET',
    path: `/rest/twinfold/search?${folder}&text={base}&from={group}`,
  },
  {
    row: 'search-all',
    title: 'twinfold/search, one found of all',
    method: 'GET',
    path: `/rest/twinfold/search?${folder}&text={base}`,
    isFollowed: true,
  },
  { row: 'history', title: 'twinfold/history', method: 'GET', path: `/rest/twinfold/history?${folder}` },
  {
    row: 'history-file',
    title: 'twinfold/history of a file',
    method: 'GET',
    path: `/rest/twinfold/history?${folder}&file={file}`,
  },
]

function indexRows(files: number, full: boolean): [string, RowInfo][] {
  const ofFiles = `index of ${thousands(files)} files`
  const goal = full ? { goal: { atMost: 50 } } : {}
  return [
    [`index-${files}-start`, { title: `start to first ping, ${ofFiles}`, unit: 'ms', better: 'less' }],
    ...LARGE_REQUESTS.flatMap(({ row, title, isFollowed }): [string, RowInfo][] => [
      [`index-${files}-${row}-cpu`, { title: `${title}, ${ofFiles}, CPU`, unit: 'ms', better: 'less' }],
      [`index-${files}-${row}-p50`, { title: `${title}, ${ofFiles}, p50`, unit: 'ms', better: 'less' }],
      [
        `index-${files}-${row}-p99`,
        { title: `${title}, ${ofFiles}, p99`, unit: 'ms', better: 'less', ...(!isFollowed && goal) },
      ],
    ]),
    [
      `index-${files}-rss`,
      {
        title: `peak RSS of those requests, ${ofFiles}`,
        unit: 'MiB',
        better: 'less',
        ...(full && { goal: { atMost: 300 } }),
      },
    ],
  ]
}

/** The rows of two devices: goals are those of Twinfold with itself. */
export function syncRowInfos(sizes: Sizes, full: boolean): ReadonlyMap<string, RowInfo> {
  const goal = <G extends NonNullable<RowInfo['goal']>>(value: G) => (full ? { goal: value } : {})
  const large = `${thousands(sizes.syncLargeMib)} MiB`
  const small = `${thousands(sizes.syncSmall)} x 4 KiB`
  const oneBlockKib = 1_024
  const less = { better: 'less' } as const
  const rows: [string, RowInfo][] = [
    [
      'sync-large',
      { title: `${large}, connected to in sync`, unit: 'MB/s', better: 'more', ...goal({ ofLimit: 0.6 }) },
    ],
    ['sync-large-cpu', { title: `${large}, CPU of both ends`, unit: 's', ...less, ...goal({ atMost: 4.5 }) }],
    ['sync-large-source-rss', { title: `${large}, peak RSS source`, unit: 'MiB', ...less, ...goal({ atMost: 110 }) }],
    ['sync-large-sink-rss', { title: `${large}, peak RSS sink`, unit: 'MiB', ...less, ...goal({ atMost: 110 }) }],
    [
      'sync-small',
      { title: `${small}, connected to in sync`, unit: 'files/s', better: 'more', ...goal({ ofSyncthing: 2.6 }) },
    ],
    ['sync-small-cpu', { title: `${small}, CPU of both ends`, unit: 's', ...less, ...goal({ atMost: 6 }) }],
    ['sync-small-source-rss', { title: `${small}, peak RSS source`, unit: 'MiB', ...less, ...goal({ atMost: 130 }) }],
    ['sync-small-sink-rss', { title: `${small}, peak RSS sink`, unit: 'MiB', ...less, ...goal({ atMost: 130 }) }],
    [
      'sync-delta',
      { title: `4 KiB changed in ${large}, scanned to in sync`, unit: 'ms', ...less, ...goal({ atMost: 1_500 }) },
    ],
    [
      'sync-delta-wire',
      { title: `4 KiB changed in ${large}, bytes sent`, unit: 'KiB', ...less, ...goal({ atMost: 1.1 * oneBlockKib }) },
    ],
    [
      'sync-delta-missing',
      { title: `4 KiB changed in ${large}, polls without a file`, unit: 'polls', ...less, ...goal({ atMost: 0 }) },
    ],
    ['sync-one', { title: 'one new file, scan request to present', unit: 'ms', ...less, ...goal({ atMost: 8 }) }],
    [
      'sync-resume-cold',
      {
        title: 'resume request to connected, first connection after the start',
        unit: 'ms',
        ...less,
        ...goal({ atMost: 15 }),
      },
    ],
    ['sync-resume', { title: 'resume request to connected', unit: 'ms', ...less, ...goal({ atMost: 15 }) }],
    ['sync-relay', { title: `${large} through a relay`, unit: 'MB/s', better: 'more', ...goal({ ofSyncthing: 0.8 }) }],
    [
      'sync-replace-small',
      { title: '4 KiB file replaced 10 times, polls without it', unit: 'polls', ...less, ...goal({ atMost: 0 }) },
    ],
    [
      'sync-replace-large',
      { title: '64 MiB file replaced 10 times, polls without it', unit: 'polls', ...less, ...goal({ atMost: 0 }) },
    ],
    ...sizes.many.flatMap((files) => manyRows(files)),
    ...encryptedRows('sync-encrypted-large', large, { unit: 'MB/s', ...goal({ ofLimit: 0.6 }) }),
    ...encryptedRows('sync-encrypted-small', small, { unit: 'files/s', ...goal({ ofLimit: 0.5 }) }),
  ]
  return new Map(rows)
}

function sinksRows(sinks: number, mib: number): [string, RowInfo][] {
  const where = `to ${sinks} behind 100 Mbit/s`
  const shapes = { one: 'one file', several: '64 files', many: '640 files', slow: '64 files, one of them slow,' }
  return Object.entries(shapes).flatMap(([shape, files]): [string, RowInfo][] => {
    if (shape === 'slow' && sinks === 1) return []
    const what = `${mib} MiB in ${files} ${where}`
    return [
      [`sinks-${shape}-${sinks}-time`, { title: what, unit: 's', better: 'less' }],
      [`sinks-${shape}-${sinks}-sent`, { title: `${what}, sent by the source`, unit: 'MiB', better: 'less' }],
    ]
  })
}

function manyRows(files: number): [string, RowInfo][] {
  const what = `${thousands(files)} tiny files`
  const memory = (title: string) => ({ title: `${what}, ${title}`, unit: 'MiB', better: 'less' }) as const
  return [
    [`sync-many-${files}-rate`, { title: `${what}, connected to in sync`, unit: 'files/s', better: 'more' }],
    [`sync-many-${files}-cpu`, { title: `${what}, CPU of both ends`, unit: 'µs/file', better: 'less' }],
    [`sync-many-${files}-scan-rss`, memory('peak RSS of the first scan')],
    ...(['source', 'sink'] as const).flatMap((end): [string, RowInfo][] => [
      [`sync-many-${files}-${end}-idle`, memory(`RSS ${end} before`)],
      [`sync-many-${files}-${end}-peak`, memory(`peak RSS ${end}`)],
      [`sync-many-${files}-${end}-rested`, memory(`RSS ${end} 60 s after`)],
    ]),
  ]
}

/** To an untrusted sink. The limit is the plain transfer of Twinfold in the same run. */
function encryptedRows(row: string, what: string, rate: Pick<RowInfo, 'unit' | 'goal'>): [string, RowInfo][] {
  const less = { better: 'less' } as const
  return [
    [row, { title: `${what} to an untrusted device (limit: plain)`, better: 'more', ...rate }],
    [`${row}-cpu`, { title: `${what} to an untrusted device, CPU of both ends`, unit: 's', ...less }],
    [`${row}-source-rss`, { title: `${what} to an untrusted device, peak RSS source`, unit: 'MiB', ...less }],
    [`${row}-sink-rss`, { title: `${what} to an untrusted device, peak RSS sink`, unit: 'MiB', ...less }],
  ]
}
