/** The page of a device on Windows: its files, log-in by password, protection of sessions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Daemon } from '../support/daemon.ts'
import { runTwinfold, startWindows, windowsDirectory, windowsPath } from '../support/windows.ts'

interface Session {
  readonly status: number
  readonly cookies: readonly string[]
}

async function logIn({ url }: Daemon, password: string): Promise<Session> {
  const body = JSON.stringify({ username: 'anna', password })
  const reply = await fetch(`${url}/rest/noauth/auth/password`, { method: 'POST', body })
  return { status: reply.status, cookies: cookiesOf(reply) }
}

function cookiesOf(reply: Response): readonly string[] {
  return reply.headers.getSetCookie().map((line) => line.split(';')[0]!)
}

test('the page is served with all its files, and asks for the password that was set', async () => {
  using scratch = windowsDirectory()
  await using windows = await startWindows(scratch.path)
  const { daemon } = windows
  const page = await (await fetch(`${daemon.url}/`)).text()
  const files = [...page.matchAll(/(?:src|href)="\.?\/?([^":#?]+)"/g)].map(([, path]) => path!)
  assert.ok(files.length >= 2, page)
  for (const path of files) {
    const reply = await fetch(`${daemon.url}/${path}`)
    assert.equal(reply.status, 200, path)
    assert.match(reply.headers.get('content-type') ?? '', /javascript|css|svg|png|json|icon/, path)
    assert.ok((await reply.arrayBuffer()).byteLength > 0, path)
  }
  for (const path of [
    '..%5c..%5cconfig.xml',
    '%2e%2e/config.xml',
    'C:%5cwindows%5cwin.ini',
    'assets%5c..%5c..%5cpackage.json',
  ])
    assert.notEqual((await fetch(`${daemon.url}/${path}`)).status, 200, path)

  const set = await daemon.request('PATCH', '/rest/config/gui', { user: 'anna', password: 'Geheimnis ß 1' })
  assert.equal(set.status, 200, await set.text())
  assert.match(JSON.stringify(await daemon.get('/rest/config/gui')), /"password":"\$2/, 'hashed')
  assert.equal((await fetch(`${daemon.url}/rest/system/status`)).status, 403)
  assert.equal((await logIn(daemon, 'Geheimnis ss 1')).status, 403)
  const session = await logIn(daemon, 'Geheimnis ß 1')
  assert.equal(session.status, 204)
  const first = await fetch(`${daemon.url}/`, { headers: { cookie: session.cookies.join('; ') } })
  const cookies = [...session.cookies, ...cookiesOf(first)]
  const token = cookies.find((each) => each.startsWith('CSRF-Token-'))
  assert.ok(token !== undefined, cookies.join())
  const [name, value] = token.split('=') as [string, string]
  const status = (headers: Record<string, string>) =>
    fetch(`${daemon.url}/rest/system/status`, { headers: { cookie: cookies.join('; '), ...headers } })
  assert.equal((await status({})).status, 403, 'a session without the token of the page')
  assert.equal((await status({ [`X-${name}`]: value })).status, 200)
  assert.equal((await status({ [`X-${name}`]: `${value}x` })).status, 403)

  const { code, output } = runTwinfold(['status', '--json', `--home=${windowsPath(daemon.home)}`])
  assert.equal(code, 0, 'a command uses the key of the home, not the password')
  assert.ok(output.includes(windows.id))
})
