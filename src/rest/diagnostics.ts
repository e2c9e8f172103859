import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { BOOLEAN, COUNT, INTEGER, NUMBER, TEXT, TIME, list, map, object, ref, type Static } from './schema.ts'

/** What people and monitoring systems look at when they want to know how the device is doing. */

const DURATION = {
  schema: TEXT,
  about: 'How long to watch, as `30s`, `500ms` or `1m`; ten minutes at most.',
} as const
const OFF = { 403: 'Debugging is switched off in the settings of this interface.' } as const
const PROFILE = {
  is: 'other',
  type: 'application/octet-stream',
  about: 'A profile that `pprof` reads.',
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

/** `GET /rest/svc/report`: what a usage report would hold. None is ever sent. */
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
    customStunServers: BOOLEAN,
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
  ['uptime', 'natType', 'progressEmitterEnabled', 'customStunServers', 'transportStats'],
)

export type UsageReportJson = Static<typeof USAGE_REPORT>

export const DIAGNOSTIC_ROUTES = {
  'GET /metrics': {
    summary: 'Figures for monitoring systems, as Prometheus reads them.',
    reply: { is: 'other', type: 'text/plain', about: 'The text format, version 0.0.4.' },
  },
  'GET /rest/svc/report': {
    summary: 'Shows what a usage report would hold; none is ever sent.',
    query: {
      version: { schema: INTEGER, about: 'Of the report; the present one, 3, unless told.' },
    },
    reply: { is: 'json', schema: USAGE_REPORT },
  },
  'GET /rest/debug/file': {
    summary: 'Shows what is known about one file, with the versions of all devices.',
    query: {
      folder: FOLDER,
      file: { schema: TEXT, about: 'Its path in the folder.', required: true },
    },
    reply: { is: 'json', schema: DEBUG_FILE },
    errors: {
      'folder-missing': { status: 404, words: 'no such folder' },
      'folder-paused': { status: 404, words: 'no such folder' },
      'folder-not-running': { status: 404, words: 'no such folder' },
      'file-missing': { status: 404, words: 'No such object in the index' },
    },
    refusals: OFF,
  },
  'GET /rest/debug/peerCompletion': {
    summary: 'Tells how many percent of the shared folders each device has.',
    reply: { is: 'json', schema: COUNTS },
    refusals: OFF,
  },
  'GET /rest/debug/httpmetrics': {
    summary: 'Tells how often each path of this interface was asked, and how long it took.',
    reply: {
      is: 'other',
      type: 'text/plain',
      about: 'JSON as text: count, sum, percentiles and rates by path.',
    },
    refusals: OFF,
  },
  'GET /rest/debug/cpuprof': {
    summary: 'Watches for a while where time is spent.',
    query: { duration: DURATION },
    reply: PROFILE,
    refusals: { ...OFF, 503: 'Another profile is being taken.' },
  },
  'GET /rest/debug/heapprof': {
    summary: 'Watches for a while where memory is taken and kept.',
    query: { duration: DURATION },
    reply: PROFILE,
    refusals: { ...OFF, 503: 'Another profile is being taken.' },
  },
  'GET /rest/debug/support': {
    summary: 'Packs what helps others to help: settings, log and figures, without secrets.',
    reply: { is: 'other', type: 'application/zip', about: 'A zip archive of texts.' },
    refusals: OFF,
  },
} as const satisfies Declarations
