import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { BOOLEAN, COUNT, INTEGER, NUMBER, TEXT, TIME, list, map, object, ref, type Static } from './schema.ts'

/** Metrics, profiles and other diagnostics. */

const DURATION = {
  schema: TEXT,
  about: 'How long to sample, as `30s`, `500ms` or `1m`; at most ten minutes.',
} as const
const OFF = { 403: 'Debugging is switched off in the settings of this interface.' } as const
const PROFILE = {
  is: 'other',
  type: 'application/octet-stream',
  about: 'A profile in the format of `pprof`.',
} as const

/** `GET /rest/debug/file`. */
const DEBUG_FILE = object({
  availability: list(TEXT),
  global: ref('FileEntry'),
  globalVersions: TEXT,
  local: ref('FileEntry'),
  mtime: object({ err: { type: 'null' }, value: object({ real: TIME, virtual: TIME }) }),
})

export type DebugFileJson = Static<typeof DEBUG_FILE>

const COUNTS = map(INTEGER)

/** `GET /rest/svc/report`: the contents of a usage report. None is ever sent. */
const USAGE_REPORT = object(
  {
    version: TEXT,
    longVersion: TEXT,
    platform: TEXT,
    numFolders: COUNT,
    numDevices: COUNT,
    totFiles: COUNT,
    folderMaxFiles: COUNT,
    totMiB: COUNT,
    folderMaxMiB: COUNT,
    memoryUsageMiB: COUNT,
    sha256Perf: NUMBER,
    hashPerf: NUMBER,
    memorySize: COUNT,
    processRSSMiB: COUNT,
    urVersion: COUNT,
    numCPU: COUNT,
    folderUses: COUNTS,
    deviceUses: COUNTS,
    announce: COUNTS,
    relays: COUNTS,
    rescanIntvs: list(INTEGER),
    uptime: COUNT,
    natType: TEXT,
    progressEmitterEnabled: BOOLEAN,
    limitBandwidthInLan: BOOLEAN,
    customStunServers: BOOLEAN,
    customDefaultFolderPath: BOOLEAN,
    folderUsesV3: map({ description: 'Counts by setting, and lists of settings in use.' }),
    deviceUsesV3: COUNTS,
    guiStats: map({ description: 'Counts by setting.' }),
    blockStats: COUNTS,
    transportStats: COUNTS,
    ignoreStats: COUNTS,
    received: TIME,
    os: TEXT,
    arch: TEXT,
    compiler: TEXT,
    builder: TEXT,
    distribution: TEXT,
    country: TEXT,
    countryCode: TEXT,
    majorVersion: TEXT,
  },
  [
    'uptime',
    'natType',
    'progressEmitterEnabled',
    'limitBandwidthInLan',
    'customStunServers',
    'customDefaultFolderPath',
    'transportStats',
  ],
)

export type UsageReportJson = Static<typeof USAGE_REPORT>

export const DIAGNOSTIC_ROUTES = {
  'GET /metrics': {
    scope: 'monitor',
    summary: 'Metrics in the text format of Prometheus.',
    reply: { is: 'other', type: 'text/plain', about: 'The text format, version 0.0.4.' },
  },
  'GET /rest/svc/report': {
    scope: 'monitor',
    summary: 'Returns the contents of a usage report; none is ever sent.',
    query: {
      version: { schema: INTEGER, about: 'The version of the report; default 3, the current one.' },
    },
    reply: { is: 'json', schema: USAGE_REPORT },
  },
  'GET /rest/debug/file': {
    scope: 'monitor',
    summary: 'Returns the records of a file, with the versions of all devices.',
    query: {
      folder: FOLDER,
      file: { schema: TEXT, about: 'The path of the file.', required: true },
    },
    reply: { is: 'json', schema: DEBUG_FILE },
    errors: {
      'folder-missing': { status: 404, text: 'no such folder' },
      'folder-paused': { status: 404, text: 'no such folder' },
      'folder-not-running': { status: 404, text: 'no such folder' },
      'file-missing': { status: 404, text: 'No such object in the index' },
    },
    refusals: OFF,
  },
  'GET /rest/debug/peerCompletion': {
    scope: 'monitor',
    summary: 'Returns the completion of each device over all shared folders, in per cent.',
    reply: { is: 'json', schema: COUNTS },
    refusals: OFF,
  },
  'GET /rest/debug/httpmetrics': {
    scope: 'monitor',
    summary: 'Returns the number and the durations of requests, by path.',
    reply: {
      is: 'other',
      type: 'text/plain',
      about: 'JSON as text: count, sum, percentiles and rates by path.',
    },
    refusals: OFF,
  },
  'GET /rest/debug/cpuprof': {
    scope: 'admin',
    summary: 'Takes a CPU profile.',
    query: { duration: DURATION },
    reply: PROFILE,
    refusals: { ...OFF, 503: 'Another profile is being taken.' },
  },
  'GET /rest/debug/heapprof': {
    scope: 'admin',
    summary: 'Takes a profile of memory allocations that are still in use.',
    query: { duration: DURATION },
    reply: PROFILE,
    refusals: { ...OFF, 503: 'Another profile is being taken.' },
  },
  'GET /rest/debug/support': {
    scope: 'admin',
    summary: 'Returns a support bundle: settings, log and metrics, without secrets.',
    reply: { is: 'other', type: 'application/zip', about: 'A zip archive of text files.' },
    refusals: OFF,
  },
} as const satisfies Declarations
