/** The replies of a device that has Ben as a device and one folder, in memory. */
import { runCli } from '../../src/cli/program.ts'
import type { CliContext } from '../../src/cli/context.ts'
import { Client } from '../../src/client/client.ts'
import { DEVICE, FOLDER } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { recordingContext } from '../support/cli.ts'

export const LOCAL_ID = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
export const BEN = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'
export const NASTY = 'evil\x1b[2J\nname'
export const TIME = '2026-11-15T10:00:00Z'

export const folder = (more: object = {}) => ({
  ...defaultsOf(FOLDER),
  id: 'docs',
  label: 'Papers',
  path: '/docs',
  devices: [{ deviceID: LOCAL_ID }],
  ...more,
})
/** What folders made here have beside the given settings, as it is sent. */
export const TRASH =
  '"versioning":{"type":"trashcan","params":{"cleanoutDays":"30"},"cleanupIntervalS":3600,"fsPath":"","fsType":"basic"}'
export const safetyOf = (id: string) =>
  `PATCH /rest/twinfold/settings {"folders":{"${id}":{"guard":true,"versionsPercentMax":10}}}`
/** The same for a folder that is made here, with the merges that it offers. */
export const settingsOfNew = (id: string) =>
  `PATCH /rest/twinfold/settings {"folders":{"${id}":{"guard":true,"versionsPercentMax":10,"merge":"offer"}}}`
export const entry = (more: object = {}) => ({
  name: 'a',
  deleted: false,
  ignored: false,
  invalid: false,
  version: ['X:1'],
  ...more,
})
const need = (more: object = {}) => ({ page: 1, perpage: 100, progress: [], queued: [], rest: [], ...more })

type Replies = Readonly<Record<string, unknown>>

/** The responses of a device that has Ben as a device and one folder; `undefined` is 404. */
const REPLIES: Replies = {
  'GET /rest/config/folders': [folder()],
  'GET /rest/config/defaults/folder': defaultsOf(FOLDER),
  'PATCH /rest/twinfold/settings': { drive: false, folders: {} },
  'GET /rest/config/devices': [
    { ...defaultsOf(DEVICE), deviceID: LOCAL_ID, name: 'me' },
    { ...defaultsOf(DEVICE), deviceID: BEN, name: 'ben' },
  ],
  'GET /rest/system/status': { myID: LOCAL_ID, lastDialStatus: {}, connectionServiceStatus: {} },
  'GET /rest/system/connections': { connections: { [BEN]: { connected: true } }, total: { at: TIME } },
  'GET /rest/system/discovery': {},
  'GET /rest/twinfold/disagreements': [],
  'GET /rest/config/options': { reconnectionIntervalS: 60 },
  'GET /rest/stats/device': { [BEN]: { lastSeen: TIME, lastConnectionDurationS: 1 } },
  'GET /rest/db/status?folder=docs': { error: '' },
  'GET /rest/db/need?folder=docs': need(),
  'GET /rest/folder/errors?folder=docs': { folder: 'docs', errors: null },
  'GET /rest/cluster/pending/devices': {},
  'GET /rest/cluster/pending/folders': {},
  [`GET /rest/cluster/pending/folders?device=${BEN}`]: {},
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly sent: readonly string[]
}

export async function run(args: string, changes: Replies = {}, more: Partial<CliContext> = {}): Promise<Ran> {
  const replies: Replies = { ...REPLIES, ...changes }
  const sent: string[] = []
  const client = new Client({
    apiKey: 'key',
    transport: async ({ method, path, body }) => {
      if (method === 'POST' && path.startsWith('/rest/twinfold/check-folder')) {
        return {
          status: 200,
          text: JSON.stringify({
            path: '/x',
            problem: null,
            warnings: [],
            exists: true,
            freeBytes: 1_000_000,
            ...(changes['check'] as object | undefined),
          }),
        }
      }
      if (method !== 'GET') {
        sent.push(`${method} ${path}${body === undefined ? '' : ` ${body}`}`)
        const changed = changes[`${method} ${path}`] ?? replies[`${method} ${path}`]
        if (changed !== undefined) return { status: 200, text: JSON.stringify(changed) }
        return { status: 200, text: path.startsWith('/rest/folder/versions') ? '{}' : '' }
      }
      const reply = replies[`${method} ${path}`]
      if (reply instanceof Error) return { status: 500, text: `${reply.message}\n` }
      return reply === undefined ? { status: 404, text: 'not there\n' } : { status: 200, text: JSON.stringify(reply) }
    },
  })
  const { context, out, err } = recordingContext(client, { absolutePath: (path) => `/cwd/${path}`, ...more })
  const code = await runCli(context, args.split(' '))
  return { code, out: out.join('\n'), err: err.join('\n'), sent }
}

const offer = (more: object = {}) => ({
  time: TIME,
  label: NASTY,
  receiveEncrypted: false,
  remoteEncrypted: false,
  ...more,
})
export const OFFERS: Replies = {
  'GET /rest/cluster/pending/devices': { STRANGER: { time: TIME, name: NASTY, address: '192.0.2.1:22000' } },
  'GET /rest/cluster/pending/folders': {
    docs: { offeredBy: { [BEN]: offer() } },
    music: { offeredBy: { [BEN]: offer({ label: 'Music' }) } },
    vault: { offeredBy: { [BEN]: offer({ receiveEncrypted: true }) } },
  },
}
