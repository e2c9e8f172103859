/** The schedule on whole simulated devices: rules pause, limit and end; config.xml stays as its owner wrote it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runDaemon } from '../../src/main/daemon.ts'
import type { PowerSupply, System } from '../../src/platform/platform.ts'
import { request, settle, SIM_KEY, SIM_OPTIONS, startDevice } from '../support/sim-daemon.ts'

const FRIEND = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
const HOUR_MS = 3_600_000

async function stage(system: Partial<System> = {}) {
  const device = await startDevice(7, {}, system)
  const { platform } = device
  const call = async (method: string, target: string, body?: unknown) => {
    const { status, text } = await request(platform, method, target, body === undefined ? '' : JSON.stringify(body))
    assert.equal(status, 200, `${method} ${target}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  await call('POST', '/rest/config/folders', { id: 'docs', path: '/data/docs' })
  await call('POST', '/rest/config/devices', { deviceID: FRIEND, name: 'Friend', maxSendKbps: 700 })
  return {
    ...device,
    call,
    pass: (ms: number) => platform.clock.advance(ms, settle),
    /** The wall clock jumps, as after a sleep of the machine. */
    sleep: async (ms: number) => {
      platform.clock.jumpWall(ms - 60_000)
      await platform.clock.advance(60_000, settle)
    },
    /** The first reason for the state of a file. */
    why: async (file = 'letter.txt') => (await call('GET', `/rest/twinfold/why?folder=docs&file=${file}`)).reasons[0],
    /** Syncthing has no word for the state of a paused folder. */
    state: async () => ((await call('GET', '/rest/db/status?folder=docs')).state as string) || 'paused',
    end: async () => {
      device.stop.abort()
      for (let turn = 0; turn < 20; turn++) await settle()
      await device.done
    },
    /** Sets the wall clock, which begins at the start of 1970, to this moment. */
    at: async (time: string) => {
      platform.clock.jumpWall(Date.parse(time) - platform.clock.nowMs())
      await platform.clock.advance(60_000, settle)
    },
  }
}

test('a rule pauses a folder and ends by itself; the saved configuration does not know of it', async () => {
  const { call, at, sleep, state, why, end, platform } = await stage()
  const saved = () => Buffer.from(platform.disk.direct.look(SIM_OPTIONS.locations.configFile)!.content).toString()
  await at('2026-07-01T19:59:00Z')
  const before = saved()
  const rule = { name: 'night', from: '22:00', to: '06:00', folder: 'docs', pause: true }
  await call('POST', '/rest/twinfold/schedule', rule)
  assert.equal(await state(), 'idle')
  await sleep(2 * HOUR_MS)
  assert.equal(await state(), 'paused')
  const [pause] = (await call('GET', '/rest/twinfold/summary')).scheduledPauses
  assert.deepEqual(pause, { kind: 'folder', id: 'docs', rule: 'night', until: '2026-07-02T06:00:00Z' })
  const text =
    'the folder is paused by the rule night until 2026-07-02T06:00:00Z: nothing in it is scanned or downloaded'
  assert.deepEqual(await why(), { code: 'paused', text, rule: 'night', until: '2026-07-02T06:00:00Z' })
  assert.equal((await call('GET', '/rest/config/folders/docs')).paused, false)
  const log = (await call('GET', '/rest/system/log')).messages.map(({ message }: { message: string }) => message)
  assert.ok(log.includes('main: folder docs: paused by the rule night until 2026-07-02 06:00'), log.join('\n'))
  const events = await call('GET', '/rest/events?timeout=0')
  const types = events.map(({ type }: { type: string }) => type)
  assert.deepEqual([types.includes('FolderPaused'), types.includes('ScheduleChanged')], [true, true])
  await sleep(8 * HOUR_MS)
  assert.equal(await state(), 'idle')
  assert.equal(saved(), before)
  await call('POST', '/rest/twinfold/pause?folder=docs&seconds=3600')
  const { until, rule: none } = await why()
  assert.deepEqual([until, none], [(await call('GET', '/rest/twinfold/summary')).pauses[0].until, undefined])
  await end()
})

