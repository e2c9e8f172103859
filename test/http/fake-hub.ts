/** A model for the tests of the REST interface: one idle folder without files. */
import { TwinfoldError } from '../../src/core/errors.ts'
import type { FolderFacts } from '../../src/core/records/reasons.ts'
import { NO_EFFECT } from '../../src/model/folder/selection-effect.ts'
import { NO_TOTALS } from '../../src/core/rewind/journal.ts'
import type { MoveView } from '../../src/model/move/types.ts'
import type { RewindView } from '../../src/model/rewind/types.ts'
import type { FolderExplorer } from '../../src/model/queries/explorer.ts'
import type { Hub } from '../../src/model/model.ts'
import type { FolderStatus } from '../../src/model/types.ts'

const NO_COUNTS = { files: 0, directories: 0, symlinks: 0, deleted: 0, bytes: 0 }

export const IDLE: FolderStatus = {
  state: 'idle',
  stateChangedMs: 1_795_000_000_000,
  error: '',
  errorCount: 0,
  watchError: '',
  ignorePatterns: false,
  sequence: 10,
  remoteSequences: new Map(),
  counts: { global: NO_COUNTS, local: NO_COUNTS, need: NO_COUNTS, receiveOnlyChanged: NO_COUNTS },
}

/** A hub that records calls and returns empty results; a test replaces the methods it needs. */
export function fakeHub(calls: string[], overrides: Partial<Hub> = {}): Hub {
  const note = (text: string) => void calls.push(text)
  return {
    scan: async (folder, subs, nextMs) => note(`scan ${folder} [${subs}] next=${nextMs}`),
    scanAll: async () => (note('scan all'), new Map()),
    bringToFront: (folder, file) => note(`front ${folder} ${file}`),
    need: async (folder, paging) => (
      note(`need ${folder} ${paging.page}/${paging.perPage}`),
      { progress: [], queued: [], rest: [] }
    ),
    needNow: () => undefined,
    status: async (folder) => (note(`status ${folder}`), IDLE),
    statusNow: () => undefined,
    browse: async (folder, options) => (note(`browse ${folder} ${JSON.stringify(options)}`), []),
    file: async () => ({ global: undefined, local: undefined, availability: [] }),
    ignores: async () => ({ ignore: null, expanded: null, error: null }),
    setIgnores: async (folder, lines) => (
      note(`setIgnores ${folder} ${JSON.stringify(lines)}`),
      { ignore: lines, expanded: [], error: null }
    ),
    selection: async () => ({ entries: [], isRemoving: false, error: undefined }),
    previewSelection: async () => ({ effect: NO_EFFECT, overruled: [] }),
    select: async (folder, choices, isForced) => (
      note(`select ${folder} ${JSON.stringify(choices)}${isForced ? ' forced' : ''}`),
      new Map()
    ),
    folderErrors: async () => [],
    folderStatistics: async () => new Map(),
    override: async (folder) => note(`override ${folder}`),
    revert: async (folder) => note(`revert ${folder}`),
    localChanged: async () => [],
    versions: async () => new Map(),
    restoreVersions: async (folder, wanted) => (note(`restore ${folder} ${JSON.stringify([...wanted])}`), new Map()),
    versionsUsed: async () => ({ files: 0, sizeBytes: 0, maxBytes: null }),
    emptyVersions: async (folder, options) => (
      note(`empty ${folder} ${JSON.stringify(options)}`),
      { files: 0, sizeBytes: 0 }
    ),
    resolveConflicts: async (folder, copies, choice) => (
      note(`resolve ${folder} ${JSON.stringify({ copies, ...choice })}`),
      new Map()
    ),
    undoConflicts: async (folder, resolved) => note(`undo ${folder} ${resolved.map(({ original }) => original)}`),
    kept: async () => ({ total: 0, bytes: 0, items: [] }),
    guard: async () => ({ enabled: true, trash: false, held: [], notices: [] }),
    decideGuard: async (folder, decision, side) => note(`guard ${decision} ${folder} ${side}`),
    dismissGuard: async (folder) => note(`guard dismiss ${folder}`),
    changeKept: async (folder, action, names) => (note(`${action} ${folder} ${JSON.stringify(names)}`), new Map()),
    remedies: {
      evidence: async () => ({ path: '/data' }),
      createMarker: async (folder, isForced) => note(`marker ${folder}${isForced ? ' forced' : ''}`),
    },
    ...overrides,
  }
}

