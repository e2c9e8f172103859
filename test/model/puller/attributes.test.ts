import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  inOrder,
  linuxAttributesOf,
  withLinuxAttributes,
  type AttributeList,
} from '../../../src/core/attributes/attributes.ts'
import { temporaryName } from '../../../src/core/paths.ts'
import { PEER } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'
import { DOCS } from '../../support/model.ts'

type Values = Readonly<Record<string, string>>

const SYNCED = { folder: { syncXattrs: true } }
const { signal } = new AbortController()

function list(attributes: Values): AttributeList {
  return inOrder(Object.entries(attributes).map(([name, value]) => ({ name, value: Buffer.from(value) })))
}

function valuesOf(attributes: AttributeList | undefined): Values | undefined {
  return attributes && Object.fromEntries(attributes.map(({ name, value }) => [name, Buffer.from(value).toString()]))
}

/** All items of the other device have the given attributes or none. */
async function announce(pull: SimPull, attributes: Readonly<Record<string, Values>>): Promise<void> {
  const records = [...pull.peer.records.values()].map((record) => ({
    ...record,
    platform: withLinuxAttributes(undefined, list(attributes[record.name] ?? {})),
  }))
  await pull.index.records.updateRemote(PEER, records)
  pull.hub.pullSoon(DOCS)
  await pull.rest()
}

/** The attributes of an item on disk. */
async function onDisk({ hub }: SimPull, name: string): Promise<Values> {
  const seen = await hub.platform.attributes.read(ROOT, [name], signal)
  assert.ok(seen.kind === 'read')
  return valuesOf(seen.found.get(name)) ?? {}
}

async function announced(pull: SimPull, name: string): Promise<Values | undefined> {
  return valuesOf(linuxAttributesOf((await pull.index.records.get('local', name))?.platform))
}

async function set({ hub }: SimPull, name: string, attributes: Values, ...remove: string[]): Promise<void> {
  assert.equal(
    (await hub.platform.attributes.write(`${ROOT}/${name}`, { set: list(attributes), remove })).kind,
    'written',
  )
}

test('syncXattrs: files and directories get the received attributes, and items without any cost nothing', async () => {
  await using pull = await SimPull.start(SYNCED)
  const { counts } = pull.hub.platform.attributes
  pull.peer.directory('d')
  pull.peer.put('d/small', 'x', { permissions: 0o444 })
  pull.peer.put('d/large', Buffer.alloc(300_000, 'l'))
  pull.peer.put('none', 'x')
  pull.peer.put('none-large', Buffer.alloc(300_000, 'n'))
  pull.peer.symlink('link', 'd/small')
  const attributes = {
    d: { 'user.d': '1' },
    'd/small': { 'user.a': '1', 'user.b': '' },
    'd/large': { 'user.a': '2' },
    link: { 'user.x': '3' },
  }
  Object.assign(counts, { reads: 0, writes: 0 })
  await announce(pull, attributes)
  assert.deepEqual(counts, { reads: 0, writes: 3 })
  for (const name of ['d', 'd/small', 'd/large'] as const)
    assert.deepEqual(await onDisk(pull, name), attributes[name], name)
  assert.equal((await pull.disk.lstat(`${ROOT}/d/small`)).mode & 0o777, 0o444)
  await pull.assertSettled()

  // A change of the time alone starts no process; a change of attributes alone does, also for read-only files.
  Object.assign(counts, { reads: 0, writes: 0 })
  pull.peer.put('d/large', Buffer.alloc(300_000, 'l'), { modifiedS: 1_700_000_400 })
  await announce(pull, attributes)
  assert.deepEqual(counts, { reads: 0, writes: 0 })
  pull.peer.put('d/small', 'x', { permissions: 0o444 })
  pull.peer.directory('d')
  await announce(pull, { ...attributes, d: {}, 'd/small': { 'user.b': 'new' } })
  assert.deepEqual(await onDisk(pull, 'd'), {})
  assert.deepEqual(await onDisk(pull, 'd/small'), { 'user.b': 'new' })
  assert.equal((await pull.disk.lstat(`${ROOT}/d/small`)).mode & 0o777, 0o444)
  await pull.assertSettled()
})