test('limits of a rule replace the configured ones while it is in force, and no longer', async () => {
  const { call, at, sleep, end } = await stage()
  await at('2026-07-01T19:59:00Z')
  await call('POST', '/rest/twinfold/schedule', { name: 'slow', from: '21:00', to: '22:00', maxRecvKbps: 100 })
  const active = async () => (await call('GET', '/rest/twinfold/schedule')).rules[0].until
  assert.equal(await active(), null)
  await sleep(HOUR_MS)
  assert.equal(await active(), '2026-07-01T22:00:00Z')
  assert.equal((await call('GET', '/rest/config/options')).maxRecvKbps, 0)
  await sleep(HOUR_MS)
  assert.equal(await active(), null)
  await end()
})

test('a resume by hand holds until the rule ends, also for clients that know of no rules', async () => {
  const { call, at, pass, sleep, state, end } = await stage()
  await at('2026-07-01T21:59:00Z')
  await call('POST', '/rest/twinfold/schedule', { name: 'all', from: '22:00', to: '23:00', pause: true })
  const device = { name: 'friend', from: '22:00', to: '23:00', device: FRIEND, pause: true }
  await call('POST', '/rest/twinfold/schedule', device)
  await pass(60_000)
  const isPaused = async () => (await call('GET', '/rest/system/connections')).connections[FRIEND].paused
  assert.deepEqual([await state(), await isPaused()], ['paused', true])
  assert.deepEqual(await call('POST', '/rest/twinfold/schedule/resume?folder=docs'), { resumed: true })
  assert.deepEqual(await call('POST', '/rest/twinfold/schedule/resume?folder=docs'), { resumed: false })
  await call('POST', `/rest/system/resume?device=${FRIEND}`)
  await pass(60_000)
  assert.deepEqual([await state(), await isPaused()], ['idle', false])
  await sleep(24 * HOUR_MS)
  assert.deepEqual([await state(), await isPaused()], ['paused', true])
  await call('DELETE', '/rest/twinfold/schedule/all')
  assert.deepEqual([await state(), await isPaused()], ['idle', true])
  await end()
})

test('another time zone and a jump of the clock are noticed within a minute', async () => {
  let zone = 'Europe/Berlin'
  const { call, at, pass, state, end } = await stage({ timeZone: async () => zone })
  await at('2026-07-01T12:00:00Z')
  await call('POST', '/rest/twinfold/schedule', { name: 'night', from: '22:00', to: '06:00', pause: true })
  await at('2026-07-01T21:00:00Z')
  assert.equal(await state(), 'paused')
  zone = 'America/New_York'
  await pass(60_000)
  assert.equal(await state(), 'idle')
  assert.equal((await call('GET', '/rest/twinfold/schedule')).timeZone, 'America/New_York')
  await end()
})

test('chosen folders pause on battery; where the machine does not say, that is shown', async () => {
  const battery = (status: string, online: string): readonly PowerSupply[] => [
    { type: 'Mains', status: '', online, scope: '' },
    { type: 'Battery', status, online: '', scope: 'System' },
  ]
  let supplies: readonly PowerSupply[] | undefined
  const { call, pass, state, why, end } = await stage({ powerSupplies: async () => supplies })
  const shown = async () => (await call('GET', '/rest/twinfold/schedule')).battery
  assert.equal(await shown(), 'off')
  await call('PATCH', '/rest/twinfold/settings', { folders: { docs: { pauseOnBattery: true } } })
  assert.deepEqual([await shown(), await state()], ['unknown', 'idle'])
  supplies = battery('Discharging', '0')
  await pass(60_000)
  assert.deepEqual([await shown(), await state()], ['yes', 'paused'])
  assert.match((await why()).text, /^the folder is paused while the machine runs on its battery: /)
  supplies = battery('Charging', '1')
  await pass(60_000)
  assert.deepEqual([await shown(), await state()], ['no', 'idle'])
  await end()
})

