import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CLI_EXIT } from '../../src/cli/context.ts'
import { placeOf } from '../../src/cli/status-commands.ts'
import { logLine } from '../../src/cli/log-commands.ts'

import { DEVICE, NASTY, entry, folder, newDaemon, run } from './fake-daemon.ts'

test('status: the device, then its folders', async () => {
  const { code, out } = await run('status')
  assert.equal(code, CLI_EXIT.done)
  for (const part of [
    /Version: +v1\.0\.0/,
    new RegExp(`Device ID: +${DEVICE}`),
    /Home: +\/the\/home/,
    /Running for: 1 h 6 min/,
    /docs \(Documents\) +idle +3 +4\.00 KiB/,
  ])
    assert.match(out, part)
  const json = JSON.parse((await run('status --json')).out)
  assert.deepEqual([json.myID, json.folders.length, json.folders[0].localFiles], [DEVICE, 2, 3])
})

test('status FOLDER: one folder in full', async () => {
  const { out } = await run('status docs')
  for (const part of [
    /Path: +\/data\/docs/,
    /State: +idle/,
    /Here: +3 files, 1 directory, 4\.00 KiB/,
    /Needed: +0 items, 0 B/,
  ])
    assert.match(out, part)
  assert.equal(JSON.parse((await run('status docs --json')).out).localBytes, 4096)
})

test('status: how much every other device has', async () => {
  const daemon = newDaemon()
  const deviceID = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'
  daemon.devices = [{ deviceID, name: 'ben', addresses: [], paused: false }]
  assert.match((await run('status', daemon)).out, /DEVICE +STATE +HAS +NEEDS\nben +disconnected +42 % +2\.00 KiB$/)
  daemon.folders[0] = { ...daemon.folders[0]!, devices: [{ deviceID }] } as never
  assert.match((await run('status docs', daemon)).out, /ben +disconnected +42 %/)
  assert.doesNotMatch((await run('status photos', daemon)).out, /ben/)
  assert.equal(JSON.parse((await run('status docs --json', daemon)).out).devices[0].completion.needBytes, 2048)
})

test('status: what asks for a decision of the user', async () => {
  const daemon = newDaemon()
  assert.doesNotMatch((await run('status', daemon)).out, /^docs: /m)
  daemon.folders = [folder('docs', { ignoreDelete: true })]
  daemon.counts = { receiveOnlyTotalItems: 1, pullErrors: 2, needDeletes: 3 }
  daemon.conflicts = 4
  const { out } = await run('status', daemon)
  assert.match(out, /^docs: 4 conflict copies; "conflicts FOLDER" lists them$/m)
  assert.match(out, /^docs: 3 deletions of other devices held back, because ignoreDelete is set$/m)
  assert.match(out, /^docs: 1 local change in a receive-only folder; "folder revert" undoes them$/m)
  assert.match(out, /^docs: 2 items could not be read or downloaded; "status FOLDER" lists them$/m)
  assert.match((await run('status docs', daemon)).out, /Deletions held: +3 items\nConflict copies: +4/)
  assert.equal(JSON.parse((await run('status --json', daemon)).out).folders[0].conflicts, 4)
  daemon.conflicts = undefined
  assert.doesNotMatch((await run('status', daemon)).out, /conflict/, 'a Syncthing does not list them')
})

test('events: an unknown type is refused with the nearest one', async () => {
  const { code, err } = await run('events --types StateChangd')
  assert.equal(code, CLI_EXIT.failed)
  assert.match(err, /there is no event type "StateChangd"; did you mean StateChanged\?/)
})

test('scan without a folder scans all that are not paused', async () => {
  const daemon = newDaemon()
  daemon.folders.push(folder('off', { paused: true }))
  assert.equal((await run('scan', daemon)).code, CLI_EXIT.done)
  const scans = daemon.requests.filter((request) => request.startsWith('POST /rest/db/scan'))
  assert.deepEqual(scans, ['POST /rest/db/scan?folder=docs', 'POST /rest/db/scan?folder=photos'])
})

