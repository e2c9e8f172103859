/**
 * The requests of programs that people use with Syncthing, in the order in which they send them: Syncthing Tray, the
 * integration of Home Assistant, and an exporter for Prometheus. Both programs must reply with the same status and
 * type, and with the fields that the client reads.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { reportRow } from '../support/effort.ts'
import { missingIn } from '../support/json-shape.ts'
import type { Reply } from '../support/rest.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { addFolder, field, must, Pair, type Side } from './pair.ts'

const skip = missingSyncthing() ?? false
const scratch = scratchDirectory()
let pair: Pair

before(async () => {
  if (skip !== false) return
  pair = await Pair.start(scratch.path)
  for (const side of pair.both) {
    const root = join(scratch.path, `${side.name}-share`)
    mkdirSync(join(root, 'sub'), { recursive: true })
    for (const name of ['a.txt', 'sub/b.txt']) writeFileSync(join(root, name), name)
    await addFolder(side, root)
  }
})

after(async () => {
  await pair?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Fields, by path, whose keys name the moment, or which say what the other program has and we have not. */
  readonly without?: readonly string[]
}

const get = (path: string, without: readonly string[] = []): Request => ({ method: 'GET', path, without })
const post = (path: string, body?: unknown): Request => ({ method: 'POST', path, body })

/** Keys are addresses. */
const ADDRESSES = ['connectionServiceStatus', 'lastDialStatus']
/** Settings in use, each with its count. */
const USES = ['folderUses', 'folderUsesV3', 'guiStats', 'deviceUses', 'announce', 'relays', 'customReleaseURL']

const TRAY_EVENTS =
  'Starting,StateChanged,FolderRejected,FolderErrors,FolderSummary,FolderCompletion,FolderScanProgress,FolderPaused,' +
  'FolderResumed,DeviceRejected,DeviceConnected,DeviceDisconnected,DevicePaused,DeviceResumed,ConfigSaved,' +
  'LocalIndexUpdated,DownloadProgress,RemoteIndexUpdated,ItemFinished'
/** The data of the first event differs by its type. */
const EVENT = ['0.data']

/** `own` is the ID of the device that is asked. */
const CLIENTS: Readonly<Record<string, (own: string) => readonly Request[]>> = {
  'Syncthing Tray': (own) => [
    get('/rest/system/status', ADDRESSES),
    get('/rest/config'),
    get('/rest/system/connections', ['connections']),
    get('/rest/stats/folder'),
    get('/rest/stats/device'),
    get('/rest/system/error'),
    get('/rest/system/version'),
    get(`/rest/events?events=${TRAY_EVENTS}&limit=1&timeout=0`, EVENT),
    get(`/rest/events?events=${TRAY_EVENTS}&since=0&timeout=1`, EVENT),
    get('/rest/events/disk?limit=25&events=LocalChangeDetected,RemoteChangeDetected&timeout=0', EVENT),
    get('/rest/db/status?folder=share'),
    get(`/rest/db/completion?device=${own}&folder=share`),
    get('/rest/folder/errors?folder=share&page=1&perpage=10'),
    get('/rest/folder/pullerrors?folder=share'),
    get('/rest/db/browse?folder=share&levels=0'),
    get('/rest/db/browse?folder=share&prefix=sub%2F&levels=1'),
    get('/rest/db/ignores?folder=share'),
    post('/rest/db/ignores?folder=share', { ignore: ['*.tmp'] }),
    get('/rest/system/log'),
    get(`/qr/?text=${own}`),
    get(`//qr/?text=${own}`),
    post('/rest/db/scan?folder=share&sub=a.txt'),
    post('/rest/db/override?folder=share'),
    post('/rest/db/revert?folder=share'),
    post('/rest/system/error/clear'),
    get('/rest/system/config'),
  ],
  'Home Assistant': (own) => [
    get('/rest/system/ping'),
    get('/rest/system/status', ADDRESSES),
    get('/rest/system/config'),
    get('/rest/system/version'),
    get('/rest/db/status?folder=share'),
    get(`/rest/config/devices/${own}`),
    get('/rest/config/devices'),
    get('/rest/config/folders/share'),
    get('/rest/events?since=0', EVENT),
    get('/rest/system/connections', ['connections']),
    get('/rest/db/status?folder=none'),
    get('/rest/config/devices/none'),
  ],
  'the exporter for Prometheus': () => [
    get('/rest/config/devices'),
    get('/rest/db/status?folder=share'),
    get('/rest/stats/device'),
    get('/rest/system/connections', ['connections']),
    get('/rest/svc/report', USES),
  ],
}

for (const [client, requests] of Object.entries(CLIENTS)) {
  test(`${client} gets the replies of Syncthing`, { skip }, async () => {
    const [ours, theirs] = [await ownId(pair.twinfold), await ownId(pair.syncthing)]
    const pairs = requests(theirs).map((request, place) => [requests(ours)[place]!, request] as const)
    for (const [own, other] of pairs) {
      const what = `${own.method} ${own.path}`
      const [reply, expected] = [await send(pair.twinfold, own), await send(pair.syncthing, other)]
      assert.equal(reply.status, expected.status, `${what}: ${reply.text}`)
      assert.equal(reply.contentType, expected.contentType, what)
      if (!expected.contentType.includes('json') || expected.text === '') continue
      const missing = missingIn(JSON.parse(reply.text), JSON.parse(expected.text), new Set(own.without))
      assert.deepEqual(missing, [], what)
    }
    reportRow({ id: `CLIENT ${client}`, tried: pairs.length })
  })
}

test('Syncthing Tray pauses a folder by sending the whole configuration back', { skip }, async () => {
  for (const side of pair.both) {
    for (const paused of [true, false]) {
      const config = (await must(side, 'GET', '/rest/config')) as { folders: readonly object[] }
      const folders = config.folders.map((folder) => ({ ...folder, paused }))
      assert.equal((await side.request('PUT', '/rest/config', { ...config, folders })).status, 200)
      const [folder] = (await must(side, 'GET', '/rest/config/folders')) as readonly unknown[]
      assert.equal(field(folder, 'paused'), paused, side.name)
    }
  }
})

async function ownId(side: Side): Promise<string> {
  return String(field(await must(side, 'GET', '/rest/system/status'), 'myID'))
}

function send(side: Side, { method, path, body }: Request): Promise<Reply> {
  return side.request(method, path, body)
}