test('while the connection is metered, a device at a public address is not dialled', async () => {
  const { call, pass, end, platform } = await stage()
  let metered = 'u 1\n'
  platform.programs.act = async () => ({ kind: 'exited', code: 0, output: metered })
  const shown = async () => (await call('GET', '/rest/twinfold/schedule')).metered
  assert.equal(await shown(), 'off')
  await call('PATCH', '/rest/twinfold/settings', { meteredLocalOnly: true })
  assert.equal(await shown(), 'yes')
  assert.deepEqual(platform.programs.runs.at(-1)?.args.slice(0, 3), ['--system', '--auto-start=no', 'get-property'])
  await call('PATCH', `/rest/config/devices/${FRIEND}`, {
    addresses: ['tcp://192.0.2.1:22000', 'tcp://10.9.8.7:22000'],
  })
  await pass(120_000)
  const reasons = async () => {
    const { lastDialStatus } = await call('GET', '/rest/system/status')
    return ['tcp://10.9.8.7:22000', 'tcp://192.0.2.1:22000'].map((address) => lastDialStatus[address].reason)
  }
  assert.deepEqual(await reasons(), ['refused', 'network-not-allowed'])
  metered = 'u 4\n'
  await pass(180_000)
  assert.equal(await shown(), 'no')
  assert.deepEqual(await reasons(), ['refused', 'refused'])
  platform.programs.act = async () => ({ kind: 'not-started', reason: 'ENOENT' })
  await pass(60_000)
  assert.equal(await shown(), 'unknown')
  await end()
})

test('a rule is refused by its field, and nothing is changed', async () => {
  const { platform, call, end } = await stage()
  const good = { name: 'a', from: '22:00', to: '06:00', pause: true }
  const bad: readonly (readonly [object, string])[] = [
    [{ name: '-' }, 'name: '],
    [{ from: '25:00' }, 'from: '],
    [{ from: '24:00' }, 'from: '],
    [{ to: '6:00' }, 'to: '],
    [{ to: '22:00' }, 'to: '],
    [{ days: [] }, 'days: '],
    [{ days: ['monday'] }, 'days: '],
    [{ pause: false }, 'pause: '],
    [{ maxSendKbps: 5 }, 'pause: '],
    [{ pause: false, maxSendKbps: -1 }, 'maxSendKbps'],
    [{ folder: 'docs', device: FRIEND }, 'device: '],
    [{ folder: 'none' }, 'there is no folder none'],
    [{ device: 'none' }, 'there is no device none'],
  ]
  for (const [fields, message] of bad) {
    const body = JSON.stringify({ ...good, ...fields })
    const { status, text } = await request(platform, 'POST', '/rest/twinfold/schedule', body)
    assert.deepEqual([status, text.includes(message)], [400, true], `${body}: ${text}`)
  }
  assert.deepEqual((await call('GET', '/rest/twinfold/schedule')).rules, [])
  await end()
})

test('after a restart a folder is paused before it has run', async () => {
  const first = await stage()
  await first.at('2026-07-01T23:00:00Z')
  await first.call('POST', '/rest/twinfold/schedule', { name: 'night', from: '22:00', to: '06:00', pause: true })
  await first.end()
  const { platform } = first
  const stop = new AbortController()
  const done = runDaemon(platform, { ...SIM_OPTIONS, guiApiKey: SIM_KEY }, stop.signal)
  await settle()
  const log = JSON.parse((await request(platform, 'GET', '/rest/system/log')).text).messages
  const lines: readonly string[] = log.map(({ message }: { message: string }) => message)
  assert.ok(
    lines.some((line) => line.includes('docs: paused by the rule night')),
    lines.join('\n'),
  )
  assert.ok(!lines.some((line) => line.includes('folder docs starts')), lines.join('\n'))
  stop.abort()
  for (let turn = 0; turn < 20; turn++) await settle()
  await done
})

