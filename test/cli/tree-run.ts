import { type CliContext } from '../../src/cli/context.ts'
import { runTree } from '../../src/cli/tree.ts'
import { Client } from '../../src/client/client.ts'
import type { ClientReply } from '../../src/client/transport.ts'
import { DEFAULTS, DEVICE, FOLDER, GUI, LDAP, OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { recordingContext } from '../support/cli.ts'
export const LOCAL_ID = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
export const ESCAPE = '\x1b[2J'

export function config(): Record<string, unknown> {
  const photos = {
    ...defaultsOf(FOLDER),
    id: 'photos',
    path: '/data/photos',
    versioning: { type: 'simple', params: { keep: '5', x: 'y' } },
  }
  const shared = { deviceID: LOCAL_ID, introducedBy: '', encryptionPassword: '' }
  const beach = { ...photos, id: 'beach', label: 'Holidays', devices: [shared] }
  return {
    version: 37,
    folders: [photos, { ...photos, id: 'a/b c', label: ESCAPE }, beach],
    devices: [{ ...defaultsOf(DEVICE), deviceID: LOCAL_ID, name: 'desk' }],
    gui: defaultsOf(GUI),
    ldap: defaultsOf(LDAP),
    options: defaultsOf(OPTIONS),
    remoteIgnoredDevices: [],
    defaults: defaultsOf(DEFAULTS),
  }
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** The sent changes, without reads. */ readonly sent: readonly string[]
}
interface Given {
  readonly replies?: Readonly<Record<string, ClientReply>>
  readonly input?: readonly string[]
  readonly context?: Partial<CliContext>
}

export async function run(args: string | readonly string[], given: Given = {}): Promise<Ran> {
  const sent: string[] = []
  const client = new Client({
    apiKey: 'key',
    transport: async ({ method, path, body }) => {
      const reply = given.replies?.[`${method} ${path}`]
      if (method !== 'GET') sent.push(`${method} ${path}${body === undefined ? '' : ` ${body}`}`)
      if (reply !== undefined) return reply
      if (method !== 'GET') return { status: 200, text: '' }
      return path === '/rest/config'
        ? { status: 200, text: JSON.stringify(config()) }
        : { status: 404, text: '404 page not found\n' }
    },
  })
  const { context, out, err } = recordingContext(client, {
    inputLines: async function* () {
      yield* given.input ?? []
    },
    readText: async () => 'one\r\n\r\n#two\n',
    ...given.context,
  })
  const code = await runTree(context, typeof args === 'string' ? args.split(' ').filter(Boolean) : args)
  return { code, out: out.join('\n'), err: err.join('\n'), sent }
}
