/** `twinfold demo`: the first minute of a newcomer, and nothing left of it afterwards. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDemo } from '../support/demo.ts'
import { endOf, runCommand, startCommand } from '../support/command.ts'
import { differencesOf } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const namesIn = (directory: string) => readdirSync(directory)

/** Everything that would contact other hosts is off. */
async function assertNoContacts(demo: Awaited<ReturnType<typeof startDemo>>): Promise<void> {
  const { options } = (await demo.get('/rest/config')) as { options: Record<string, unknown> }
  for (const name of [
    'globalAnnounceEnabled',
    'localAnnounceEnabled',
    'relaysEnabled',
    'natEnabled',
    'crashReportingEnabled',
  ]) {
    assert.equal(options[name], false, name)
  }
  assert.deepEqual([options['urAccepted'], options['autoUpgradeIntervalH']], [-1, 0])
  assert.deepEqual(options['listenAddresses'], ['tcp://127.0.0.1:0'])
}

test('demo: two devices in sync, a conflict, an old version, two requests; an interrupt leaves nothing', async () => {
  using scratch = scratchDirectory()
  await using demo = await startDemo(scratch.path)
  assert.equal(statSync(demo.directory).mode & 0o777, 0o700)
  assert.deepEqual(
    demo.pages.map(({ name }) => name),
    ['Laptop', 'Desk', 'Phone'],
  )
  for (const { url } of demo.pages) {
    const reply = await fetch(url)
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'self'/)
    await reply.arrayBuffer()
  }

  const documents = join(demo.directory, 'Laptop', 'Documents')
  const versions = join(documents, '.stversions')
  await eventually(
    'a conflict copy',
    () => namesIn(documents).some((name) => name.includes('.sync-conflict-')) || undefined,
    60_000,
  )
  await eventually(
    'an old version',
    () => namesIn(versions).some((name) => name.startsWith('Plan~')) || undefined,
    60_000,
  )
  const photos = (device: string) => join(demo.directory, device, 'Photos')
  await eventually('new photos', () => namesIn(photos('Laptop')).includes('Today') || undefined, 60_000)
  await eventually(
    'equal photos',
    () => differencesOf(photos('Laptop'), photos('Desk')).length === 0 || undefined,
    60_000,
  )
  const picture = readFileSync(join(photos('Desk'), 'Lake', 'IMG_1001.png'))
  assert.equal(picture.subarray(1, 4).toString('latin1'), 'PNG')

  const asked = await eventually(
    'the phone asks',
    async () => {
      const devices = await demo.get('/rest/cluster/pending/devices')
      const folders = await demo.get('/rest/cluster/pending/folders')
      const names = Object.values(devices).map((device) => Reflect.get(Object(device), 'name'))
      return names.length > 0 && Object.keys(folders).length > 0 ? { names, folders: Object.keys(folders) } : undefined
    },
    60_000,
  )
  assert.deepEqual(asked, { names: ['Phone'], folders: ['music-demo'] })

  const [phone] = Object.keys(await demo.get('/rest/cluster/pending/devices'))
  await demo.post('/rest/config/devices', { deviceID: phone, name: 'Phone' })
  await eventually(
    'the accepted phone offers its folder',
    async () => 'camera-demo' in (await demo.get('/rest/cluster/pending/folders')) || undefined,
    60_000,
  )

  await assertNoContacts(demo)

  demo.child.kill('SIGINT')
  assert.equal(await endOf(demo.child), 0)
  assert.match(demo.output, /Ctrl\+C ends it, nothing stays behind/)
  assert.deepEqual(namesIn(scratch.path), [])
})

test('demo: a device restarted from its page comes back at the same address', async () => {
  using scratch = scratchDirectory()
  await using demo = await startDemo(scratch.path)
  const started = async () => ((await demo.get('/rest/twinfold/summary'))['system'] as { startTime: string }).startTime
  const before = await started()
  await demo.post('/rest/system/restart')
  await eventually('the same page again', async () => ((await started()) !== before ? true : undefined), 60_000)
})

test('demo: shutting down the first device from its page ends all', async () => {
  using scratch = scratchDirectory()
  await using demo = await startDemo(scratch.path)
  await demo.post('/rest/system/shutdown')
  assert.equal(await endOf(demo.child), 0)
  assert.deepEqual(namesIn(scratch.path), [])
})

for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  test(`demo: ${signal} during the start leaves nothing`, async () => {
    using scratch = scratchDirectory()
    const child = startCommand(['demo', '--no-browser'], { env: { TMPDIR: scratch.path } })
    await eventually('its directory', () => namesIn(scratch.path)[0], 60_000)
    child.kill(signal)
    assert.equal(await endOf(child), 0)
    assert.deepEqual(namesIn(scratch.path), [])
  })
}

test('demo: a port in use is an error with a remedy, and leaves nothing', async () => {
  using scratch = scratchDirectory()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const { code, err } = await runCommand(['demo', '--no-browser', '--port', String(address.port)], {
      env: { TMPDIR: scratch.path },
    })
    assert.equal(code, 1)
    assert.match(err, /error: the page of Laptop cannot be at 127\.0\.0\.1:\d+: .*choose another --port/)
    assert.deepEqual(namesIn(scratch.path), [])
  } finally {
    server.close()
  }
})

test('demo: unknown arguments are rejected before anything is created', async () => {
  using scratch = scratchDirectory()
  for (const words of [['--port', '70000'], ['--port', 'x'], ['--home', '/nowhere'], ['more']]) {
    const { code, err } = await runCommand(['demo', '--no-browser', ...words], { env: { TMPDIR: scratch.path } })
    assert.equal(code, 1)
    assert.match(err, /error: /)
  }
  assert.deepEqual(namesIn(scratch.path), [])
})
