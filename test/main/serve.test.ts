import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXIT, type ExitCode, type ServeOptions } from '../../src/main/args/options.ts'
import { serve, type ServeDeps } from '../../src/main/serve.ts'
import { plainServeFlags, readServeRequest } from '../../src/main/args/serve-options.ts'

function options(...args: string[]): ServeOptions {
  const flags = plainServeFlags(args, {}) ?? assert.fail('not a start')
  const path = '/h'
  const locations = {
    configDirectory: path,
    dataDirectory: path,
    userHome: path,
    configFile: path,
    extensionsFile: path,
    grantsFile: path,
    invitationsFile: path,
    appliedSetupFile: path,
    addressFile: path,
    certificateFile: path,
    keyFile: path,
    httpsCertificateFile: path,
    httpsKeyFile: path,
    databaseDirectory: path,
    keptDirectory: path,
    lockFile: path,
    guiAssetsDirectory: path,
    defaultFolder: path,
    logFile: '-',
  }
  return { ...readServeRequest(flags, {}).options, locations }
}

/** A process with signals sent by the test, and daemons that are functions. */
class FakeProcess {
  readonly listeners = new Map<string, () => void>()
  readonly left: ExitCode[] = []
  readonly errors: string[] = []
  readonly started: ServeOptions[] = []
  /** Wakes every sleeper, as if the time had passed. */
  timePasses = () => {}

  deps(daemons: readonly ((signal: AbortSignal) => Promise<ExitCode>)[], platform = 'linux'): ServeDeps {
    const { promise: passed, resolve } = Promise.withResolvers<void>()
    this.timePasses = resolve
    return {
      platform,
      clock: {
        sleep: (_, signal) =>
          Promise.race([
            passed,
            new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
          ]),
      },
      process: {
        onSignal: (name, listener) => {
          this.listeners.set(name, listener)
          return { [Symbol.dispose]: () => void this.listeners.delete(name) }
        },
        leave: (code) => void this.left.push(code),
        printError: (line) => void this.errors.push(line),
      },
      runDaemon: (each, signal) => {
        this.started.push(each)
        return daemons[this.started.length - 1]!(signal)
      },
    }
  }

  signal(name: string): void {
    this.listeners.get(name)!()
  }
}

const ends = (code: ExitCode) => async () => code
const untilStopped = (signal: AbortSignal) =>
  new Promise<ExitCode>((resolve) => signal.addEventListener('abort', () => resolve(EXIT.success)))

for (const name of ['SIGTERM', 'SIGINT']) {
  test(`${name} stops in order with code 0, and no listener stays`, async () => {
    const fake = new FakeProcess()
    const done = serve(fake.deps([untilStopped]), options(), true)
    fake.signal(name)
    assert.equal(await done, EXIT.success)
    assert.deepEqual(fake.left, [])
    assert.equal(fake.listeners.size, 0)
  })
}

for (const name of ['SIGINT', 'SIGBREAK', 'SIGHUP']) {
  test(`${name} of a console of Windows stops in order: there is no time for a restart`, async () => {
    const fake = new FakeProcess()
    const done = serve(fake.deps([untilStopped], 'win32'), options(), true)
    fake.signal(name)
    assert.equal(await done, EXIT.success)
    assert.equal(fake.started.length, 1)
    assert.deepEqual(fake.left, [])
  })
}

test('a second interrupt ends the process at once', () => {
  const fake = new FakeProcess()
  void serve(fake.deps([() => new Promise(() => {})]), options(), true)
  fake.signal('SIGTERM')
  assert.deepEqual(fake.left, [])
  fake.signal('SIGINT')
  assert.deepEqual(fake.left, [EXIT.error])
})

test('a daemon that does not stop in time is abandoned, with an error message', async () => {
  const fake = new FakeProcess()
  void serve(fake.deps([() => new Promise(() => {})]), options(), true)
  fake.signal('SIGTERM')
  fake.timePasses()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(fake.left, [EXIT.error])
  assert.match(fake.errors.join(), /10 s/)
})

test('a hang-up restarts in place; options for the first start are not applied again', async () => {
  const fake = new FakeProcess()
  const done = serve(
    fake.deps([untilStopped, ends(EXIT.success)]),
    options('--paused', '--browser', '--gui-address', 'x:1'),
    true,
  )
  fake.signal('SIGHUP')
  assert.equal(await done, EXIT.success)
  assert.equal(fake.started.length, 2)
  const { paused, openBrowser, guiAddress } = fake.started[1]!
  assert.deepEqual({ paused, openBrowser, guiAddress }, { paused: false, openBrowser: false, guiAddress: 'x:1' })
})

test('a hang-up exits with code 3 under --no-restart', async () => {
  const fake = new FakeProcess()
  const done = serve(fake.deps([untilStopped]), options(), false)
  fake.signal('SIGHUP')
  assert.equal(await done, EXIT.restart)
})

const codeCases: [name: string, daemons: ExitCode[], restarts: boolean, expected: ExitCode][] = [
  ['shutdown over REST', [EXIT.success], true, EXIT.success],
  ['an error', [EXIT.error], true, EXIT.error],
  ['restart over REST, ten times', [...Array<ExitCode>(10).fill(EXIT.restart), EXIT.success], true, EXIT.success],
  ['restart under --no-restart', [EXIT.restart], false, EXIT.restart],
  ['upgrade under --no-restart', [EXIT.upgrade], false, EXIT.upgrade],
  ['upgrade', [EXIT.upgrade, EXIT.error], true, EXIT.error],
]

for (const [name, daemons, restarts, expected] of codeCases) {
  test(`${name} ends with code ${expected}`, async () => {
    const fake = new FakeProcess()
    assert.equal(await serve(fake.deps(daemons.map(ends)), options(), restarts), expected)
    assert.equal(fake.started.length, daemons.length)
  })
}

test('an interrupt during a restart wins', async () => {
  const fake = new FakeProcess()
  const done = serve(fake.deps([untilStopped]), options(), true)
  fake.signal('SIGHUP')
  fake.signal('SIGTERM')
  assert.equal(await done, EXIT.success)
  assert.equal(fake.started.length, 1)
})
