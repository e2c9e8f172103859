/** Every route with every scope, with and without a limit to folders, on a whole simulated device. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SCOPES, type Scope } from '../../../src/core/access.ts'
import { methodOf, namesOf, pathOf, type Declaration, type RouteName } from '../../../src/rest/declaration.ts'
import { ROUTES } from '../../../src/rest/routes.ts'
import { settle, SIM_KEY, startDevice } from '../../support/sim-daemon.ts'

const ADDRESS = '127.0.0.1:8384'
const FRIEND = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
const STRANGER = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'
/** Of the folder that limited keys do not see, and of what only it has. */
const HIDDEN = ['cellar', 'Cellar label', '/data/cellar', 'whisky.txt', STRANGER, 'Stranger name']
const SECRETS = [SIM_KEY, 'secret-of-the-folder', 'secret-command', 'user:token@']

type Device = Awaited<ReturnType<typeof startDevice>>
let device: Device
const keys = new Map<string, string>()

async function send(key: string, name: string, target: string, body = ''): Promise<{ status: number; text: string }> {
  const method = name.slice(0, name.indexOf(' '))
  const call = device.platform.http.call(ADDRESS, { method, target, body, headers: { 'x-api-key': key } })
  const ended = new AbortController()
  const reply = call.finally(() => ended.abort())
  for (let turn = 0; turn < 500 && !ended.signal.aborted; turn++) await settle()
  const { status, body: text } = await reply
  return { status, text }
}

async function addKey(name: string, scope: Scope, folders?: readonly string[]): Promise<string> {
  const body = JSON.stringify({ name, scope, ...(folders !== undefined && { folders }) })
  const { status, text } = await send(SIM_KEY, 'POST ', '/rest/twinfold/keys', body)
  assert.equal(status, 200, text)
  return JSON.parse(text).key
}

async function put(path: string, body: unknown, method = 'PATCH'): Promise<void> {
  const { status, text } = await send(SIM_KEY, `${method} `, path, JSON.stringify(body))
  assert.equal(status, 200, `${path}: ${text}`)
}

before(async () => {
  device = await startDevice(3)
  const { platform } = device
  platform.disk.put('/data/photos/beach.jpg', 'sand')
  platform.disk.put('/data/cellar/whisky.txt', 'old')
  await put(
    '/rest/config/devices',
    { deviceID: FRIEND, name: 'Friend', addresses: ['tcp://user:token@192.0.2.1:1'] },
    'POST',
  )
  await put('/rest/config/devices', { deviceID: STRANGER, name: 'Stranger name' }, 'POST')
  const shared = (deviceID: string) => [{ deviceID, encryptionPassword: 'secret-of-the-folder' }]
  await put(
    '/rest/config/folders',
    { id: 'photos', label: 'Photos', path: '/data/photos', devices: shared(FRIEND) },
    'POST',
  )
  await put(
    '/rest/config/folders',
    { id: 'cellar', label: 'Cellar label', path: '/data/cellar', devices: shared(STRANGER) },
    'POST',
  )
  await put('/rest/config/folders/photos', { versioning: { type: 'external', params: { command: 'secret-command' } } })
  await put('/rest/config/gui', { debugging: true, apiKey: 'another-configured-key-of-the-owner' })
  await put('/rest/twinfold/settings', {
    folders: { cellar: { sharedIgnores: true }, photos: { sharedIgnores: true } },
  })
  await send(SIM_KEY, 'POST ', '/rest/system/error', `cellar: ${SIM_KEY} another-configured-key-of-the-owner`)
  await platform.clock.advance(60_000, settle)
  for (const scope of SCOPES) keys.set(scope, await addKey(scope, scope))
  for (const scope of ['monitor', 'operate'] as const) {
    keys.set(`${scope} of photos`, await addKey(`${scope}-photos`, scope, ['photos']))
  }
})

after(async () => {
  device.stop.abort()
  for (let turn = 0; turn < 20; turn++) await settle()
  await device.done
})

function around(text: string, word: string): string {
  const at = text.indexOf(word)
  return text.slice(Math.max(0, at - 300), at + 100)
}

/** A request of a route that is as complete as it can be without knowing the route. */
function targetOf(name: RouteName, route: Declaration, folder: string): string {
  const path = pathOf(name)
  const id = path.startsWith('/rest/config/devices')
    ? FRIEND
    : path.startsWith('/rest/config/folders')
      ? folder
      : 'nothing'
  const values: Readonly<Record<string, string>> = {
    folder,
    timeout: '0',
    since: '0',
    follow: 'false',
    device: FRIEND,
    file: 'beach.jpg',
    text: 'a',
    seconds: '5',
  }
  const pairs = Object.keys(route.query ?? {}).flatMap((key) => {
    // Either of a folder and a device is paused, not both.
    if (folder === '' && (key === 'folder' || key === 'device')) return []
    if (key === 'device' && path === '/rest/twinfold/pause') return []
    return values[key] === undefined ? [] : [`${key}=${encodeURIComponent(values[key])}`]
  })
  return `${path.replace(':id', id)}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`
}

