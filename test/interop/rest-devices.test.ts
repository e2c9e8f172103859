/**
 * The answers about another device, a real Syncthing, in every situation that was captured: pending, connected, paused,
 * gone.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { missingIn } from '../support/json-shape.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? false
const scratch = scratchDirectory()
let network: Network
let twinfold: Member
let syncthing: Member
const matched = new Set<string>()

before(async () => {
  if (skip !== false) return
  network = await Network.open(scratch.path)
  ;[twinfold, syncthing] = await Promise.all([
    network.add('twinfold', 'twinfold'),
    network.add('syncthing', 'syncthing'),
  ])
})

after(async () => {
  await network?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** Asks Twinfold what the capture asked, about our device and folder, and compares the shape. */
async function matches(fixture: string, without: readonly string[] = []): Promise<unknown> {
  const { request, response } = JSON.parse(
    readFileSync(new URL(`../fixtures/rest/${fixture}.json`, import.meta.url), 'utf8'),
  )
  const path = String(request.path).replace(/device=[A-Z2-7-]{50,}/, `device=${syncthing.id}`)
  const answer = await twinfold.request(request.method, path, request.body)
  if (response.json !== undefined) assert.deepEqual(missingIn(answer, response.json, new Set(without)), [], fixture)
  matched.add(fixture)
  return answer
}

const about = (answer: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    answer,
  )

test('an unknown device is pending, and dismissed until it connects again', { skip }, async () => {
  await matches('cluster-pending-devices-get-empty')
  await syncthing.introduce(twinfold)
  const answer = await eventually('the unknown device', async () => {
    const pending = await twinfold.get('/rest/cluster/pending/devices')
    return about(pending, syncthing.id) === undefined ? undefined : pending
  })
  assert.equal(typeof about(answer, syncthing.id, 'address'), 'string')
  await matches('cluster-pending-devices-get')
  await twinfold.request('DELETE', `/rest/cluster/pending/devices?device=${syncthing.id}`)
})

test('a folder is offered', { skip }, async () => {
  await twinfold.introduce(syncthing)
  await syncthing.share([twinfold])
  await eventually('the offer', async () =>
    about(await twinfold.get('/rest/cluster/pending/folders'), FOLDER, 'offeredBy', syncthing.id) === undefined
      ? undefined
      : true,
  )
  await matches('cluster-pending-folders-get')
  await matches('system-connections-get', ['connections.*.secondary'])
})

test('connected and sharing', { skip }, async () => {
  writeFileSync(join(syncthing.root, 'hello.txt'), 'hello')
  await twinfold.share([syncthing])
  await syncthing.scan()
  await untilInSync([twinfold, syncthing])
  assert.equal(
    about(
      await matches('system-connections-get', ['connections.*.secondary']),
      'connections',
      syncthing.id,
      'connected',
    ),
    true,
  )
  await matches('stats-device-get')
  await matches('stats-folder-get', ['second'])
  await matches('db-status-get', ['remoteSequence'])
  const far = await matches('db-completion-get-remote')
  assert.deepEqual([about(far, 'completion'), about(far, 'remoteState')], [100, 'valid'])
  await matches('db-completion-get-local')
  await matches('db-completion-get-aggregate')
  await matches('db-remoteneed-get', ['files.0'])
  await matches('db-file-get')
  const metrics = String(await twinfold.get('/metrics'))
  assert.match(metrics, /^syncthing_model_folder_processed_bytes_total\{folder="share",source="network"\} 5$/m)
  assert.match(metrics, new RegExp(`^syncthing_connections_active\\{device="${syncthing.id}"\\} 1$`, 'm'))
  await matches('debug-peercompletion-get').catch((error: unknown) =>
    assert.match(String(error), /403 Debugging disabled/),
  )
  await twinfold.request('PATCH', '/rest/config/gui', { debugging: true })
  const shares = await eventually('the share of the other device', async () => {
    const answer = await matches('debug-peercompletion-get')
    return about(answer, syncthing.id) === 100 ? answer : undefined
  })
  assert.equal(Object.keys(Object(shares)).length, 2)
})