test('syncXattrs: attributes set, changed and removed locally are announced, also on received items', async () => {
  await using pull = await SimPull.start(SYNCED)
  pull.peer.put('theirs', 'x')
  await announce(pull, { theirs: { 'user.a': '1' } })
  await pull.write('ours', 'y')
  await pull.scan()
  assert.deepEqual(await announced(pull, 'ours'), {}, 'an empty list is announced')
  await set(pull, 'ours', { 'user.b': '2' })
  await set(pull, 'theirs', {}, 'user.a')
  await pull.scan()
  assert.deepEqual(await announced(pull, 'ours'), { 'user.b': '2' })
  assert.deepEqual(await announced(pull, 'theirs'), {})
  await pull.assertSettled()
})

test('sendXattrs alone announces local attributes and neither sets nor overrides received ones', async () => {
  await using pull = await SimPull.start({ folder: { sendXattrs: true } })
  pull.peer.put('theirs', 'x')
  await announce(pull, { theirs: { 'user.a': '1' } })
  await pull.write('ours', 'y')
  await set(pull, 'ours', { 'user.b': '2', 'security.x': 'no' })
  await pull.scan()
  assert.deepEqual(await onDisk(pull, 'theirs'), {})
  assert.deepEqual(await announced(pull, 'theirs'), { 'user.a': '1' })
  assert.deepEqual(await announced(pull, 'ours'), { 'user.b': '2' })
  await pull.assertSettled()
})

test('without both options attributes are not read, and received ones are kept in the record', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('theirs', 'x')
  await announce(pull, { theirs: { 'user.a': '1' } })
  await pull.write('ours', 'y')
  await pull.scan()
  assert.deepEqual(pull.hub.platform.attributes.counts, { reads: 0, writes: 0 })
  assert.deepEqual([await announced(pull, 'theirs'), await announced(pull, 'ours')], [{ 'user.a': '1' }, undefined])
})

test('an attribute that the file system rejects is reported, and the file is not created', async () => {
  await using pull = await SimPull.start(SYNCED)
  pull.hub.platform.attributes.refused = 'user.bad'
  pull.peer.put('file', 'x')
  pull.peer.put('good', 'x')
  await announce(pull, { file: { 'user.a': '1', 'user.bad': '2' }, good: { 'user.a': '1' } })
  assert.deepEqual(await pull.errors(), [
    'file: syncing: setting extended attribute "user.bad": the file system of this folder does not support it',
  ])
  assert.deepEqual(
    (await pull.tree()).filter((name) => !name.startsWith('.syncthing.')),
    ['good'],
  )
})

test('attributes rejected by the filter are neither set nor removed, and are forwarded', async () => {
  const xattrFilter = {
    entries: [
      { match: 'user.no*', permit: false },
      { match: 'user.*', permit: true },
    ],
    maxSingleEntrySize: 20,
    maxTotalSize: 40,
  }
  await using pull = await SimPull.start({ folder: { syncXattrs: true, xattrFilter } })
  const attributes = {
    some: { 'user.a': '1', 'user.no': '2', 'user.large': 'l'.repeat(20), 'security.capability': 'x' },
    many: { 'user.a': '1234567890', 'user.b': '1234567890', 'user.c': '1234567890' },
  }
  for (const name of Object.keys(attributes)) pull.peer.put(name, 'x')
  await announce(pull, attributes)
  assert.deepEqual(await onDisk(pull, 'some'), { 'user.a': '1' })
  assert.deepEqual(await onDisk(pull, 'many'), {})
  await pull.assertSettled()
  await set(pull, 'some', { 'user.now': 'mine', 'user.long': 'l'.repeat(20) })
  await pull.assertSettled()
  pull.peer.put('some', 'x')
  await announce(pull, { ...attributes, some: {} })
  assert.deepEqual(await onDisk(pull, 'some'), { 'user.now': 'mine', 'user.long': 'l'.repeat(20) })
  await pull.assertSettled()
})

test('attributes above the limit are a problem of the item, and its record is unchanged', async () => {
  await using pull = await SimPull.start(SYNCED)
  await pull.write('file', 'x')
  await set(pull, 'file', { 'user.a': '1' })
  await pull.scan()
  await set(pull, 'file', Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`user.${i}`, 'v'.repeat(900)])))
  await pull.scan()
  assert.match((await pull.errors()).join(), /^file: .*maxTotalSize/)
  assert.deepEqual(await announced(pull, 'file'), { 'user.a': '1' })
})

