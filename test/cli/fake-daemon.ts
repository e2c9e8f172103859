/** The routes that commands use, on a real socket. */
import { createServer, type IncomingMessage } from 'node:http'
import { type CliContext } from '../../src/cli/context.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import type { NetworkJson } from '../../src/rest/network.ts'
import { FACILITIES } from '../../src/core/facilities.ts'
import { FOLDER, OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'

export const DEVICE = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
const API_KEY = 'the-key'
/** Names with control characters, as from a hostile device. */
export const NASTY = 'evil\x1b[2J\nname'

export const folder = (id: string, more: object = {}) => ({
  id,
  label: '',
  path: `/data/${id}`,
  type: 'sendreceive',
  markerName: '.stfolder',
  paused: false,
  versioning: defaultsOf(FOLDER).versioning,
  devices: [],
  ...more,
})
const counts = {
  state: 'idle',
  stateChanged: '2026-11-15T00:00:00Z',
  error: '',
  errors: 0,
  watchError: '',
  globalFiles: 3,
  globalDirectories: 1,
  globalBytes: 4096,
  localFiles: 3,
  localDirectories: 1,
  localSymlinks: 0,
  localBytes: 4096,
  localDeleted: 0,
  needTotalItems: 0,
  needBytes: 0,
  needDeletes: 0,
  pullErrors: 0,
  receiveOnlyTotalItems: 0,
  sequence: 7,
}
export const entry = (name: string) => ({ name, size: 1 })

interface Reply {
  status: number
  text: string
}

export interface Daemon {
  folders: ReturnType<typeof folder>[]
  errors: { path: string; error: string }[]
  enabled: string[]
  options: Record<string, unknown>
  events: object[]
  /** Other devices. */
  devices: object[]
  /** Folders that they offer, by ID. */
  offers: Record<string, object>
  /** Undefined: a daemon without this route. */
  warnings: object[] | undefined
  /** Undefined: a daemon without this route. */
  doctor?: object
  /** Undefined: a daemon without this route. */
  indexImport: object | null | undefined
  /** Why single files are in sync or not. */
  why: Record<string, { code: string; text: string }>
  log: object[]
  network: NetworkJson
  discovery: Record<string, { addresses: string[] }>
  need: { progress: object[]; queued: object[]; rest: object[] }
  scanAnswer: Reply | Promise<Reply>
  /** One page for each poll; afterwards polls get no response. */
  eventPages: object[][] | undefined
  /** Changes of the status of every folder. */
  counts: object
  /** Undefined: a daemon without this route. */
  conflicts: number | undefined
  readonly requests: string[]
}

export function newDaemon(): Daemon {
  return {
    folders: [folder('docs', { label: 'Documents' }), folder('photos')],
    errors: [],
    enabled: ['model'],
    devices: [],
    offers: {},
    options: { ...defaultsOf(OPTIONS) },
    events: [],
    warnings: [],
    indexImport: null,
    eventPages: undefined,
    why: {},
    log: [],
    network: { portMapping: { enabled: false, error: null, mappings: [] } },
    discovery: {},
    need: { progress: [], queued: [], rest: [] },
    scanAnswer: { status: 200, text: '' },
    counts: {},
    conflicts: 0,
    requests: [],
  }
}

const NOT_FOUND: Reply = { status: 404, text: '404 page not found\n' }

/** The routes that the commands use, just deep enough. */
function replyOf(daemon: Daemon, route: string, query: URLSearchParams, body: string): Reply | Promise<Reply> {
  const json = (value: unknown) => ({ status: 200, text: JSON.stringify(value) })
  const known = daemon.folders.some((each) => each.id === query.get('folder'))
  switch (route) {
    case 'GET /rest/system/version':
      return json({ version: 'v1.0.0', longVersion: 'syncthing v1.0.0' })
    case 'GET /rest/system/status':
      return json({ myID: DEVICE, uptime: 4000, connectionServiceStatus: {} })
    case 'GET /rest/twinfold/network':
      return json(daemon.network)
    case 'GET /rest/twinfold/disagreements':
      return json([])
    case 'GET /rest/system/discovery':
      return json(daemon.discovery)
    case 'GET /rest/twinfold/doctor':
      return daemon.doctor === undefined ? NOT_FOUND : json(daemon.doctor)
    case 'GET /rest/twinfold/warnings':
      return daemon.warnings === undefined ? NOT_FOUND : json(daemon.warnings)
    case 'GET /rest/twinfold/index-import':
      return daemon.indexImport === undefined ? NOT_FOUND : json({ progress: daemon.indexImport })
    case 'GET /rest/cluster/pending/folders':
      return json(daemon.offers)
    case 'GET /rest/config/folders':
      return json(daemon.folders)
    case 'GET /rest/config/devices':
      return json([{ deviceID: DEVICE, name: 'me', addresses: ['dynamic'], paused: false }, ...daemon.devices])
    case 'GET /rest/config/defaults/folder':
      return json(defaultsOf(FOLDER))
    case 'POST /rest/config/folders':
      daemon.folders.push(folder('', JSON.parse(body)))
      return json({})
    case 'DELETE /rest/config/folders/docs':
      daemon.folders = daemon.folders.filter((each) => each.id !== 'docs')
      return json({})
    case 'GET /rest/db/status':
      return known ? json({ ...counts, ...daemon.counts }) : { status: 404, text: 'no such folder\n' }
    case 'GET /rest/twinfold/conflicts':
      return daemon.conflicts === undefined
        ? NOT_FOUND
        : json({ items: [], page: 1, perpage: 1, total: daemon.conflicts })
    case 'GET /rest/twinfold/why':
      return json({ reasons: [daemon.why[query.get('file') ?? ''] ?? { code: 'here', text: 'it is here' }] })
    case 'GET /rest/folder/errors':
      return json({ folder: 'x', errors: daemon.errors.length === 0 ? null : daemon.errors })
    case 'POST /rest/db/scan':
      return daemon.scanAnswer
    case 'POST /rest/db/prio':
      return json({ ...daemon.need, page: 1, perpage: 65536 })
    case 'GET /rest/system/debug':
      return json({ enabled: daemon.enabled, facilities: FACILITIES })
    case 'POST /rest/system/debug':
      daemon.enabled = query.get('enable')?.split(',') ?? []
      return { status: 200, text: '' }
    case 'GET /rest/events':
      return eventsReply(daemon)
    case 'GET /rest/system/log':
      return json({ messages: daemon.log.length === 0 ? null : daemon.log })
    case 'GET /rest/config/options':
      return json(daemon.options)
    case 'PATCH /rest/config/options':
      Object.assign(daemon.options, JSON.parse(body))
      return { status: 200, text: '' }
    case 'GET /rest/system/connections':
      return json({ connections: {}, total: { at: '2026-11-15T10:00:00Z', inBytesTotal: 0, outBytesTotal: 0 } })
    case 'GET /rest/db/completion':
      return json({ completion: 42.9, needBytes: 2048 })
    case 'GET /rest/config/restart-required':
      return json({ requiresRestart: false })
    default:
      return NOT_FOUND
  }
}

function eventsReply({ events, eventPages }: Daemon): Reply | Promise<Reply> {
  const page = eventPages === undefined ? events : eventPages.shift()
  return page === undefined ? new Promise(() => {}) : { status: 200, text: JSON.stringify(page) }
}

interface Outcome {
  code: number
  out: string
  err: string
}

/** One command against a daemon on a real socket. */
export async function run(
  args: string,
  daemon = newDaemon(),
  changes: Partial<CliContext> & { apiKey?: string } = {},
): Promise<Outcome> {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const url = new URL(request.url ?? '', 'http://x')
      daemon.requests.push(`${request.method} ${request.url}`)
      const refused = request.headers['x-api-key'] !== API_KEY
      const reply = refused
        ? { status: 403, text: 'CSRF Error\n' }
        : await replyOf(daemon, `${request.method} ${url.pathname}`, url.searchParams, body)
      response.writeHead(reply.status).end(reply.text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const address = `127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`
  const out: string[] = []
  const err: string[] = []
  const client = new Client({
    transport: nodeTransport(parseEndpoint(address, { useTls: false })),
    apiKey: changes.apiKey ?? API_KEY,
  })
  const context: CliContext = {
    program: 'twinfold',
    connect: async () => ({ client, address: `http://${address}`, home: '/the/home' }),
    print: (line) => void out.push(line),
    printBytes: async (bytes) => void out.push(Buffer.from(bytes).toString('latin1')),
    printError: (line) => void err.push(line),
    redraw: () => {},
    interactive: false,
    columns: Infinity,
    inputLines: async function* () {},
    readText: async () => '',
    writeNew: async () => {},
    environment: () => undefined,
    absolutePath: (path) => (path.startsWith('/') ? path : `/cwd/${path}`),
    nowMs: () => 0,
    timeMs: () => 0,
    sleep: async () => {},
    randomText: (length) => 'abcdefgh'.slice(0, length),
    signal: new AbortController().signal,
    ...changes,
  }
  try {
    const code = await runCli(context, args.split(' ').filter(Boolean))
    return { code, out: out.join('\n'), err: err.join('\n') }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function text(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request) body += String(piece)
  return body
}
