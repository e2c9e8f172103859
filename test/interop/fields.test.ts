/**
 * Every field of every reply, event and setting of Syncthing 2, compared with ours. Runs with the program that
 * SYNCTHING2_BIN names, because no registry offers it.
 */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { someBytes } from '../support/bytes.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { FOLDER, link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { untilInSync } from '../support/until-in-sync.ts'

const program = process.env['SYNCTHING2_BIN']
if (program !== undefined) process.env['TWINFOLD_SYNCTHING'] = program
const skip = program === undefined ? 'SYNCTHING2_BIN names no program' : (missingSyncthing() ?? false)
const scratch = scratchDirectory()
let network: Network
let members: readonly [ours: Member, theirs: Member]

/** Others than the two, so that lists have an order. */
const STRANGERS = [
  'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2',
  'AIR6LPZ-7K4PTTV-UXQSMUU-CPQ5YWH-OEDFIIQ-JUG777G-2YQXXR5-YD6AWQR',
]

before(async () => {
  if (skip !== false) return
  network = await Network.open(scratch.path)
  const [ours, theirs] = await Promise.all([network.add('twinfold', 'twinfold'), network.add('syncthing', 'syncthing')])
  members = [ours, theirs]
  writeFileSync(join(ours.root, 'a.txt'), 'a')
  mkdirSync(join(theirs.root, 'sub'))
  writeFileSync(join(theirs.root, 'sub', 'b.bin'), someBytes(400_000, 1))
  await link([[ours, theirs]])
  await scanAll(members)
  await untilInSync(members)
  // Copies of what the others have: they need no block of the network.
  copyFileSync(join(ours.root, 'sub', 'b.bin'), join(ours.root, 'copied-here.bin'))
  copyFileSync(join(theirs.root, 'sub', 'b.bin'), join(theirs.root, 'copied-there.bin'))
  await scanAll(members)
  await untilInSync(members)
})

