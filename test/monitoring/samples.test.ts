/** The samples of docs/samples with the real Prometheus, nginx and Caddy of Debian, in front of real devices. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { freePort } from '../support/free-port.ts'
import { alertExpressions, dashboardExpressions, metricsOf, sampleText } from '../support/monitoring-samples.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { unpackedProgram } from '../support/unpacked-package.ts'

const PROMETHEUS = unpackedProgram('prometheus', 'usr/bin/prometheus')
const NGINX = unpackedProgram('nginx', 'usr/sbin/nginx')
const CADDY = unpackedProgram('caddy', 'usr/bin/caddy')

const scratch = scratchDirectory()
const devices = new AsyncDisposableStack()
let member: Member

before(async () => {
  const env = { TWINFOLD_TRUSTED_PROXIES: '127.0.0.1' }
  member = devices.use(await startMember(scratch.path, 'a', { env }))
  const other = devices.use(await startMember(scratch.path, 'b'))
  await connect(member, other)
  await inSync([member, other])
})

after(async () => {
  await devices.disposeAsync()
  scratch[Symbol.dispose]()
})

/** Runs until the scope ends; its output is in the error when it ends early. */
function start(path: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcess = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (output += String(text)))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    /** Until a request succeeds. */
    ready: (url: string) =>
      eventually(`a reply of ${url}`, async () => {
        if (hasEnded()) throw new Error(`ended: ${output}`)
        const reply = await fetch(url).catch(() => undefined) // not listening yet
        return reply?.ok === true ? true : undefined
      }),
    [Symbol.asyncDispose]: async () => {
      if (hasEnded()) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

const hostOf = () => new URL(member.daemon.url).host

test(
  'Prometheus scrapes with a key of the scope monitor; every expression is understood and has values',
  {
    skip: PROMETHEUS.missing ?? false,
  },
  async () => {
    const directory = join(scratch.path, 'prometheus')
    mkdirSync(directory)
    const { key } = JSON.parse(
      await member.daemon.post('/rest/twinfold/keys', { name: 'prometheus', scope: 'monitor' }),
    ) as { key: string }
    writeFileSync(join(directory, 'twinfold.key'), key)
    writeFileSync(join(directory, 'alerts.yml'), sampleText('alerts.yml'))
    const settings = sampleText('prometheus.yml')
      .replace('/etc/prometheus/twinfold.key', join(directory, 'twinfold.key'))
      .replace('127.0.0.1:8384', hostOf())
      .replace('scrape_interval: 30s', 'scrape_interval: 1s\n  evaluation_interval: 1s')
    writeFileSync(join(directory, 'prometheus.yml'), settings)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    await using prometheus = start(PROMETHEUS.path, [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ])
    await prometheus.ready(`${url}/-/ready`)
    const query = async (expression: string) => {
      const reply = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression }).toString()}`)
      const { status, error, data } = (await reply.json()) as QueryReply
      assert.equal(status, 'success', `${expression}: ${error ?? ''}`)
      return data.result
    }
    await eventually('two scrapes', async () =>
      (await query('count_over_time(up{job="twinfold"}[1m]) > 2')).length > 0 ? true : undefined,
    )
    assert.equal((await query('up{job="twinfold"}'))[0]?.value[1], '1')
    for (const expression of dashboardExpressions()) assert.ok((await query(expression)).length > 0, expression)
    for (const expression of alertExpressions()) {
      await query(expression)
      for (const name of metricsOf(expression)) assert.ok((await query(name)).length > 0, name)
    }
    await eventually('the rules are evaluated without a fault', async () => {
      const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as RulesReply
      const rules = data.groups.flatMap((group) => group.rules)
      assert.equal(rules.length, alertExpressions().length)
      return rules.every(({ health }) => health === 'ok') ? true : undefined
    })
  },
)

interface QueryReply {
  readonly status: string
  readonly error?: string
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] }
}

interface RulesReply {
  readonly data: { readonly groups: readonly { readonly rules: readonly { readonly health: string }[] }[] }
}

/** The page, the interface and the stream of events through a proxy. */
async function checkProxy(origin: string): Promise<void> {
  const headers = { 'X-API-Key': member.daemon.apiKey }
  assert.match(await (await fetch(`${origin}/`)).text(), /<!doctype html>/i)
  const status = (await (await fetch(`${origin}/rest/system/status`, { headers })).json()) as { myID: string }
  assert.equal(status.myID, member.id)
  const stop = new AbortController()
  const stream = await fetch(`${origin}/rest/twinfold/events/stream`, { headers, signal: stop.signal })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) seen += next.value
  })().catch(() => {}) // the test ends it
  await eventually('an event at once', async () => {
    await fetch(`${origin}/rest/db/scan?folder=docs`, { method: 'POST', headers })
    return seen.includes('StateChanged') ? true : undefined
  })
  stop.abort()
  await reading
}

test('nginx as in the sample', { skip: NGINX.missing ?? false }, async () => {
  const directory = join(scratch.path, 'nginx')
  mkdirSync(join(directory, 'logs'), { recursive: true })
  const port = await freePort()
  const site = sampleText('nginx.conf')
    .replace('listen 80', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:8384', hostOf())
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(directory, name)};`)
    .join('\n')
  const whole = `daemon off; pid ${join(directory, 'pid')}; error_log stderr; events {}
http { access_log off; ${paths}
${site} }`
  writeFileSync(join(directory, 'nginx.conf'), whole)
  await using nginx = start(NGINX.path, ['-p', directory, '-c', join(directory, 'nginx.conf')])
  await nginx.ready(`http://127.0.0.1:${port}/rest/noauth/health`)
  await checkProxy(`http://127.0.0.1:${port}`)
})

test('Caddy as in the sample', { skip: CADDY.missing ?? false }, async () => {
  const directory = join(scratch.path, 'caddy')
  mkdirSync(directory)
  const port = await freePort()
  // No certificate is requested from anywhere: the address is one of plain http on loopback.
  const site = sampleText('Caddyfile')
    .replace('sync.example.org', `http://127.0.0.1:${port}`)
    .replace('127.0.0.1:8384', hostOf())
  writeFileSync(join(directory, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  const home = { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }
  const args = ['run', '--config', join(directory, 'Caddyfile'), '--adapter', 'caddyfile']
  await using caddy = start(CADDY.path, args, home)
  await caddy.ready(`http://127.0.0.1:${port}/rest/noauth/health`)
  await checkProxy(`http://127.0.0.1:${port}`)
})