test('prio: prints the queue position', async () => {
  const daemon = newDaemon()
  daemon.need.queued = [entry('a'), entry('b')]
  assert.equal((await run('prio docs a', daemon)).out, 'a is the next to be downloaded')
  assert.equal(JSON.parse((await run('prio docs a --json', daemon)).out).queued[0].name, 'a')
})

const places: [file: string, expected: string][] = [
  ['p', 'is being downloaded now'],
  ['q1', 'is the next to be downloaded'],
  ['q2', 'is number 2 in the queue'],
  ['r', 'is needed, but no device offers it now'],
  ['x', 'is not waiting to be downloaded'],
]
for (const [file, expected] of places) {
  test(`placeOf ${file}: ${expected}`, () => {
    const names = (...list: string[]) =>
      list.map((name) => ({ ...({} as Parameters<typeof placeOf>[0]['rest'][number]), name }))
    assert.equal(
      placeOf({ page: 1, perpage: 9, progress: names('p'), queued: names('q1', 'q2'), rest: names('r') }, file),
      expected,
    )
  })
}

test('debug: lists all, switches the given ones, accepts old names', async () => {
  const daemon = newDaemon()
  const { out } = await run('debug --enable api,scanner', daemon)
  assert.ok(
    daemon.requests.includes('POST /rest/system/debug?enable=http%2Cscanner&disable='),
    daemon.requests.join('\n'),
  )
  assert.match(out, /^FACILITY +DEBUG +WHAT IT LOGS\n/)
  assert.match(out, /\nhttp +on +/)
  assert.match(out, /\nmodel +off +/)
  assert.deepEqual(Object.keys(JSON.parse((await run('debug --json')).out)), ['enabled', 'facilities'])
})

test('events: one line each, JSON lines with --json, the query as given', async () => {
  const daemon = newDaemon()
  daemon.events = [
    { id: 5, globalID: 9, time: '2026-11-15T01:02:03.4Z', type: 'StateChanged', data: { folder: NASTY } },
  ]
  const { out } = await run('events --since 4 --types StateChanged,Failure --limit 2', daemon)
  assert.equal(out, '2026-11-15 01:02:03  5  StateChanged  {"folder":"evil\\u001b[2J\\nname"}')
  assert.ok(
    daemon.requests.includes('GET /rest/events?since=4&limit=2&timeout=0&events=StateChanged%2CFailure'),
    daemon.requests.join('\n'),
  )
  assert.equal(JSON.parse((await run('events --json', daemon)).out).id, 5)
})

test('logs: one line each, and --follow continues after the last one', async () => {
  const daemon = newDaemon()
  daemon.log = [{ when: '2026-11-15T01:02:03Z', message: NASTY, level: 3 }]
  assert.equal((await run('logs', daemon)).out, '2026-11-15 01:02:03 WRN evil\\x1b[2J\\nname')
  const stop = new AbortController()
  let polls = 0
  const sleep = async () => {
    if (++polls === 2) stop.abort()
    stop.signal.throwIfAborted()
  }
  assert.equal((await run('logs --follow --json', daemon, { signal: stop.signal, sleep })).code, CLI_EXIT.done)
  assert.ok(daemon.requests.includes('GET /rest/system/log?since=2026-11-15T01%3A02%3A03Z'))
})

test('logLine: unknown levels are shown unchanged', () => {
  assert.equal(logLine({ when: 'x', message: 'm', level: 9 }), 'x 9 m')
  assert.equal(logLine({ when: 'x', message: 'm', level: 'INF' }), 'x INF m')
})

test('device nearby: what discovery found and is not configured', async () => {
  const daemon = newDaemon()
  assert.match((await run('device nearby', daemon)).out, /No other devices were found/)
  daemon.options = { ...daemon.options, localAnnounceEnabled: false }
  assert.match((await run('device nearby', daemon)).out, /"twinfold network on local" enables it/)
  const other = DEVICE.replace('M', 'N')
  daemon.discovery = { [DEVICE]: { addresses: ['tcp://a:1'] }, [other]: { addresses: ['tcp://b:2', NASTY] } }
  assert.equal((await run('device nearby --ids', daemon)).out.trim(), other)
  assert.match((await run('device nearby', daemon)).out, new RegExp(`${other} +tcp://b:2, evil`))
  assert.deepEqual(Object.keys(JSON.parse((await run('device nearby --json', daemon)).out)), [other])
})