after(async () => {
  await network?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** What a value has: the kind of every field by its path. Keys that name a device or an address are `*`. */
function fieldsOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (Array.isArray(value)) return new Map(value.flatMap((item) => [...fieldsOf(item, `${path}[]`)]))
  if (typeof value !== 'object' || value === null) return new Map([[path, value === null ? 'null' : typeof value]])
  return new Map(
    Object.entries(value).flatMap(([key, item]) => [
      ...fieldsOf(item, `${path}.${/^([A-Z2-7]{7}-){7}|:\/\//.test(key) ? '*' : key}`),
    ]),
  )
}

function difference(ours: unknown, theirs: unknown): { readonly missing: string[]; readonly added: string[] } {
  const [own, other] = [fieldsOf(ours), fieldsOf(theirs)]
  const isOther = (path: string, kind: string) => own.has(path) && own.get(path) !== kind && kind !== 'null'
  // An empty list may be null.
  const isNoList = (path: string, kind: string) =>
    kind === 'null' && own.keys().some((one) => one.startsWith(`${path}[]`))
  return {
    missing: [...other].flatMap(([path, kind]) =>
      isOther(path, kind)
        ? [`${path}: ${own.get(path)} for ${kind}`]
        : own.has(path) || isNoList(path, kind)
          ? []
          : [path],
    ),
    added: [...own.keys()].filter((path) => !other.has(path)),
  }
}

/** Settings of Syncthing 1.x, which homes of both versions keep. */
const FOLDER_1X = ['disableTempIndexes', 'weakHashThresholdPct']
const OPTIONS_1X = ['cacheIgnoredFiles', 'databaseTuning', 'insecureAllowOldTLSVersions']
const below = (path: string, names: readonly string[]) => names.map((name) => `${path}.${name}`)
const CONFIG_1X = [
  ...below('.folders[]', FOLDER_1X),
  ...below('.defaults.folder', FOLDER_1X),
  ...below('.options', OPTIONS_1X),
  '.gui.debugging',
]

/** Fields of the report that only a server fills which collects them. */
const OF_COLLECTORS = ['received', 'os', 'arch', 'compiler', 'builder', 'distribution', 'country', 'majorVersion']

interface Compared {
  readonly path: (self: Member, other: Member) => string
  /** Fields of ours only. */
  readonly added?: readonly string[]
  /** Fields that only one of them has at this moment, or that decisions of the REST contract leave out. */
  readonly except?: RegExp
}

const get = (path: string, more: Partial<Compared> = {}): Compared => ({ path: () => path, ...more })
const folder = `folder=${FOLDER}`

const COMPARED: readonly Compared[] = [
  get('/rest/config', { added: CONFIG_1X }),
  get('/rest/config/options', { added: below('', OPTIONS_1X) }),
  get('/rest/config/gui', { added: ['.debugging'] }),
  get('/rest/config/ldap'),
  get('/rest/config/defaults/folder', { added: below('', FOLDER_1X) }),
  get('/rest/config/defaults/device'),
  get('/rest/config/defaults/ignores'),
  get('/rest/config/restart-required'),
  // The last dial says why it failed and when the next follows.
  get('/rest/system/status', { added: ['.lastDialStatus.*.reason', '.lastDialStatus.*.next'], except: /^\.lastDial/ }),
  get('/rest/system/version'),
  get('/rest/system/connections'),
  get('/rest/system/paths'),
  get('/rest/system/discovery'),
  get('/rest/system/error', { except: /^\.errors/ }), // ours warns of root
  get('/rest/system/log', { except: /^\.messages\[\]\.level/ }), // a number, as in 1.x
  get('/rest/system/loglevels', { except: /^\.(levels|packages)\./ }), // our own facilities
  // Syncthing leaves out what is zero or empty; ours is the form of 1.x.
  get('/rest/svc/report', {
    except: new RegExp(`^\\.(totMiB|folderMaxMiB|folderUsesV3\\.|guiStats\\.|${OF_COLLECTORS.join('|')})`),
  }),
  { path: (self) => `/rest/svc/deviceid?id=${self.id}` },
  get('/rest/svc/random/string'),
  get('/rest/stats/device'),
  get('/rest/stats/folder'),
  get(`/rest/db/status?${folder}`),
  get('/rest/db/completion'),
  { path: (_self, other) => `/rest/db/completion?${folder}&device=${other.id}` },
  get(`/rest/db/file?${folder}&file=a.txt`, {
    // Fields of 1.x.
    added: [...below('.mtime', ['err', 'value.real', 'value.virtual']), '.global.inodeChange', '.local.inodeChange'],
  }),
  get(`/rest/db/need?${folder}`),
  { path: (_self, other) => `/rest/db/remoteneed?${folder}&device=${other.id}` },
  get(`/rest/db/browse?${folder}`),
  get(`/rest/db/ignores?${folder}`),
  get(`/rest/db/localchanged?${folder}`),
  get(`/rest/folder/errors?${folder}`),
  get('/rest/cluster/pending/devices'),
  get('/rest/cluster/pending/folders'),
  get('/rest/noauth/health'),
]

test('every field of the replies of Syncthing 2, and no other but those listed', { skip }, async () => {
  const [ours, theirs] = members
  let count = 0
  for (const { path, added: welcome = [], except } of COMPARED) {
    const reply = await theirs.get(path(theirs, ours))
    const { missing, added } = difference(await ours.get(path(ours, theirs)), reply)
    const isOpen = (name: string) => except?.test(name) !== true
    assert.deepEqual(missing.filter(isOpen), [], path(ours, theirs))
    assert.deepEqual(
      added.filter((name) => isOpen(name) && !welcome.includes(name)),
      [],
      path(ours, theirs),
    )
    count += fieldsOf(reply).size
  }
  console.log(JSON.stringify({ repliesCompared: COMPARED.length, fields: count }))
})

test('blocks from other files are in the report of both', { skip }, async () => {
  for (const member of members) {
    const { blockStats } = (await member.get('/rest/svc/report')) as { blockStats: Record<string, number> }
    assert.ok((blockStats['copyElsewhere'] ?? 0) > 0, JSON.stringify([member.name, blockStats]))
  }
})

test('devices are in the order of Syncthing, whatever the order in which they were added', { skip }, async () => {
  const orders = []
  for (const member of members) {
    for (const deviceID of STRANGERS) await member.request('POST', '/rest/config/devices', { deviceID })
    const { devices } = (await member.get('/rest/config')) as { devices: readonly { deviceID: string }[] }
    orders.push(devices.map(({ deviceID }) => deviceID))
  }
  assert.equal(orders[0]!.length, 4)
  assert.deepEqual(orders[0], orders[1])
})

test('every field of the events that both emit', { skip }, async () => {
  const [ours, theirs] = await Promise.all(
    members.map(async (member) => {
      const events = (await member.get('/rest/events?since=0&timeout=1')) as readonly { type: string; data: unknown }[]
      return Map.groupBy(events, ({ type }) => type)
    }),
  )
  const types = [...theirs!.keys()].filter((type) => ours!.has(type))
  for (const type of types) {
    const { missing } = difference(ours!.get(type), theirs!.get(type))
    assert.deepEqual(missing, [], type)
  }
  assert.ok(types.includes('ListenAddressesChanged') && types.length > 10, types.join())
})

/** Settings that only Syncthing 2 has, with other values than its own, as it writes them. */
const SETTINGS_2X = {
  folder: { blockIndexing: false, pullerDelayS: 2.5 },
  gui: { metricsWithoutAuth: true, sessionCookieDurationS: 60, sessionCookiePath: '/sync' },
  options: { auditEnabled: true, auditFile: '' },
}

test('settings of Syncthing 2 are kept by REST and in the file of both', { skip }, async () => {
  const names = Object.values(SETTINGS_2X).flatMap((settings) => Object.keys(settings))
  const written = []
  for (const member of members) {
    await member.request('PATCH', `/rest/config/folders/${FOLDER}`, SETTINGS_2X.folder)
    await member.request('PATCH', '/rest/config/options', SETTINGS_2X.options)
    assert.partialDeepStrictEqual(await member.get(`/rest/config/folders/${FOLDER}`), SETTINGS_2X.folder)
    // The last: Syncthing then opens its listener again, and a socket of the file system is gone for a moment.
    await member.request('PATCH', '/rest/config/gui', SETTINGS_2X.gui)
    const file = readFileSync(join(member.home, 'config.xml'), 'utf8').replace(/<defaults>.*<\/defaults>/s, '')
    written.push(names.flatMap((name) => new RegExp(`<${name}>([^<]*)</`).exec(file)?.slice(1) ?? [`${name}: none`]))
  }
  assert.deepEqual(written[0]!.slice(0, -1), written[1]!.slice(0, -1))
})
