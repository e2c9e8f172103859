/** Hooks of real daemons: added by the command, told about files of another device, and not lost by a kill. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'
import { connect, inSync, restartMember, startMember, type Member } from '../support/daemon-pair.ts'
import { alertExpressions, dashboardExpressions, metricsOf } from '../support/monitoring-samples.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const SECRET = 'a secret of more than 16 characters'

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Keeps what it receives; does not reply while it hangs. */
function listen(received: Received[], isHanging: () => boolean) {
  const server = createServer((request, reply) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      received.push({ method, path, headers, body: Buffer.concat(pieces).toString() })
      if (!isHanging()) reply.writeHead(204).end()
    })
  })
  return new Promise<{ readonly url: string } & Disposable>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      resolve({ url, [Symbol.dispose]: () => void (server.closeAllConnections(), server.close()) })
    })
  })
}

async function twinfold(member: Member, words: readonly string[], code = 0): Promise<string> {
  const { daemon } = member
  const home = ['--home', daemon.home, '--gui-address', daemon.url]
  const result = await runCommand([...words.slice(0, 2), ...home, ...words.slice(2)])
  assert.equal(result.code, code, `${words.join(' ')}: ${result.out}${result.err}`)
  return `${result.out}${result.err}`.trim()
}

test('a webhook and a program are told when files of others are complete; a kill loses nothing', async () => {
  using scratch = scratchDirectory()
  const received: Received[] = []
  let isHanging = false
  using server = await listen(received, () => isHanging)
  const of = (path: string) => received.filter((each) => each.path === path)
  await using a = await startMember(scratch.path, 'a')
  const b = await startMember(scratch.path, 'b')
  await using devices = new AsyncDisposableStack()
  devices.use(b)
  await connect(a, b)
  writeFileSync(join(a.root, 'before.txt'), 'before the hooks')
  await a.daemon.request('POST', '/rest/db/scan?folder=docs')
  await inSync([a, b])

  const secretFile = join(scratch.path, 'secret.txt')
  writeFileSync(secretFile, `${SECRET}\n`)
  const url = (path: string) => ['--url', `${server.url}${path}`, '--allow-private']
  const onSync = ['--on', 'folder-in-sync', '--folder', 'docs', '--after', '1s']
  assert.match(
    await twinfold(b, ['hook', 'add', 'web', ...onSync, ...url('/web'), '--secret-file', secretFile]),
    /^Added the hook "web": sends to http:.* on folder-in-sync, folder docs, after 1s/,
  )
  const output = join(scratch.path, 'paths.txt')
  const code = `require('fs').copyFileSync(process.env.TWINFOLD_PATHS_FILE, process.argv[1])`
  await twinfold(b, ['hook', 'add', 'run', ...onSync, '--exec', process.execPath, '--', '-e', code, output])
  const direct = (path: string) => ({ name: 'direct', after: '1m', url: `${server.url}${path}`, allowPrivate: true })
  await b.daemon.post('/rest/twinfold/hooks', { ...direct('/alive'), on: 'all-in-sync' })
  const conflict = { name: 'conflict', on: 'conflict', allowPrivate: true }
  const seen = { on: 'folder-in-sync', folder: 'docs', after: '1s', device: b.id }
  await a.daemon.post('/rest/twinfold/hooks', { ...direct('/seen'), ...seen })
  const refused = await twinfold(b, ['hook', 'add', 'x', '--on', 'error', '--url', 'http://127.0.0.1/'], 1)
  assert.match(refused, /127\.0\.0\.1 is a private address; allow/)
  assert.equal(await twinfold(b, ['hook', 'test', 'web']), 'Delivered: HTTP 204')
  assert.equal(of('/web').length, 1)
  await eventually('the first call', () => (of('/alive').length > 0 ? true : undefined))

  writeFileSync(join(a.root, 'new.txt'), 'after the hooks')
  await a.daemon.request('POST', '/rest/db/scan?folder=docs')
  await eventually('the webhook', () => (of('/web').length === 2 ? true : undefined))
  const { headers, body } = of('/web')[1]!
  const { id, text, folder } = JSON.parse(body) as { id: string; text: string; folder: { id: string } }
  assert.deepEqual([text, folder.id, headers['webhook-id']], ['Folder "docs" is in sync', 'docs', id])
  const signed = `${id}.${String(headers['webhook-timestamp'])}.${body}`
  assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`)
  await eventually('the program', () => (readOr(output) === 'new.txt\0' ? true : undefined))
  await eventually('the other device', () => (of('/seen').length === 1 ? true : undefined))
  assert.match(JSON.parse(of('/seen')[0]!.body).text as string, /^Folder "docs" is in sync on peer$/)

  await b.daemon.post('/rest/twinfold/hooks', { ...conflict, url: `${server.url}/conflict` })
  const pause = (paused: boolean) => b.daemon.request('PATCH', `/rest/config/devices/${a.id}`, { paused })
  await pause(true)
  for (const { root, daemon } of [a, b]) {
    writeFileSync(join(root, 'new.txt'), `edited in ${root}`)
    await daemon.request('POST', '/rest/db/scan?folder=docs')
  }
  await pause(false)
  await eventually('the conflict', () => (of('/conflict').length === 1 ? true : undefined))
  const { details } = JSON.parse(of('/conflict')[0]!.body) as { details: { conflicts: readonly string[] } }
  assert.match(details.conflicts.join(), /^new\.sync-conflict-[\d-]+-\w{7}\.txt$/)
  await inSync([a, b])

  const scrape = await (await b.daemon.request('GET', '/metrics')).text()
  for (const name of [...dashboardExpressions(), ...alertExpressions()].flatMap(metricsOf)) {
    assert.match(scrape, new RegExp(`^${name}[{ ]`, 'm'), name)
  }

  const delivered = of('/web').length
  isHanging = true
  writeFileSync(join(a.root, 'new.txt'), 'changed once more')
  await a.daemon.request('POST', '/rest/db/scan?folder=docs')
  await eventually('the second delivery', () => (of('/web').length > delivered ? true : undefined))
  b.daemon.child.kill('SIGKILL')
  await eventually('its end', () => (b.daemon.child.signalCode === null ? undefined : true))
  const cutOff = of('/web').at(-1)!.headers['webhook-id']
  isHanging = false
  const again = devices.use(await restartMember(b))
  await eventually('the same delivery after the kill', () => {
    const ids = of('/web').map(({ headers }) => headers['webhook-id'])
    return ids.filter((each) => each === cutOff).length === 2 ? true : undefined
  })
  await eventually('nothing waits', async () => {
    const hooks = (await again.daemon.get('/rest/twinfold/hooks')) as readonly { readonly waiting: number }[]
    return hooks.every(({ waiting }) => waiting === 0) ? true : undefined
  })
  assert.match(await twinfold(again, ['hook', 'list']), /^web +folder-in-sync .* 0 +delivered/m)
  assert.match(
    await twinfold(again, ['hook', 'log', 'web']),
    /^TIME .*\n.* delivered +Folder "docs" is in sync +HTTP 204/,
  )
  assert.equal(await twinfold(again, ['hook', 'remove', 'web']), 'Removed the hook "web".')
  assert.doesNotMatch(await twinfold(again, ['hook', 'list', '--json']), /"web"/)
})

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // not there yet
  }
}
