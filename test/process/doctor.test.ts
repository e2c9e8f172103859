/** One daemon, many planted faults: `doctor` finds each of them, and its exit code tells how bad it is. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chownSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { LAPTOP, SERVER } from '../support/config.ts'
import { recordingContext } from '../support/cli.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { cannotLimitWatches, fewWatches } from '../support/few-watches.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

interface Found {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly evidence: string
  readonly remedy: string
  readonly command: string | null
  readonly folder: string | null
}

const isRoot = process.getuid?.() === 0

function commands(daemon: Daemon) {
  const transport = nodeTransport(parseEndpoint(daemon.url, { useTls: false }))
  const client = new Client({ transport, apiKey: daemon.apiKey })
  return async (...args: readonly string[]) => {
    const { context, out } = recordingContext(client)
    return { code: await runCli(context, args), out: out.join('\n') }
  }
}

/** Directories with what is wrong in them; by folder, its settings. */
function plant(data: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const at = (...names: readonly string[]) => join(data, ...names)
  for (const name of ['fine', 'stopped', 'outer/inner', 'watched', 'full', 'settings', 'conflict', 'old/.stversions']) {
    mkdirSync(at(name), { recursive: true })
  }
  mkdirSync(at('paused'))
  mkdirSync(at('foreign'))
  if (isRoot) chownSync(at('foreign'), 1234, 1234)
  for (let i = 0; i < 60; i++) mkdirSync(at('watched', `d${i}`))
  writeFileSync(at('conflict', 'x.sync-conflict-20260102-030405-ABCDEFG.txt'), 'mine')
  writeFileSync(at('paused', '.syncthing.film.mkv.tmp'), 'half')
  utimesSync(at('paused', '.syncthing.film.mkv.tmp'), 1_000_000_000, 1_000_000_000)
  for (let i = 0; i < 1_001; i++) writeFileSync(at('old', '.stversions', `x~20260101-${100_000 + i}.txt`), '')
  const quiet = { fsWatcherEnabled: false, rescanIntervalS: 3600 }
  const shared = [{ deviceID: SERVER }]
  return {
    fine: { ...quiet, devices: shared },
    stopped: { ...quiet, devices: shared },
    outer: { ...quiet, devices: shared },
    'outer/inner': { ...quiet, devices: shared },
    watched: { fsWatcherEnabled: true, rescanIntervalS: 60, devices: shared },
    full: { ...quiet, devices: shared, minDiskFree: { value: 99.999, unit: '%' } },
    settings: {
      fsWatcherEnabled: false,
      rescanIntervalS: 0,
      ignoreDelete: true,
      maxConflicts: 0,
      disableFsync: true,
      devices: shared,
    },
    conflict: { ...quiet },
    old: { ...quiet, devices: shared, versioning: { type: 'trashcan', params: { cleanoutDays: '0' } } },
    paused: { ...quiet, devices: shared, paused: true },
    foreign: { ...quiet, devices: shared, paused: true },
  }
}

/** By folder, or '' for the device: the checks that find something. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  '': [
    'device-shares-nothing',
    'device-without-address',
    'device-without-address',
    'few-open-files',
    'listen-failed',
    'running-as-root',
  ],
  stopped: ['folder-stopped'],
  'outer/inner': ['folder-inside-folder'],
  watched: ['disk-cannot-sleep', 'watch-failed'],
  full: ['space-below-minimum'],
  settings: ['changes-not-found', 'conflicts-discarded', 'deletions-ignored', 'fsync-off'],
  conflict: ['conflicts', 'folder-not-shared'],
  old: ['versions-never-cleaned'],
  paused: ['temporary-files-left'],
  ...(isRoot && { foreign: ['owner-differs'] }),
}
/** They depend on the machine that runs the test. */
const OF_THE_MACHINE = ['disk-nearly-full', 'disk-full-soon', 'home-space', 'discovery-failed', 'watches-nearly-used']

