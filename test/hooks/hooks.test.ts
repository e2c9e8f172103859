/** Hooks over a simulated clock and disk: what fires is stored before it is sent, and sent until it succeeds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { DeviceStates, FolderFacts } from '../../src/core/hooks/device-states.ts'
import type { NewHook } from '../../src/core/hooks/hook.ts'
import { EventBus } from '../../src/events/bus.ts'
import { Hooks } from '../../src/hooks/hooks.ts'
import type { ClientRequest } from '../../src/platform/http-client.ts'
import { NetError } from '../../src/platform/net-error.ts'
import type { ProgramRun } from '../../src/platform/programs.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { quietLogger } from '../support/logger.ts'

const MINUTE_MS = 60_000
const PLACES = { file: '/home/twinfold-hooks.json', directory: '/home/twinfold-hooks' }
const FOLDER: FolderFacts = {
  id: 'photos',
  label: 'Photos',
  sync: 'in-sync',
  needItems: 0,
  needBytes: 0,
  remoteSync: new Map(),
  error: '',
  receivedMs: 0,
  sequence: 7,
  space: undefined,
  conflicts: undefined,
  held: undefined,
}
const WEBHOOK: NewHook = {
  name: 'phone',
  on: 'error',
  folder: undefined,
  device: undefined,
  afterMs: 0,
  target: { kind: 'url', url: 'https://example.com/x', format: 'json', secret: undefined, allowPrivate: false },
}
const PROGRAM: NewHook = {
  ...WEBHOOK,
  name: 'backup',
  on: 'folder-in-sync',
  target: { kind: 'program', program: '/bin/backup', args: ['--all'] },
}

const settle = async () => {
  for (let turn = 0; turn < 30; turn++) await setImmediate()
}

async function runOf(hooks: Hooks) {
  const stop = new AbortController()
  const failed = hooks.run(stop.signal)
  failed.catch(() => {}) // a test may look at it later
  const end = async () => {
    stop.abort(new Error('stopped'))
    await failed.catch((error: unknown) => assert.match(String(error), /stopped/))
  }
  await settle()
  return { failed, end }
}

function scene() {
  const clock = new SimClock()
  const disk = new SimDisk(clock)
  disk.put('/home/config.xml', '')
  const events = new EventBus({ clock, log: quietLogger('events') })
  const random = new SimRandom(1)
  const sent: ClientRequest[] = []
  const runs: (ProgramRun & { readonly paths: string | undefined })[] = []
  const problems: string[] = []
  const listeners: AbortSignal[] = []
  const world = {
    clock,
    disk,
    sent,
    runs,
    problems,
    listeners,
    facts: FOLDER,
    status: 200 as number | 'offline' | 'hangs',
    exitCode: 0,
    stateCalls: 0,
    isBroken: false,
    events,
    /** The state changes, which an event announces, and some time passes. */
    see: async (facts: Partial<FolderFacts>, passMs = 2_000) => {
      world.facts = { ...FOLDER, ...facts }
      events.emit('FolderErrors', { folder: 'photos', errors: [] })
      await clock.advance(passMs, settle)
    },
    start: async () => {
      const hooks = await Hooks.open(
        {
          clock,
          random,
          disk,
          events: {
            listen: (types, onEvent, signal) => {
              listeners.push(signal)
              events.listen(types, onEvent, signal)
            },
          },
          http: {
            send: async (request, signal) => {
              sent.push(request)
              if (world.status === 'offline') throw new NetError('ECONNREFUSED', 'no server listens')
              if (world.status === 'hangs') await clock.sleep(86_400_000, signal)
              return { status: world.status as number, headers: {}, body: new Uint8Array() }
            },
          },
          programs: {
            run: async (run) => {
              const file = run.environment['TWINFOLD_PATHS_FILE']
              const content = file === undefined ? undefined : disk.direct.look(file)?.content
              runs.push({ ...run, paths: content === undefined ? undefined : new TextDecoder().decode(content) })
              return { kind: 'exited', code: world.exitCode, output: 'the last line\n' }
            },
          },
          statesOf: async (): Promise<Pick<DeviceStates, 'folders' | 'devices'>> => {
            world.stateCalls++
            if (world.isBroken) throw new Error('broken')
            return { folders: [world.facts], devices: [] }
          },
          report: (problem) => void problems.push(problem),
        },
        PLACES,
      )
      return { hooks, ...(await runOf(hooks)), rerun: () => runOf(hooks) }
    },
  }
  return world
}

