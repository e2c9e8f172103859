/**
 * Client libraries that people use, run for real against Twinfold and against a Syncthing: every call has the same
 * outcome, and replies have the fields that Syncthing's have. Part of `npm run nightly`, because it needs registries.
 */
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { missingProgram } from '../support/debian.ts'
import { reportRow } from '../support/effort.ts'
import { REAL_CLIENTS, type RealClient } from '../support/real-clients.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { apiKeyOf, insideNamespaceOf, missingSyncthing } from '../support/syncthing.ts'
import { untilInSync } from '../support/until-in-sync.ts'

const skip = missingSyncthing() ?? false
const LINE = join(import.meta.dirname, '..', 'support', 'socket-line.mjs')
const PORTS = { twinfold: 8384, syncthing: 8385 } as const
const scratch = scratchDirectory()
let network: Network
let line: ChildProcess
let ours: Member
let theirs: Member
let monitorKey = ''

before(async () => {
  if (skip !== false) return
  network = await Network.open(scratch.path)
  ;[ours, theirs] = await Promise.all([network.add('twinfold', 'twinfold'), network.add('syncthing', 'syncthing')])
  writeFileSync(join(ours.root, 'a.txt'), 'a')
  await link([[ours, theirs]])
  await scanAll([ours, theirs])
  await untilInSync([ours, theirs])
  const sockets = [ours, theirs].flatMap((member) => [PORTS[member.kind], join(member.home, 'gui.sock')])
  line = (await network.lines([], LINE, sockets)).program
  const made = await ours.request('POST', '/rest/twinfold/keys', { name: 'monitor', scope: 'monitor' })
  monitorKey = String(Reflect.get(Object(made), 'key'))
})