test('a set-up file makes a rule and a hook, which are in force at once; again nothing changes', async () => {
  const { call, at, state, end, platform } = await stage()
  await at('2026-07-01T23:00:00Z')
  const rule = { name: 'night', from: '22:00', to: '06:00', folder: 'docs', pause: true }
  const hook = { name: 'backup', on: 'error', program: '/bin/backup' }
  const file = { document: { schedule: [rule], hooks: [hook] } }
  const first = await call('POST', '/rest/twinfold/setup', file)
  assert.equal(first.changes.length, 2)
  assert.equal(await state(), 'paused')
  assert.deepEqual(
    (await call('GET', '/rest/twinfold/hooks')).map(({ name }: { name: string }) => name),
    ['backup'],
  )
  assert.deepEqual((await call('POST', '/rest/twinfold/setup', file)).changes, [])
  const missing = JSON.stringify({ document: { hooks: [{ ...hook, name: 'x', folder: 'none' }] } })
  const { status, text } = await request(platform, 'POST', '/rest/twinfold/setup', missing)
  assert.deepEqual([status, text.trim()], [400, 'hook x: there is no folder none'])
  const pruned = await call('POST', '/rest/twinfold/setup', { document: {}, prune: true })
  assert.deepEqual(pruned.changes.length, 2)
  assert.equal(await state(), 'idle')
  assert.deepEqual(await call('GET', '/rest/twinfold/hooks'), [])
  await end()
})

test('an idle hour makes no access to the disk of a folder, with a rule and all conditions switched on', async () => {
  const { call, at, pass, state, end, platform } = await stage({ powerSupplies: async () => [] })
  platform.programs.act = async () => ({ kind: 'exited', code: 0, output: 'u 4\n' })
  await at('2026-07-01T12:00:00Z')
  const versioning = { type: 'trashcan', params: { cleanoutDays: '30' }, cleanupIntervalS: 600 }
  await call('PATCH', '/rest/config/folders/docs', { rescanIntervalS: 86_400, versioning })
  await call('POST', '/rest/twinfold/schedule', { name: 'slow', from: '12:30', to: '12:45', maxRecvKbps: 100 })
  const docs = { pauseOnBattery: true, guard: true, versionsPercentMax: 10 }
  await call('PATCH', '/rest/twinfold/settings', { meteredLocalOnly: true, inhibitSleep: true, folders: { docs } })
  // After the last change free space is looked at once, and old versions are cleaned up once.
  await pass(HOUR_MS / 4)
  assert.equal(await state(), 'idle')
  const asked = platform.programs.runs.length
  const calls = countCalls(platform.disk, '/data/docs')
  await pass(HOUR_MS)
  assert.deepEqual(calls, [])
  assert.ok(platform.programs.runs.length >= asked + 50, 'the conditions were asked')
  await call('POST', '/rest/db/scan?folder=docs')
  assert.notDeepEqual(calls, [], 'calls are counted')
  await end()
})

/** Lists the calls of a disk that are about a directory, from now on. */
function countCalls(disk: object, directory: string): readonly string[] {
  const calls: string[] = []
  const target = disk as Record<string, unknown>
  for (let part: object = target; part !== Object.prototype; part = Object.getPrototypeOf(part) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(part))) {
      if (typeof value !== 'function' || name === 'constructor' || Object.hasOwn(target, name)) continue
      target[name] = (...args: readonly unknown[]) => {
        const isInside = args.some((each) => typeof each === 'string' && each.startsWith(directory))
        if (isInside) calls.push(`${name} ${args.join(' ')}`)
        return Reflect.apply(value, target, args) as unknown
      }
    }
  }
  return calls
}