const idsOf = (sent: readonly ClientRequest[]) => sent.map(({ headers }) => headers?.['Webhook-Id'])
const bodyOf = (request: ClientRequest | undefined) => JSON.parse(String(request?.body)) as { readonly text: string }

test('a hook fires for an error that appears after it was added, once; its file is private', async () => {
  const world = scene()
  const { hooks, end } = await world.start()
  world.facts = { ...FOLDER, error: 'old' }
  await hooks.add(WEBHOOK)
  await world.see({ error: 'old' })
  await world.see({})
  assert.equal(world.sent.length, 0)
  await world.see({ error: 'new' })
  await world.see({ error: 'new' }, 10 * MINUTE_MS)
  assert.deepEqual(
    world.sent.map(bodyOf).map(({ text }) => text),
    ['Folder "Photos" has an error: new'],
  )
  assert.deepEqual([hooks.all()[0]!.waiting, hooks.log('phone')[0]!.detail], [0, 'HTTP 200'])
  assert.equal((await world.disk.lstat(PLACES.file)).mode & 0o777, 0o600)
  assert.equal((await world.disk.lstat(`${PLACES.directory}/journal.json`)).mode & 0o777, 0o600)
  await end()
  assert.equal(world.clock.sleepingCount, 0)
})

test('a server that fails gets the same delivery again later, by the same id, then the next one', async () => {
  const world = scene()
  const { hooks, end } = await world.start()
  await hooks.add(WEBHOOK)
  await world.see({})
  world.status = 503
  await world.see({ error: 'first' })
  await world.see({})
  world.status = 'offline'
  await world.see({ error: 'second' })
  assert.deepEqual([world.sent.length, hooks.all()[0]!.waiting], [1, 2])
  await world.clock.advance(MINUTE_MS, settle)
  world.status = 302
  await world.clock.advance(2 * MINUTE_MS, settle)
  assert.match(hooks.log('phone')[0]!.detail, /^HTTP 302: redirects are not followed/)
  assert.equal(new Set(idsOf(world.sent)).size, 1)
  world.status = 204
  await world.clock.advance(60 * MINUTE_MS, settle)
  assert.deepEqual(
    [...new Set(world.sent.map(bodyOf).map(({ text }) => text))],
    ['Folder "Photos" has an error: first', 'Folder "Photos" has an error: second'],
  )
  assert.equal(hooks.all()[0]!.waiting, 0)
  await end()
})

test('what was stored before a kill is delivered after it, and what was under way is repeated', async () => {
  const world = scene()
  const first = await world.start()
  await first.hooks.add(WEBHOOK)
  await world.see({})
  world.status = 'hangs'
  await world.see({ error: 'full' })
  assert.equal(world.sent.length, 1)
  // Killed: nothing of it ends in an orderly way, and the disk stays as it is.
  world.status = 200
  const second = await world.start()
  await settle()
  assert.equal(world.sent.length, 2)
  assert.equal(new Set(idsOf(world.sent)).size, 1)
  await world.see({ error: 'full' }, 10 * MINUTE_MS)
  assert.equal(world.sent.length, 2)
  // Killed once more: what was delivered is not repeated.
  const third = await world.start()
  await settle()
  assert.equal(world.sent.length, 2)
  for (const { end } of [third, second, first]) await end()
})

test('a program gets the changed paths in a file, which is removed after it succeeded', async () => {
  const world = scene()
  const { hooks, end } = await world.start()
  await hooks.add(PROGRAM)
  await world.see({ sync: 'behind' })
  const change = (path: string, folder = 'photos') => {
    const about = { folder, folderID: folder, label: '', modifiedBy: '' }
    world.events.emit('RemoteChangeDetected', { ...about, path, type: 'file', action: 'modified' })
  }
  for (const path of ['a.txt', 'with\nline', 'a.txt']) change(path)
  change('elsewhere', 'other')
  world.exitCode = 1
  await world.see({}, 5_000)
  const names = async () => (await world.disk.list(PLACES.directory)).map(({ name }) => name)
  assert.equal((await names()).filter((name) => name.endsWith('.paths')).length, 1)
  assert.equal(hooks.log('backup')[0]!.detail, 'exit code 1: the last line')
  world.exitCode = 0
  await world.clock.advance(MINUTE_MS, settle)
  assert.deepEqual(
    world.runs.map(({ paths }) => paths),
    ['a.txt\0with\nline\0', 'a.txt\0with\nline\0'],
  )
  const [run] = world.runs
  assert.deepEqual([run!.program, run!.args, run!.environment['TWINFOLD_FOLDER']], ['/bin/backup', ['--all'], 'photos'])
  assert.equal(run!.environment['TWINFOLD_PATHS_COMPLETE'], 'true')
  assert.ok(run!.hidden.includes('STGUIAPIKEY'))
  assert.deepEqual(await names(), ['journal.json'])
  await end()

  const again = await world.start()
  await world.see({ sync: 'behind' })
  change('later')
  await world.see({}, 5_000)
  assert.deepEqual(
    [world.runs.at(-1)!.paths, world.runs.at(-1)!.environment['TWINFOLD_PATHS_COMPLETE']],
    ['later\0', 'false'],
  )
  await again.end()
})