const SWITCHES = ['localAnnounceEnabled', 'globalAnnounceEnabled', 'relaysEnabled', 'natEnabled'] as const

test('network: on and off switch what finds devices, or what is named', async () => {
  const daemon = newDaemon()
  const states = () => SWITCHES.map((name) => daemon.options[name])
  const other = { stunKeepaliveStartS: 180, urAccepted: 3, autoUpgradeIntervalH: 12 }
  daemon.options = { ...daemon.options, ...other, unackedNotificationIDs: ['other', 'twinfoldNetwork'] }
  await run('network off', daemon)
  assert.deepEqual(states(), [false, false, false, false])
  assert.deepEqual(daemon.options['unackedNotificationIDs'], ['other'], 'the question of the page is answered')
  await run('network on global nat', daemon)
  assert.deepEqual(states(), [false, true, false, true])
  await run('network on', daemon)
  assert.deepEqual(states(), [true, true, true, true])
  const { stunKeepaliveStartS, urAccepted, autoUpgradeIntervalH } = daemon.options
  assert.deepEqual({ stunKeepaliveStartS, urAccepted, autoUpgradeIntervalH }, other, 'the rest is kept')
  await run('network off relays upgrade-checks', daemon)
  assert.deepEqual([...states(), daemon.options.autoUpgradeIntervalH], [true, true, false, true, 0])
})

test('network: shows switches, discovery methods, listeners and mapped ports', async () => {
  const daemon = newDaemon()
  await run('network off', daemon)
  await run('network off upgrade-checks', daemon)
  daemon.network = {
    portMapping: {
      enabled: true,
      error: null,
      mappings: [
        {
          listener: 'tcp://0.0.0.0:22000',
          protocol: 'UPnP',
          gateway: '192.168.1.1',
          internalPort: 22_000,
          externalAddress: '44.1.2.3:4000',
          error: null,
        },
        {
          listener: 'tcp://0.0.0.0:22000',
          protocol: 'PCP',
          gateway: '192.168.1.2',
          internalPort: 22_000,
          error: 'no\x1b',
        },
      ],
    },
  }
  const { out } = await run('network', daemon)
  assert.match(out, /local +off +Every host of the local network learns/)
  assert.match(out, /port 22000 at router 192\.168\.1\.1 \(UPnP\): 44\.1\.2\.3:4000\n/)
  assert.match(out, /192\.168\.1\.2 \(PCP\): no\\x1b/)
  assert.doesNotMatch(out, /stun|reports/)
  const json = JSON.parse((await run('network status --json', daemon)).out)
  assert.deepEqual(json.switches, { local: false, global: false, relays: false, nat: false, 'upgrade-checks': false })
  assert.equal(json.portMapping.mappings.length, 2)
})

test('network without an action changes nothing; a wrong one is refused', async () => {
  const daemon = newDaemon()
  await run('network', daemon)
  assert.ok(daemon.requests.every((request) => request.startsWith('GET ')))
  for (const wrong of ['network sideways', 'network on stun', 'network status nat']) {
    assert.notEqual((await run(wrong, daemon)).code, CLI_EXIT.done, wrong)
  }
})

for (const command of [
  'folder',
  'folder add',
  'folder list',
  'folder remove',
  'scan',
  'prio',
  'cat',
  'get',
  'status',
  'debug',
  'events',
  'logs',
  'network',
]) {
  test(`${command} --help has an example and needs no daemon`, async () => {
    const daemon = newDaemon()
    const { code, out, err } = await run(`${command} --help`, daemon)
    assert.deepEqual({ code, err, requests: daemon.requests.length }, { code: CLI_EXIT.done, err: '', requests: 0 })
    assert.ok(out.includes(`Example:\n  twinfold ${command}`), out)
    assert.match(out, /--home DIR/)
    if (command !== 'folder') assert.match(out, /--json/)
  })
}

