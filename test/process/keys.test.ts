/** Keys and users with limits, on a real daemon: by the commands, and as programs and browsers use them. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const OWNER = { user: 'alice', password: 'password of the owner' }
const scratch = scratchDirectory()
const home = join(scratch.path, 'home')
let daemon: Daemon

before(async () => {
  daemon = await startDaemon({ home })
  for (const id of ['photos', 'cellar']) {
    mkdirSync(join(scratch.path, id))
    writeFileSync(join(scratch.path, id, `${id}.txt`), `text of ${id}`)
    assert.equal(
      (await daemon.request('POST', '/rest/config/folders', { id, path: join(scratch.path, id) })).status,
      200,
    )
  }
  await daemon.request('PATCH', '/rest/config/gui', OWNER)
  await daemon.request('PATCH', '/rest/twinfold/settings', { drive: true })
  for (const id of ['photos', 'cellar']) {
    await eventually(`the scan of ${id}`, async () => {
      const { localFiles } = (await daemon.get(`/rest/db/status?folder=${id}`)) as { localFiles: number }
      return localFiles === 1 ? true : undefined
    })
  }
})

after(async () => {
  await daemon[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

async function twinfold(words: readonly string[], input?: string): Promise<string> {
  const { code, out, err } = await runCommand([...words, '--home', home, '--gui-address', daemon.url], {
    ...(input !== undefined && { input }),
  })
  assert.equal(code, 0, `${words.join(' ')}: ${err}`)
  return out.trim()
}

const as = (key: string, path: string, init: RequestInit = {}) =>
  fetch(`${daemon.url}${path}`, { ...init, headers: { 'X-API-Key': key, ...init.headers } })
const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

test('a key is printed once, stored as a hash in a private file, listed with its last use, and limited', async () => {
  const key = await twinfold(['key', 'add', 'widget', '--folder', 'photos', '--expires', '90d'])
  const file = join(home, 'twinfold-keys.json')
  assert.ok(!readFileSync(file, 'utf8').includes(key))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match(
    await twinfold(['key', 'list']),
    /^NAME +SCOPE +FOLDERS +EXPIRES +LAST USE\nwidget +monitor +photos +20\S+ +never$/,
  )
  const config = await (await as(key, '/rest/config')).text()
  assert.ok(config.includes('photos') && !config.includes('cellar') && !config.includes('password of the owner'))
  assert.equal((await as(key, '/rest/db/status?folder=cellar')).status, 403)
  const refused = await as(key, '/rest/db/scan?folder=photos', { method: 'POST' })
  assert.deepEqual(
    [refused.status, await refused.text()],
    [403, 'the key widget has the scope monitor; this needs operate\n'],
  )
  const metrics = await (await as(key, '/metrics')).text()
  assert.ok(metrics.includes('folder="photos"') && !metrics.includes('cellar'))
  assert.match(await twinfold(['key', 'list']), /^widget .* 20\S+Z?$/m)

  const dav = (path: string, method = 'GET') =>
    fetch(`${daemon.url}/dav/${path}`, { method, headers: { Depth: '1', ...basic('any', key) } })
  assert.equal(await (await dav('photos/photos.txt')).text(), 'text of photos')
  assert.equal((await dav('cellar/cellar.txt')).status, 404)
  const top = await (await dav('', 'PROPFIND')).text()
  assert.ok(top.includes('photos') && !top.includes('cellar'))
  const content = await as(key, '/rest/twinfold/content?folder=photos&file=photos.txt')
  assert.equal(await content.text(), 'text of photos')
})

test('a revoked key ends its event stream and its long poll at once', async () => {
  const key = await twinfold(['key', 'add', 'watcher', '--scope', 'operate', '--folder', 'photos'])
  const stream = await as(key, '/rest/twinfold/events/stream')
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      seen += value
    }
  })().catch(() => {}) // the connection is cut off
  assert.equal((await daemon.request('POST', '/rest/db/scan?folder=cellar')).status, 200)
  assert.equal((await as(key, '/rest/db/scan?folder=photos', { method: 'POST' })).status, 200)
  await eventually('an event of the folder', () => (seen.includes('"StateChanged"') ? true : undefined))
  assert.ok(seen.includes('photos') && !seen.includes('cellar'), seen)
  const poll = await as(key, '/rest/events?events=Failure&timeout=600')
  const polled = poll.text().then(
    (text) => `answered ${text}`,
    () => 'cut off',
  )
  assert.equal(await twinfold(['key', 'revoke', 'watcher']), 'Revoked the key "watcher".')
  await reading
  assert.equal(await polled, 'cut off')
  assert.equal((await as(key, '/rest/system/ping')).status, 403)
})

test('a user with the scope monitor logs in on the page, reads, and changes nothing', async () => {
  assert.match(
    await twinfold(['user', 'add', 'guest'], 'password of the guest\n'),
    /^Added the user "guest": monitor, all/,
  )
  const login = (password: string) =>
    fetch(`${daemon.url}/rest/noauth/auth/password`, {
      method: 'POST',
      body: JSON.stringify({ username: 'guest', password }),
    })
  assert.equal((await login('password of the owner')).status, 403)
  const { status, headers } = await login('password of the guest')
  assert.equal(status, 204)
  const session = headers.getSetCookie()[0]!.split(';')[0]!
  const page = await fetch(`${daemon.url}/`, { headers: { Cookie: session } })
  const [name, token] = page.headers.getSetCookie()[0]!.split(';')[0]!.split('=') as [string, string]
  const send = (method: string, path: string) =>
    fetch(`${daemon.url}${path}`, { method, headers: { Cookie: session, [`X-${name}`]: token } })
  const summary = (await (await send('GET', '/rest/twinfold/summary')).json()) as { access: unknown }
  assert.deepEqual(summary.access, { name: 'guest', scope: 'monitor', folders: null })
  assert.equal((await send('POST', '/rest/system/restart')).status, 403)
  const gui = (await (await send('GET', '/rest/config/gui')).json()) as { apiKey: string; password: string }
  assert.deepEqual([gui.apiKey, gui.password], ['REDACTED', 'REDACTED'])
  assert.equal(await twinfold(['user', 'remove', 'guest']), 'Removed the user "guest".')
  assert.equal((await send('GET', '/rest/system/ping')).status, 403)
})
