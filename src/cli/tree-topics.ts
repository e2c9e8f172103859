import type { Json, JsonObject } from '../core/config/config-json.ts'
import { TwinfoldError } from '../core/errors.ts'
import { ClientError } from '../client/errors.ts'
import { configTree, type SendChange } from './config-tree.ts'
import { configTopic, expectArgs } from './config-verbs.ts'
import { canonicalArgs } from './args/canonical.ts'
import type { CliContext } from './context.ts'
import type { SubTopic, Topic, Verb } from './topic.ts'

/** The requests of the tree's commands to the daemon. The first request connects. */
export interface TreeDaemon {
  /** The response to a GET, as JSON. */
  get(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<Json>
  /** An archive that the daemon creates. */
  download(path: string): Promise<{ readonly name: string; readonly bytes: Uint8Array }>
  /** The whole configuration. */
  config(): Promise<JsonObject>
  /** Sends a change. `text` is sent as is, `body` as JSON. */
  send(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    more?: { readonly body?: Json; readonly text?: string; readonly query?: Readonly<Record<string, string>> },
  ): Promise<void>
}

/** The files that the commands of the tree read and write. */
type TreeFiles = Pick<CliContext, 'readText' | 'writeNew'>

/** Everything below `cli`: the commands of Syncthing's command line. */
export function treeTopics(context: TreeFiles, daemon: TreeDaemon): Topic {
  return {
    summary: "The REST interface with Syncthing's commands, for scripts",
    verbs: new Map(),
    title: 'Commands',
    topics: new Map([
      ['config', { summary: 'Show and change every setting', open: () => configGroup(daemon) }],
      ['show', { summary: 'Print the state of the daemon as JSON', open: () => showGroup(daemon) }],
      ['operations', { summary: 'Make the daemon do something', open: () => operationsGroup(context, daemon) }],
      ['errors', { summary: 'The notices that the web page shows', open: () => errorsGroup(daemon) }],
      ['debug', { summary: 'Debug commands', open: () => debugGroup(context, daemon) }],
      // Parsed before the tree; listed here for the help.
      ['-', { summary: 'Read commands from standard input, one a line', open: () => group('', {}) }],
    ]),
    examples: ['show system', 'config folders photos paused set true', '--home ~/.twinfold config devices list'],
  }
}

function group(
  summary: string,
  verbs: Readonly<Record<string, Verb>>,
  topics: Iterable<readonly [string, SubTopic]> = [],
): Topic {
  return { summary, verbs: new Map(Object.entries(verbs)), title: 'Groups', topics: new Map(topics) }
}

async function configGroup(daemon: TreeDaemon): Promise<Topic> {
  const send = (...[method, path, body]: Parameters<SendChange>) =>
    daemon.send(method, path, body === undefined ? {} : { body })
  return configTopic(configTree(await daemon.config(), send), {
    summary: 'Every setting: lists have keys, objects have properties, values are got and set',
    examples: ['folders list', 'folders photos label set Pictures', 'options raw-listen-addresses add tcp://:22001'],
  })
}

function showGroup(daemon: TreeDaemon): Topic {
  const show = (summary: string, path: string): Verb => ({
    summary,
    run: async (args) => (expectArgs(args, 0), jsonLines(await daemon.get(path))),
  })
  const pending = group('What other devices offer', {
    devices: show('Devices that tried to connect', '/rest/cluster/pending/devices'),
    folders: {
      summary: 'Folders that other devices want to share',
      takes: '[--device ID]',
      run: async (args) => {
        const device = deviceFlag(args)
        return jsonLines(await daemon.get('/rest/cluster/pending/folders', { device }))
      },
    },
  })
  return group(
    'Prints the state of the daemon as JSON',
    {
      version: show('The version of the daemon', '/rest/system/version'),
      'config-status': show('Whether a change requires a restart', '/rest/config/restart-required'),
      system: show('How the daemon is', '/rest/system/status'),
      connections: show('Connections to other devices', '/rest/system/connections'),
      discovery: show('Addresses of other devices', '/rest/system/discovery'),
      usage: show('The usage report', '/rest/svc/report'),
    },
    [['pending', { summary: 'What other devices offer', open: () => pending }]],
  )
}

function deviceFlag(args: readonly string[]): string | undefined {
  const { flags, operands, unknown } = canonicalArgs([{ name: 'device', value: 'ID' }], args)
  const unexpected = unknown[0] ?? operands[0]
  if (unexpected !== undefined) throw new TwinfoldError('usage', `unexpected argument ${unexpected}`)
  return flags.at(-1)?.value
}

function operationsGroup(context: TreeFiles, daemon: TreeDaemon): Topic {
  const post = (summary: string, path: string): Verb => ({
    summary,
    run: async (args) => (expectArgs(args, 0), await daemon.send('POST', path), []),
  })
  return group('Makes the daemon do something', {
    restart: post('Restart the daemon', '/rest/system/restart'),
    shutdown: post('Stop the daemon', '/rest/system/shutdown'),
    upgrade: post('Upgrade the daemon if there is a newer version', '/rest/system/upgrade'),
    'folder-override': {
      summary: 'Make the files here those of all devices (send-only folders). What others changed is lost',
      takes: 'FOLDER',
      run: async (args) => {
        const [folder = ''] = expectArgs(args, 1)
        const { folders = [] } = await daemon.config()
        const known = Array.isArray(folders) && folders.some((one) => Object(one).id === folder)
        if (!known) throw new TwinfoldError('folder-missing', `Folder "${folder}" not found`)
        await daemon.send('POST', '/rest/db/override', { query: { folder } })
        return []
      },
    },
    'default-ignores': {
      summary: 'Take the ignore patterns of new folders from a file',
      takes: 'FILE',
      run: async (args) => {
        const [path = ''] = expectArgs(args, 1)
        const lines = (await context.readText(path)).replace(/\r?\n$/, '').split(/\r?\n/)
        await daemon.send('PUT', '/rest/config/defaults/ignores', { body: { lines } })
        return []
      },
    },
  })
}

function errorsGroup(daemon: TreeDaemon): Topic {
  return group('The notices that the web page shows', {
    show: {
      summary: 'Print them',
      run: async (args) => (expectArgs(args, 0), jsonLines(await daemon.get('/rest/system/error'))),
    },
    push: {
      summary: 'Add one',
      takes: 'MESSAGE',
      run: async (args) => {
        const [text = ''] = expectArgs(args, 1)
        await daemon.send('POST', '/rest/system/error', { text })
        return []
      },
    },
    clear: {
      summary: 'Remove all',
      run: async (args) => (expectArgs(args, 0), await daemon.send('POST', '/rest/system/error/clear'), []),
    },
  })
}

function debugGroup(context: TreeFiles, daemon: TreeDaemon): Topic {
  const profile = (summary: string, path: string): Verb => ({
    summary,
    run: async (args) => {
      expectArgs(args, 0)
      const { name, bytes } = await daemon.download(path)
      await context.writeNew(name, bytes)
      return [`Wrote results to ${name}`]
    },
  })
  const profiles = group('Saves a profile in the working directory, for pprof', {
    cpu: profile('Where time is spent', '/rest/debug/cpuprof'),
    heap: profile('Where memory is taken', '/rest/debug/heapprof'),
  })
  return group(
    'Debug commands',
    {
      file: {
        summary: 'The records of a file in the index',
        takes: 'FOLDER PATH',
        run: async (args) => {
          const [folder, file] = expectArgs(args, 2)
          return jsonLines(await daemon.get('/rest/debug/file', { folder, file }).catch(explainMissing))
        },
      },
    },
    [['profile', { summary: 'Save a profile of the daemon', open: () => profiles }]],
  )
}

function explainMissing(error: unknown): never {
  if (error instanceof ClientError && error.status === 404) {
    throw new TwinfoldError('file-missing', 'not found (folder/file not in database)', { cause: error })
  }
  throw error
}

/** Keys in a stable order: scripts compare the text. */
function jsonLines(json: Json): readonly string[] {
  return JSON.stringify(sorted(json), undefined, 2).split('\n')
}

function sorted(json: Json): Json {
  if (Array.isArray(json)) return json.map(sorted)
  if (typeof json !== 'object' || json === null) return json
  const entries = Object.entries(json).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(entries.map(([key, value]) => [key, sorted(value)]))
}