test('the calls of all-in-sync are not queued: a failed one is not repeated, the next is in time', async () => {
  const world = scene()
  const { hooks, end } = await world.start()
  world.status = 'offline'
  await hooks.add({ ...WEBHOOK, on: 'all-in-sync', afterMs: 5 * MINUTE_MS })
  await settle()
  assert.deepEqual([world.sent.length, world.sent[0]!.method, hooks.all()[0]!.waiting], [1, 'GET', 0])
  await world.clock.advance(4 * MINUTE_MS, settle)
  assert.equal(world.sent.length, 1)
  await world.clock.advance(16 * MINUTE_MS, settle)
  assert.equal(world.sent.length, 5)
  await world.see({ sync: 'behind' }, 30 * MINUTE_MS)
  assert.equal(world.sent.length, 5)
  await end()
})

test('a test is delivered at once; a removed hook delivers nothing more; unknown names are refused', async () => {
  const world = scene()
  const { hooks, end } = await world.start()
  const signal = new AbortController().signal
  await hooks.add(WEBHOOK)
  assert.deepEqual(await hooks.test('phone', signal), { ok: true, detail: 'HTTP 200' })
  assert.equal(bodyOf(world.sent[0]).text, 'This is a test of the hook phone')
  await world.see({})
  world.status = 500
  await world.see({ error: 'x' })
  assert.equal(hooks.all()[0]!.waiting, 1)
  await hooks.remove('phone')
  world.status = 200
  await world.clock.advance(180 * MINUTE_MS, settle)
  assert.deepEqual([hooks.all(), world.sent.length], [[], 2])
  for (const call of [() => hooks.remove('phone'), async () => hooks.log('phone'), () => hooks.test('x', signal)]) {
    await assert.rejects(call, { code: 'file-missing' })
  }
  await end()
})

test('without a hook no state is asked for and no timer runs', async () => {
  const world = scene()
  const { end } = await world.start()
  await world.see({ error: 'x' }, 60 * MINUTE_MS)
  assert.deepEqual([world.stateCalls, world.clock.sleepingCount], [0, 0])
  await end()
})

test('nothing is written while no state changes', async () => {
  const world = scene()
  const { hooks, end } = await world.start()
  await hooks.add({ ...WEBHOOK, on: 'folder-behind', afterMs: 60 * MINUTE_MS })
  await world.see({ sync: 'behind' })
  const inode = async () => (await world.disk.lstat(`${PLACES.directory}/journal.json`)).inode
  const before = await inode()
  for (let i = 0; i < 10; i++) await world.see({ sync: 'behind' })
  assert.equal(await inode(), before)
  await world.see({})
  assert.notEqual(await inode(), before)
  await end()
})

test('a run that fails ends as a whole; the next one delivers once', async () => {
  const world = scene()
  const { hooks, failed, rerun } = await world.start()
  await hooks.add(WEBHOOK)
  await world.see({})
  world.isBroken = true
  await world.see({ error: 'x' })
  await assert.rejects(failed, /broken/)
  assert.deepEqual(
    world.listeners.map(({ aborted }) => aborted),
    [true],
  )
  world.isBroken = false
  const { end } = await rerun()
  await world.see({ error: 'x' })
  assert.equal(world.sent.length, 1)
  await end()
})

test('a damaged file of hooks is refused and stays; a damaged journal starts anew', async () => {
  const world = scene()
  const { hooks, end } = await world.start()
  await hooks.add(WEBHOOK)
  await world.see({})
  await end()
  world.disk.put(`${PLACES.directory}/journal.json`, 'not json')
  const again = await world.start()
  assert.match(world.problems.join(), /journal of hooks cannot be read/)
  assert.equal(again.hooks.all().length, 1)
  await again.end()
  world.disk.put(PLACES.file, '{"hooks":[{}]}')
  await assert.rejects(world.start(), {
    code: 'config-invalid',
    message: /hooks\[0\]\.id is not valid. Nothing was changed/,
  })
})
