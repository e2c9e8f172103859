/** W-14: what a running device shows, with a text of its own in every setting that may hold a secret. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Config, FolderConfig } from '../../src/core/config/config.ts'
import { DEVICE, FOLDER } from '../../src/core/config/config-fields.ts'
import { configToJson } from '../../src/core/config/config-json.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { redactConfig } from '../../src/core/config/redact.ts'
import { ROUTES } from '../../src/rest/routes.ts'
import { unzip } from '../http/unzip.ts'
import { documentOf, SERVER } from '../support/config.ts'
import { Daemon } from '../support/daemon.ts'
import { reportRow } from '../support/effort.ts'
import { loopbackOnly, missingNamespaces } from '../support/loopback.ts'
import { plantSecrets } from '../support/planted-secrets.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const skip = missingNamespaces() ?? false
/** The configuration itself, which whoever has the key may read; profiles take long. */
const NOT_ASKED = /^\/rest\/(config|system\/config)(?:\/|$)|^\/rest\/debug\/(?:cpu|heap)prof$|^\/rest\/events|\/:id$/
const START_MS_MAX = 90_000

interface Reply {
  readonly status: number
  readonly body: Buffer
}

/** A device whose connections lead nowhere, with everything logged and audited. */
class ShownDevice implements AsyncDisposable {
  readonly home: string
  #daemon: Daemon | undefined
  #earlier = ''

  constructor(home: string) {
    this.home = home
  }

  async start(): Promise<void> {
    await this.stop()
    this.#daemon = new Daemon({
      home: this.home,
      before: loopbackOnly(),
      guiAddress: `unix://${join(this.home, 'gui.sock')}`,
      args: ['--audit'],
      env: { STTRACE: 'all' },
    })
    const isUp = async () => ((await this.ask('GET', '/rest/system/ping')).status === 200 ? true : undefined)
    await eventually('the device to start', isUp, START_MS_MAX)
  }

  async stop(): Promise<void> {
    this.#earlier += this.#daemon?.output ?? ''
    await this.#daemon?.[Symbol.asyncDispose]()
  }

  get output(): string {
    return this.#earlier + (this.#daemon?.output ?? '')
  }

  configFile(): string {
    return readFileSync(join(this.home, 'config.xml'), 'utf8')
  }

  ask(method: string, path: string, body?: string): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const key = /<apikey>([^<]+)</.exec(this.configFile())?.[1] ?? ''
    const headers = { Host: 'localhost', 'X-API-Key': key }
    const outgoing = request({ socketPath: join(this.home, 'gui.sock'), method, path, headers }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks) }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
    return promise
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

function withEverything(config: Config, root: string): Config {
  const [own] = config.devices
  const devices = [own!.deviceID, SERVER].map((deviceID) => ({
    deviceID,
    introducedBy: '' as const,
    encryptionPassword: '',
  }))
  const versioning = { ...defaultsOf(FOLDER).versioning, type: 'external', params: { command: '' } }
  const folder: FolderConfig = { ...defaultsOf(FOLDER), id: 'docs' as never, path: root, devices, versioning }
  return {
    ...config,
    folders: [folder],
    devices: [own!, { ...defaultsOf(DEVICE), deviceID: SERVER, name: 'server' }],
    gui: { ...config.gui, debugging: true },
    options: {
      ...config.options,
      listenAddresses: ['tcp://127.0.0.1:0'],
      globalAnnounceServers: [],
      globalAnnounceEnabled: true,
      relaysEnabled: true,
      localAnnounceEnabled: false,
      natEnabled: false,
      autoUpgradeIntervalH: 12,
      reconnectionIntervalS: 1,
    },
    defaults: { ...config.defaults, folder: { ...config.defaults.folder, devices, versioning } },
  }
}

/** Requests that are refused, with secrets in them. */
async function refusals(device: ShownDevice, config: Config): Promise<readonly (readonly [string, string])[]> {
  const json = configToJson(config)
  const [folder] = config.folders
  const share = folder!.devices[1]!
  const bodies: readonly (readonly [path: string, method: string, body: unknown])[] = [
    ['/rest/config', 'PUT', { ...json, folders: { docs: folder } }],
    ['/rest/config', 'PUT', { ...json, gui: { ...config.gui, apiKey: { key: config.gui.apiKey } } }],
    ['/rest/config/folders/docs', 'PATCH', { devices: [{ ...share, deviceID: 'unknown' }] }],
    ['/rest/config/folders/docs', 'PATCH', { versioning: { ...folder!.versioning, type: 'none such' } }],
    ['/rest/config/folders', 'POST', { ...redactConfig(config, { personal: false }).folders[0], id: 'other' }],
    ['/rest/config/options', 'PATCH', { listenAddresses: { no: config.options.listenAddresses } }],
    ['/rest/config/options', 'PATCH', JSON.stringify(config).slice(0, -1)],
  ]
  const replies: (readonly [string, string])[] = []
  for (const [path, method, body] of bodies) {
    const { status, body: text } = await device.ask(
      method,
      path,
      typeof body === 'string' ? body : JSON.stringify(body),
    )
    assert.ok(status >= 400, `${method} ${path}: ${status}`)
    replies.push([`refused ${method} ${path}`, text.toString()])
  }
  return replies
}