test('receiveonly: a change of attributes alone is undone by a revert', async () => {
  await using pull = await SimPull.start({ folder: { syncXattrs: true, type: 'receiveonly' } })
  pull.peer.put('file', 'x')
  pull.peer.directory('d')
  await announce(pull, { file: { 'user.a': '1' }, d: { 'user.d': '1' } })
  await set(pull, 'file', { 'user.b': '2' }, 'user.a')
  await set(pull, 'd', { 'user.d': '2' })
  await pull.scan()
  await pull.hub.while(pull.hub.model.revert(DOCS))
  await pull.rest()
  assert.deepEqual(await onDisk(pull, 'file'), { 'user.a': '1' })
  assert.deepEqual(await onDisk(pull, 'd'), { 'user.d': '1' })
  await pull.assertSettled()
})

test('a send-only folder sets no attributes, whatever its options', async () => {
  await using pull = await SimPull.start({ folder: { syncXattrs: true, type: 'sendonly' } })
  await pull.write('file', 'x')
  await set(pull, 'file', { 'user.a': '1' })
  await pull.scan()
  pull.hub.platform.attributes.counts.writes = 0
  const { version } = (await pull.index.records.get('local', 'file'))!
  pull.peer.put('file', 'x', { basedOn: version })
  await announce(pull, { file: { 'user.b': '2' } })
  await pull.scan()
  assert.equal(pull.hub.platform.attributes.counts.writes, 0)
  assert.deepEqual(await onDisk(pull, 'file'), { 'user.a': '1' })
})

test('without the attr package there is one warning; once installed, attributes are set', async () => {
  await using pull = await SimPull.start(SYNCED)
  const { attributes } = pull.hub.platform
  attributes.available = false
  pull.peer.put('file', 'x')
  pull.peer.put('other', 'x')
  pull.peer.directory('d')
  await announce(pull, { file: { 'user.a': '1' }, other: { 'user.o': '1' }, d: { 'user.d': '1' } })
  await pull.assertSettled()
  assert.equal(pull.hub.lines.filter((line) => line.includes('install the package attr')).length, 1)
  attributes.available = true
  await set(pull, 'other', { 'user.own': '2' })
  await pull.scan()
  for (const [name, wanted] of [
    ['file', { 'user.a': '1' }],
    ['d', { 'user.d': '1' }],
    ['other', { 'user.o': '1', 'user.own': '2' }],
  ] as const) {
    assert.deepEqual(await onDisk(pull, name), wanted)
    assert.deepEqual(await announced(pull, name), wanted)
  }
  // From here on missing attributes count as removed.
  await set(pull, 'file', {}, 'user.a')
  await pull.scan()
  assert.deepEqual(await announced(pull, 'file'), {})
  await pull.assertSettled()
})

test('a remotely renamed file keeps its attributes', async () => {
  await using pull = await SimPull.start(SYNCED)
  pull.peer.put('old', Buffer.alloc(300_000, 'l'))
  await announce(pull, { old: { 'user.a': '1' } })
  pull.peer.put('new', Buffer.alloc(300_000, 'l'))
  pull.peer.put('old', '', { deleted: true })
  await announce(pull, { new: { 'user.a': '1', 'user.b': '2' } })
  assert.deepEqual(await onDisk(pull, 'new'), { 'user.a': '1', 'user.b': '2' })
  await pull.assertSettled()
})

test('outdated attributes of an interrupted pull are removed', async () => {
  await using pull = await SimPull.start(SYNCED)
  const content = Buffer.alloc(300_000, 'l')
  const temporary = temporaryName('file', 'linux')
  await pull.write(temporary, content.toString('latin1', 0, 200_000))
  await set(pull, temporary, { 'user.old': '1' })
  pull.peer.put('file', content)
  await announce(pull, { file: { 'user.new': '2' } })
  assert.deepEqual(await onDisk(pull, 'file'), { 'user.new': '2' })
  assert.ok(pull.peer.requests.length < 3, 'it was used')
  await pull.assertSettled()
})

test('no attribute is removed before a scan has read the local ones', async () => {
  await using pull = await SimPull.start(SYNCED)
  const { attributes } = pull.hub.platform
  attributes.available = false
  pull.peer.put('file', 'x')
  await announce(pull, { file: { 'user.a': '1' } })
  attributes.available = true
  await set(pull, 'file', { 'user.own': '2' })
  pull.peer.put('file', 'x', { modifiedS: 1_700_000_400 })
  await announce(pull, { file: { 'user.a': '3' } })
  assert.deepEqual(await onDisk(pull, 'file'), { 'user.a': '3', 'user.own': '2' })
  await pull.scan()
  assert.deepEqual(await announced(pull, 'file'), { 'user.a': '3', 'user.own': '2' })
  await pull.assertSettled()
})