after(async () => {
  await network?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

interface Outcome {
  readonly kind: string
  readonly text?: string
  readonly keys?: readonly string[]
}

type Outcomes = Readonly<Record<string, Outcome>>

/** Scans meanwhile, so that there are events to read. */
async function run({ command, env = {} }: RealClient, member: Member, key: string): Promise<Outcomes> {
  const [program, ...args] = [...insideNamespaceOf(line), ...command]
  const device = (member === ours ? theirs : ours).id
  const given = { KEY: key, FOLDER, DEVICE: device, URL: `http://127.0.0.1:${PORTS[member.kind]}`, ...env }
  const end = new AbortController()
  const scans = (async () => {
    while (!end.signal.aborted) {
      await member.scan()
      await sleep(300)
    }
  })()
  try {
    const options = { timeout: 300_000, env: { ...process.env, ...given } }
    return JSON.parse((await promisify(execFile)(program!, args, options)).stdout) as Outcomes
  } finally {
    end.abort()
    await scans
  }
}

/** Calls whose outcome differs, with the reason; docs/rest.md lists them. */
const DIFFERENT: Readonly<Record<string, string>> = {
  get_loglevels_info: 'a route of Syncthing 2, which an older one beside it has not',
  'system.debug': 'a route of Syncthing 1, which a newer one beside it has no more',
}

/** Reads that a key for monitoring may not do, with the reason. */
const REFUSED: Readonly<Record<string, string>> = {
  browse: 'lists directories of the whole machine',
  'system.browse': 'lists directories of the whole machine',
}

/** Calls that change something, which a key for monitoring may not. */
const CHANGES = /pause|resume|clear|show_error|_debug|[sS]et_?[iI]gnores|prio|scan|override|revert/

function lacking(own: Outcome | undefined, other: Outcome): readonly string[] {
  if (own?.kind !== other.kind) return [`${JSON.stringify(own)} instead of ${JSON.stringify(other)}`]
  // Keys that name a device, a folder or an address differ.
  const names = (other.keys ?? []).filter((key) => !/[A-Z2-7]{7}-|:\/\/|^share$/.test(key))
  return names.filter((key) => own.keys?.includes(key) !== true)
}

for (const client of REAL_CLIENTS) {
  test(`${client.name}: every call has the outcome that it has with Syncthing`, { skip }, async (t) => {
    const missing = client.missing()
    if (missing !== undefined) return t.skip(missing)
    const expected = await run(client, theirs, apiKeyOf(theirs.home))
    const found = await run(client, ours, apiKeyOf(ours.home))
    const monitored = await run(client, ours, monitorKey)
    const differences = Object.entries(expected).flatMap(([call, other]) => {
      const faults = lacking(found[call], other)
      return faults.length === 0 ? [] : [`${call}: ${faults.join(', ')}`]
    })
    assert.deepEqual(
      differences.filter((text) => !Object.hasOwn(DIFFERENT, text.replace(/: .*/s, ''))),
      [],
    )
    const calls = Object.keys(found)
    const isRefused = (call: string) => CHANGES.test(call) || Object.hasOwn(REFUSED, call)
    for (const call of calls.filter((name) => !isRefused(name)))
      assert.deepEqual(lacking(monitored[call], found[call]!), [], `monitor: ${call}`)
    for (const call of calls.filter(isRefused)) assert.equal(monitored[call]?.kind, 'error', `monitor: ${call}`)
    reportRow({ id: `REAL CLIENT ${client.name}`, tried: calls.length, refusedMonitor: calls.filter(isRefused).length })
  })
}

const noTray = missingProgram('syncthingctl', 'syncthingtray') ?? false

test('syncthingctl shows everything with a key for monitoring, and changes nothing', { skip: skip || noTray }, () => {
  const ctl = (...words: readonly string[]) => {
    const address = ['--url', `http://127.0.0.1:${PORTS.twinfold}`, '--api-key', monitorKey]
    const [program, ...args] = [...insideNamespaceOf(line), 'syncthingctl', ...words, ...address]
    const env = { ...process.env, HOME: scratch.path, XDG_RUNTIME_DIR: scratch.path, QT_QPA_PLATFORM: 'offscreen' }
    return spawnSync(program!, args, { encoding: 'utf8', timeout: 60_000, env })
  }
  const status = ctl('status')
  assert.deepEqual([status.status, status.stdout.includes(FOLDER), status.stdout.includes(theirs.id)], [0, true, true])
  const config = ctl('cat')
  assert.deepEqual([config.status, config.stdout.includes(theirs.id)], [0, true])
  assert.ok(!config.stdout.includes(apiKeyOf(ours.home)))
  assert.notEqual(ctl('pause', '--dir', FOLDER).status, 0)
  assert.equal(ctl('log').status, 0)
})

const exporter = process.env['SYNCTHING_EXPORTER_BIN']
const noExporter = exporter === undefined && 'SYNCTHING_EXPORTER_BIN names no syncthing_exporter'

test(
  'the exporter for Prometheus has the families that it has with Syncthing',
  { skip: skip || noExporter },
  async () => {
    const families = async (member: Member, key: string, port: number) => {
      const uri = `http://127.0.0.1:${PORTS[member.kind]}`
      const options = [`--syncthing.uri=${uri}`, `--syncthing.token=${key}`, `--syncthing.foldersid=${FOLDER}`]
      const [program, ...args] = [
        ...insideNamespaceOf(line),
        exporter!,
        ...options,
        `--web.listen-address=127.0.0.1:${port}`,
      ]
      const child = spawn(program!, args, { stdio: 'ignore' })
      try {
        return await eventually('a scrape', async () => {
          const [curl, ...words] = [...insideNamespaceOf(line), 'curl', '-sf', `http://127.0.0.1:${port}/metrics`]
          const { stdout } = spawnSync(curl!, words, { encoding: 'utf8', timeout: 30_000 })
          const names = [...stdout.matchAll(/^(syncthing_\w+)/gm)].map(([name]) => name)
          return names.length > 0 ? [...new Set(names)].sort() : undefined
        })
      } finally {
        child.kill('SIGKILL')
      }
    }
    const expected = await families(theirs, apiKeyOf(theirs.home), 9_101)
    assert.ok(expected.length > 20, expected.join())
    for (const [index, key] of [apiKeyOf(ours.home), monitorKey].entries()) {
      const found = new Set(await families(ours, key, 9_102 + index))
      assert.deepEqual(
        expected.filter((name) => !found.has(name)),
        [],
      )
    }
    reportRow({ id: 'REAL CLIENT syncthing_exporter', tried: expected.length })
  },
)