/** Everything that the device shows to others, by name. */
async function shownBy(device: ShownDevice): Promise<Map<string, string>> {
  const shown = new Map([['log', device.output]])
  for (const name of readdirSync(device.home).filter((each) => each.startsWith('audit-')))
    shown.set(name, readFileSync(join(device.home, name), 'utf8'))
  const paths = Object.keys(ROUTES).flatMap((route) => (route.startsWith('GET ') ? [route.slice('GET '.length)] : []))
  const queries = ['/rest/events?timeout=0', '/rest/events?timeout=0&events=ConfigSaved', '/rest/events/disk?timeout=0']
  for (const path of [...paths.filter((each) => !NOT_ASKED.test(each)), ...queries]) {
    const separator = path.includes('?') ? '&' : '?'
    const { body } = await device.ask(
      'GET',
      `${path}${separator}folder=docs&file=a&device=${SERVER}&current=/&follow=false`,
    )
    if (path !== '/rest/debug/support') shown.set(path, body.toString())
    else for (const [name, text] of unzip(body)) shown.set(`bundle ${name}`, text)
  }
  return shown
}

test(
  'W-14: no secret of the configuration is in events, log, audit file, bundle, metrics, status or errors',
  { skip },
  async () => {
    using scratch = scratchDirectory()
    const root = join(scratch.path, 'docs')
    mkdirSync(root)
    await using device = new ShownDevice(join(scratch.path, 'home'))
    mkdirSync(device.home, { mode: 0o700 })
    await device.start()
    const { config, secrets, personal } = plantSecrets(withEverything(documentOf(device.configFile()).config, root))
    const saved = await device.ask('PUT', '/rest/config', JSON.stringify(configToJson(config)))
    assert.equal(saved.status, 200, saved.body.toString())
    assert.ok(device.configFile().includes(config.folders[0]!.devices[1]!.encryptionPassword))
    await device.start()
    assert.equal((await device.ask('PATCH', '/rest/config/folders/docs', '{"label":"changed"}')).status, 200)
    await device.ask('GET', '/rest/system/upgrade')
    await eventually(
      'the addresses to be tried',
      () => /relay: .*dynamic\+http.*retrying/.test(device.output) || undefined,
    )
    const texts = new Map([...(await refusals(device, config)), ...(await shownBy(device))])
    const hash = /<password>([^<]+)</.exec(device.configFile())?.[1]
    assert.ok(hash !== undefined)
    const all = new Map([...secrets, [hash, 'the hash of gui.password']])
    const found: string[] = []
    for (const [place, text] of texts) {
      for (const [secret, path] of all) if (text.includes(secret)) found.push(`${path} in ${place}`)
      if (!place.startsWith('bundle')) continue
      for (const [name, path] of personal) if (text.includes(name)) found.push(`${path} in ${place}`)
    }
    assert.deepEqual(found, [])
    assert.match(texts.get('/rest/events?timeout=0&events=ConfigSaved') ?? '', /"apiKey": ?"REDACTED"/)
    assert.match([...texts].find(([name]) => name.startsWith('audit-'))?.[1] ?? '', /"encryptionPassword":"REDACTED"/)
    reportRow({ id: 'W-14', part: 'device', tried: all.size, places: texts.size, leaks: found.length })
  },
)

test('W-14: a configuration from an event that is sent back keeps every secret', { skip }, async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'docs')
  mkdirSync(root)
  await using device = new ShownDevice(join(scratch.path, 'home'))
  mkdirSync(device.home, { mode: 0o700 })
  await device.start()
  const { config } = plantSecrets(withEverything(documentOf(device.configFile()).config, root))
  assert.equal((await device.ask('PUT', '/rest/config', JSON.stringify(configToJson(config)))).status, 200)
  const before = documentOf(device.configFile()).config
  const events = (await device.ask('GET', '/rest/events?timeout=0&events=ConfigSaved')).body.toString()
  const { data } = (JSON.parse(events) as readonly { readonly data: object }[]).at(-1)!
  assert.equal((await device.ask('PUT', '/rest/config', JSON.stringify(data))).status, 200)
  assert.deepEqual(documentOf(device.configFile()).config, before)
})