const LIMIT = ['sh', '-c', 'ulimit -n 600; exec "$0" "$@"']

test('doctor finds every planted fault, with evidence and remedy', { skip: cannotLimitWatches() }, async () => {
  using scratch = scratchDirectory()
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const { port } = busy.address() as AddressInfo
  try {
    await using daemon = await startDaemon({
      home: join(scratch.path, 'home'),
      before: [...fewWatches('max_inotify_watches', 20), ...LIMIT],
    })
    const run = commands(daemon)
    const clean = JSON.parse((await run('doctor', '--json')).out) as { findings: readonly Found[] }
    const atFirst = clean.findings
      .map(({ code }) => code)
      .filter((code) => ![...OF_THE_MACHINE, 'listen-failed'].includes(code))
    assert.deepEqual(atFirst.sort(), ['few-open-files', 'running-as-root'], 'nothing is planted yet')

    const data = join(scratch.path, 'data')
    const folders = plant(data)
    await daemon.request('PATCH', '/rest/config/options', { listenAddresses: [`tcp://127.0.0.1:${port}`] })
    await daemon.post('/rest/config/devices', { deviceID: SERVER, name: 'nas', addresses: ['dynamic'] })
    await daemon.post('/rest/config/devices', { deviceID: LAPTOP, name: 'laptop', addresses: ['dynamic'] })
    for (const [id, settings] of Object.entries(folders)) await daemon.addFolder(id, join(data, id), settings)
    for (const [id, { paused }] of Object.entries(folders)) {
      if (paused !== true) await daemon.post(`/rest/db/scan?folder=${encodeURIComponent(id)}`)
    }
    rmSync(join(data, 'stopped', '.stfolder'), { recursive: true })
    await daemon.request('POST', '/rest/db/scan?folder=stopped')

    const findings = await eventually('all findings', async () => {
      const { findings: all } = JSON.parse((await run('doctor', '--json')).out) as { findings: readonly Found[] }
      const found = all.filter(({ code }) => !OF_THE_MACHINE.includes(code))
      const isThere = ['watch-failed', 'folder-stopped', 'listen-failed'].every((code) =>
        found.some((each) => each.code === code),
      )
      return isThere ? found : undefined
    })
    const byFolder: Record<string, string[]> = {}
    for (const { folder, code } of findings) (byFolder[folder ?? ''] ??= []).push(code)
    for (const codes of Object.values(byFolder)) codes.sort()
    assert.deepEqual(byFolder, EXPECTED)
    for (const { code, message, evidence, remedy, command } of findings) {
      assert.ok(message !== '' && evidence !== '' && remedy !== '' && command !== null, `${code} is complete`)
    }
    const evidenceOf = (code: string) => findings.find((each) => each.code === code)?.evidence ?? ''
    assert.match(evidenceOf('few-open-files'), /of 600 are open/)
    assert.match(evidenceOf('space-below-minimum'), /free \(\d+\.\d %\) at \/.*keeps 99\.999 % free/)
    assert.match(evidenceOf('versions-never-cleaned'), /1001 versions/)
    assert.match(findings.find(({ code }) => code === 'watch-failed')?.command ?? '', /inotify_watches=\d+/)

    const { code, out } = await run('doctor')
    assert.equal(code, 1)
    const order = [...out.matchAll(/^(Error|Warning|Notice):/gm)].map(([, title]) => title)
    const rank = ['Error', 'Warning', 'Notice']
    assert.deepEqual(
      order,
      order.toSorted((a, b) => rank.indexOf(a!) - rank.indexOf(b!)),
    )
    assert.match(out, /\d+ errors, \d+ warnings, \d+ notices; \d+ checks made\.$/)
    const codes = [...new Set(findings.filter((each) => each.severity === 'error').map((each) => each.code))]
    const without = [...codes, ...OF_THE_MACHINE].join(',')
    assert.equal((await run('doctor', '--without', without)).code, 4, 'warnings are left')
  } finally {
    busy.close()
  }
})