test('events: a text line never holds the configuration, a JSON line does', async () => {
  const daemon = newDaemon()
  daemon.events = [
    { id: 1, globalID: 1, time: '2026-11-15T00:00:00Z', type: 'ConfigSaved', data: { gui: { apiKey: 'secret' } } },
  ]
  assert.match((await run('events', daemon)).out, /^2026-11-15 00:00:00 +1 +ConfigSaved$/)
  assert.match((await run('events --json', daemon)).out, /secret/)
})

const OPEN = { code: 'gui-open', message: 'the page on 0.0.0.0:8384 is open\x1b[2J', remedy: 'set a password' }

test('status and doctor show warnings with their remedy', async () => {
  const daemon = { ...newDaemon(), warnings: [OPEN] }
  const shown = 'Warning: the page on 0.0.0.0:8384 is open\\x1b[2J\n  Remedy: set a password\n'
  const status = await run('status', daemon)
  assert.equal(status.code, CLI_EXIT.done)
  assert.ok(status.out.includes(shown), status.out)
  assert.deepEqual(JSON.parse((await run('status --json', daemon)).out).warnings, [OPEN])

  const doctor = await run('doctor', daemon)
  assert.deepEqual([doctor.code, `${doctor.out}\n`], [CLI_EXIT.failed, shown])
  assert.deepEqual(JSON.parse((await run('doctor --json', daemon)).out), { findings: [OPEN], offers: [] })
})

test('doctor: nothing found, also with a daemon that has no such route', async () => {
  for (const warnings of [[], undefined]) {
    const { code, out } = await run('doctor', { ...newDaemon(), warnings })
    assert.deepEqual([code, out], [CLI_EXIT.done, 'No problems found.'])
  }
})

const FINDING = {
  code: 'conflicts',
  severity: 'warning',
  message: 'folder "a\x1b" has conflicts',
  evidence: '2 conflict copies',
  remedy: 'compare them',
  command: 'twinfold conflicts a && twinfold status',
  folder: 'a',
  device: null,
}

test('doctor: findings with evidence, remedy and command; the exit code is that of the worst', async () => {
  const daemon = (...severities: readonly string[]) => ({
    ...newDaemon(),
    doctor: { checks: 48, findings: severities.map((severity) => ({ ...FINDING, severity })) },
  })
  const { code, out } = await run('doctor', daemon('warning'))
  assert.equal(code, CLI_EXIT.doneWithProblems)
  assert.equal(
    out,
    'Warning: folder "a\\x1b" has conflicts [conflicts]\n  Evidence: 2 conflict copies\n  Remedy: compare them\n' +
      '  Command: twinfold conflicts a && twinfold status\n1 warning; 48 checks made.',
  )
  assert.equal((await run('doctor', daemon('error', 'warning', 'notice'))).code, CLI_EXIT.failed)
  const notice = await run('doctor', daemon('notice'))
  assert.deepEqual([notice.code, notice.out.split('\n').at(-1)], [0, 'No problems found. 1 notice; 48 checks made.'])
  const without = await run('doctor --without x,conflicts', daemon('error'))
  assert.deepEqual([without.code, without.out], [CLI_EXIT.done, 'No problems found. 48 checks made.'])
  const { findings } = JSON.parse((await run('doctor --json', daemon('warning'))).out)
  assert.deepEqual(findings, [FINDING])
})

test('the exit codes are those of the documentation', () => {
  for (const page of ['cli.md', 'manual/scripting.md']) {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', page), 'utf8')
    const [, codes = ''] = /Exit codes: (0 done, 1 error or wrong[^.]*)\./.exec(text) ?? []
    const numbers = [...codes.matchAll(/(?:^|, )(\d+) /g)].map(([, code]) => Number(code))
    assert.deepEqual(numbers, Object.values(CLI_EXIT), page)
  }
})