const NAMES = namesOf(ROUTES)
const isRead = (name: RouteName) => ['GET', 'HEAD'].includes(methodOf(name))

function mayUse(scope: Scope, route: Declaration): boolean {
  if (route.scope === 'open') return true
  if (SCOPES.indexOf(scope) >= SCOPES.indexOf(route.scope)) return true
  return scope === 'operate' && route.operable !== undefined
}

describe('a key of each scope', () => {
  for (const scope of SCOPES) {
    test(`${scope} may use the routes that declare it or less, and learns no secret unless it is admin`, async () => {
      for (const name of NAMES) {
        const route: Declaration = ROUTES[name]
        if (mayUse(scope, route) && !isRead(name) && route.scope === 'admin' && scope === 'admin') continue
        if (/cpuprof|heapprof|noauth/.test(name)) continue
        const { status, text } = await send(keys.get(scope)!, name, targetOf(name, route, 'photos'), '{}')
        if (mayUse(scope, route)) assert.notEqual(status, 403, `${name}: ${text.slice(0, 600)}`)
        else {
          assert.equal(status, 403, `${name}: ${text.slice(0, 600)}`)
          assert.match(
            text,
            new RegExp(`^the key ${scope} has the scope ${scope}; this needs (operate or )?${route.scope}`),
          )
        }
        if (scope === 'admin') continue
        for (const secret of [...SECRETS, 'another-configured-key'])
          assert.ok(!text.includes(secret), `${name}: ${text.slice(0, 600)}`)
      }
    })
  }
})

describe('a key that is limited to a folder', () => {
  for (const scope of ['monitor', 'operate'] as const) {
    test(`${scope}: sees nothing of the others in any reply, and is refused where it names one`, async () => {
      const key = keys.get(`${scope} of photos`)!
      for (const name of NAMES) {
        const route: Declaration = ROUTES[name]
        if (/noauth/.test(name)) continue
        const takesFolder = route.query?.['folder'] !== undefined || pathOf(name) === '/rest/config/folders/:id'
        for (const folder of takesFolder ? ['photos', 'cellar', ''] : ['photos']) {
          const { status, text } = await send(key, name, targetOf(name, route, folder), '{}')
          const isAllowed = mayUse(scope, route) && route.wholeDevice !== true && folder !== 'cellar'
          if (isAllowed && folder !== '') assert.notEqual(status, 403, `${name} ${folder}: ${text}`)
          else if (folder !== '') assert.equal(status, 403, `${name} ${folder}: ${text}`)
          for (const word of [...HIDDEN, ...SECRETS])
            assert.ok(!text.includes(word), `${name} ${folder}: ${word}: ${around(text, word)}`)
        }
      }
    })
  }

  test('the owner sees all of it: the words are there to be seen', async () => {
    const seen: string[] = []
    for (const name of NAMES.filter((each) => isRead(each) && !/cpuprof|heapprof/.test(each))) {
      for (const folder of ['photos', 'cellar']) {
        seen.push((await send(SIM_KEY, name, targetOf(name, ROUTES[name], folder))).text)
      }
    }
    const all = seen.join('\n')
    for (const word of HIDDEN) assert.ok(all.includes(word), word)
  })

  test('a second folder in the query, an empty one and an encoded one do not widen it', async () => {
    const key = keys.get('monitor of photos')!
    for (const query of ['folder=photos&folder=cellar', 'folder=cellar&folder=photos', 'folder=cell%61r']) {
      assert.equal((await send(key, 'GET ', `/rest/db/status?${query}`)).status, 403, query)
    }
    assert.equal((await send(key, 'GET ', '/rest/config/folders/cell%61r')).status, 403)
    assert.equal((await send(key, 'GET ', '/REST/config/folders/cellar')).status, 301)
  })
})

test('operate pauses a folder as Syncthing clients do, and changes no other setting of it', async () => {
  const patch = (key: string, path: string, body: unknown) => send(key, 'PATCH ', path, JSON.stringify(body))
  const [operate, ofPhotos] = [keys.get('operate')!, keys.get('operate of photos')!]
  for (const key of [operate, ofPhotos]) {
    assert.equal((await patch(key, '/rest/config/folders/photos', { paused: true })).status, 200)
    assert.match((await send(key, 'GET ', '/rest/config/folders/photos')).text, /"paused": true/)
    assert.equal((await patch(key, '/rest/config/folders/photos', { paused: false })).status, 200)
  }
  for (const body of [{ paused: true, path: '/etc' }, { type: 'sendonly' }, [], null]) {
    assert.equal((await patch(operate, '/rest/config/folders/photos', body)).status, 403)
  }
  assert.equal((await patch(ofPhotos, '/rest/config/folders/cellar', { paused: true })).status, 403)
  assert.equal((await patch(ofPhotos, `/rest/config/devices/${FRIEND}`, { paused: true })).status, 403)
  const { text } = await send(SIM_KEY, 'GET ', '/rest/config/folders/photos')
  assert.match(text, /"encryptionPassword": "secret-of-the-folder"/, 'the pause kept the secrets')
})