const FACTS: FolderFacts = { paused: false, type: 'sendreceive', error: '', scanning: false }

/** Has the folder, but no file in it. */
export const NO_EXPLORER: FolderExplorer = {
  tree: async () => ({ total: 0, truncated: false, items: [], ignored: [] }),
  search: async () => ({ items: [], next: undefined, searched: 0, workedMs: 0 }),
  waiting: async () => ({ folder: FACTS, total: 0, items: [] }),
  file: async () => ({
    folder: FACTS,
    records: undefined,
    disk: undefined,
    problem: undefined,
    queue: undefined,
    devices: [],
  }),
  globalItem: async () => undefined,
  globalLevel: async function* () {},
  requireLocalArchive: async () => {},
  sharedIgnores: async () => ({
    enabled: false,
    lines: [],
    problem: null,
    change: { ignoredTotal: 0, ignored: [], announcedTotal: 0, announced: [], checkedTotal: 0, truncated: false },
  }),
  previewIgnores: async (_folder, lines) => ({
    error: null,
    errorLine: null,
    lines: lines.map(() => ({ kind: 'ignore', matches: 0, examples: [] })),
    ignoredTotal: 0,
    checkedTotal: 0,
    truncated: false,
  }),
  history: async () => ({ entries: [], next: undefined, completeSinceMs: undefined }),
  plan: async () => [],
  mergeOffer: async () => ({ mergeable: false, reason: 'no-base' as const, left: { hash: '' }, right: { hash: '' } }),
  conflicts: async () => ({ total: 0, items: [] }),
  conflictRange: async () => ({ total: 0, items: [] }),
  conflictSides: async () => {
    throw new TwinfoldError('file-missing', 'no conflict copy')
  },
}

/** No folder was moved; every other call is recorded. */
export function fakeMover(calls: string[]): MoveView {
  const [from, to] = ['/data/share', '/mnt/share']
  const counts = { files: 3, filesDone: 0, bytes: 300, bytesDone: 0 }
  const status = { from, to, method: 'copy', state: 'prepared', startedMs: 1_000, endedMs: 0, ...counts } as const
  return {
    preview: async () => ({ from, to, method: 'copy', files: 3, bytes: 300, freeBytes: 500, problem: undefined }),
    start: async (folder, path) => {
      calls.push(`move ${folder} ${path}`)
      return { ...status, cancellable: true, error: '', left: [], leftCount: 0 }
    },
    status: () => undefined,
    cancel: async (folder) => void calls.push(`cancel ${folder}`),
  }
}

/** No folder was rewound; every other call is recorded. */
export function fakeRewinder(calls: string[]): RewindView {
  const none = { items: 0, bytes: 0, names: [] }
  const groups = { restorable: none, gone: none, kept: none, removed: none, blocked: none }
  return {
    preview: async ({ mode }) => ({
      ...groups,
      replaced: 0,
      beside: mode === 'beside' ? 'beside' : '',
      isVerified: true,
    }),
    start: async ({ folder, path, momentMs, mode }) => {
      calls.push(`rewind ${folder} ${path} ${mode}`)
      const entry = {
        folder,
        path,
        momentMs,
        mode,
        beside: '',
        state: 'running',
        startedMs: 1_000,
        endedMs: 0,
      } as const
      return { ...entry, startSequence: -1, totals: NO_TOTALS, error: '', problems: [], items: 0, handled: 0 }
    },
    status: () => undefined,
    stop: async (folder) => void calls.push(`stop ${folder}`),
  }
}