test('paused and resumed', { skip }, async () => {
  await twinfold.request('POST', `/rest/system/pause?device=${syncthing.id}`)
  await eventually('the pause', async () => ((await twinfold.isConnectedTo(syncthing)) ? undefined : true))
  const paused = await matches('system-connections-get-paused')
  assert.equal(about(paused, 'connections', syncthing.id, 'paused'), true)
  await twinfold.request('POST', `/rest/system/resume?device=${syncthing.id}`)
  await eventually('the connection', async () => (await twinfold.isConnectedTo(syncthing)) || undefined)
})

test('older versions: kept, listed, brought back', { skip }, async () => {
  await assert.rejects(matches('folder-versions-get-noversioner'), /500 folder has no versioner/)
  await twinfold.request('PATCH', `/rest/config/folders/${FOLDER}`, {
    versioning: { type: 'simple', params: { keep: '5' } },
  })
  writeFileSync(join(syncthing.root, 'hello.txt'), 'hello again, and longer')
  await syncthing.scan()
  await untilInSync([twinfold, syncthing], { rescan: [syncthing] })
  const kept = await matches('folder-versions-get', ['m1', 'm2', 'new/f4', 'nx', 'only-b.txt', 'q0.bin'])
  const time = about(kept, 'hello.txt', '0', 'versionTime')
  const failures = await twinfold.request('POST', `/rest/folder/versions?folder=${FOLDER}`, {
    nosuch: '2020-01-01T00:00:00Z',
    '../x': '2020-01-01T00:00:00Z',
  })
  assert.deepEqual(Object.keys(Object(failures)), ['../x', 'nosuch'])
  assert.deepEqual(await twinfold.request('POST', `/rest/folder/versions?folder=${FOLDER}`, { 'hello.txt': time }), {})
  assert.equal(readFileSync(join(twinfold.root, 'hello.txt'), 'utf8'), 'hello')
  await untilInSync([twinfold, syncthing], { rescan: [twinfold] })
})

test('changes of a folder that only receives are listed and undone', { skip }, async () => {
  await twinfold.request('PATCH', `/rest/config/folders/${FOLDER}`, { type: 'receiveonly' })
  writeFileSync(join(twinfold.root, 'only-here.txt'), 'x')
  await twinfold.scan()
  const changed = await matches('db-localchanged-get')
  assert.deepEqual(
    [about(changed, 'files', '0', 'name'), about(changed, 'files', '0', 'localFlags')],
    ['only-here.txt', 8],
  )
  await matches('db-status-get-receiveonly', ['remoteSequence'])
  await matches('db-revert-post')
  await eventually('the undoing', async () => (existsSync(join(twinfold.root, 'only-here.txt')) ? undefined : true))
  await twinfold.request('PATCH', `/rest/config/folders/${FOLDER}`, { type: 'sendonly' })
  await matches('db-override-post')
  await twinfold.request('PATCH', `/rest/config/folders/${FOLDER}`, { type: 'sendreceive' })
})

test('gone: the last answers stay true', { skip }, async () => {
  await syncthing.kill()
  await eventually('the loss', async () => ((await twinfold.isConnectedTo(syncthing)) ? undefined : true))
  const gone = await matches('system-connections-get-paused')
  assert.deepEqual(
    [about(gone, 'connections', syncthing.id, 'connected'), about(gone, 'connections', syncthing.id, 'address')],
    [false, ''],
  )
  const far = await matches('db-completion-get-remote')
  assert.equal(about(far, 'remoteState'), 'unknown')
  writeFileSync(join(twinfold.root, 'later.txt'), 'later')
  await twinfold.scan()
  const need = await matches('db-remoteneed-get')
  assert.equal(about(need, 'files', '0', 'name'), 'later.txt')
  console.log(JSON.stringify({ fixturesInRealSituations: matched.size }))
})
