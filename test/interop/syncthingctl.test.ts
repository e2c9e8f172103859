import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { testProgram } from '../../tools/test-program.ts'
import { Daemon } from '../support/daemon.ts'
import { missingProgram } from '../support/debian.ts'
import { reportRow } from '../support/effort.ts'
import { loopbackOnly, missingNamespaces } from '../support/loopback.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { apiKeyOf, insideNamespaceOf } from '../support/syncthing.ts'

const skip = missingProgram('syncthingctl', 'syncthingtray') ?? missingNamespaces() ?? false
const URL = 'http://127.0.0.1:8384'

const scratch = scratchDirectory()
const home = join(scratch.path, 'home')
const photos = join(scratch.path, 'photos')
let daemon: Daemon
let tried = 0

interface Outcome {
  readonly code: number | null
  readonly out: string
}

/** A command in the network of the daemon, which has nothing else in it. */
async function run(command: readonly string[]): Promise<Outcome> {
  const [program, ...args] = [...insideNamespaceOf(daemon.child), ...command]
  const env = { ...process.env, HOME: scratch.path, XDG_RUNTIME_DIR: scratch.path, QT_QPA_PLATFORM: 'offscreen' }
  const child = spawn(program!, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  await once(child, 'close')
  // oxlint-disable-next-line no-control-regex
  return { code: child.exitCode, out: out.replace(/\x1b\[[\d;]*[A-Za-z]/g, '') }
}

/** One command of the tray program's command line; it must succeed. */
async function ctl(...args: string[]): Promise<string> {
  const { code, out } = await run(['syncthingctl', ...args, '--url', URL, '--api-key', apiKeyOf(home)])
  assert.equal(code, 0, `${args.join(' ')}: ${out}`)
  tried++
  return out
}

before(async () => {
  if (skip !== false) return
  mkdirSync(photos)
  writeFileSync(join(photos, 'a.jpg'), 'picture')
  daemon = new Daemon({ home, before: loopbackOnly(), guiAddress: '127.0.0.1:8384' })
  await eventually('the daemon answers', async () => {
    assert.equal(daemon.child.exitCode, null, daemon.output)
    return daemon.output.includes('listening on http') || undefined
  })
})

after(async () => {
  if (skip === false) await daemon[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** Our own command line changes what the other shows. */
function twinfold(...args: string[]): Promise<Outcome> {
  return run([process.execPath, testProgram(), ...args, '--gui-address', URL, '--gui-apikey', apiKeyOf(home)])
}

/** What is shown of the folder, once it holds the text: a scan takes its time. */
function statusWith(text: string): Promise<string> {
  return eventually(`the folder shows ${text}`, async () => {
    const status = await ctl('status', '--dir', 'photos')
    return status.includes(text) ? status : undefined
  })
}

test('syncthingctl shows, rescans, pauses, resumes and stops a running Twinfold', { skip }, async () => {
  assert.equal((await twinfold('folder', 'add', photos, '--id', 'photos', '--label', 'Pictures', '--no-watch')).code, 0)
  assert.match(await statusWith('1 file(s)'), /Local +1 file\(s\), 0 dir\(s\), 7 bytes/)
  await ctl('wait-for-idle', '--timeout', '30000')
  const shown = await ctl('status')
  assert.match(shown, /Version +syncthing v/)
  assert.match(shown, /- photos\n +Label +Pictures\n +Path +\S+\/photos\n/)
  assert.match(shown, /own device/)

  writeFileSync(join(photos, 'b.jpg'), 'another')
  await ctl('rescan', 'photos')
  assert.match(await statusWith('2 file(s)'), /Local +2 file\(s\), 0 dir\(s\), 14 bytes/)
  await ctl('rescan-all')

  await ctl('pause', '--dir', 'photos')
  assert.match(await ctl('status', '--dir', 'photos'), /Status +paused/)
  assert.match((await twinfold('folder', 'list')).out, /photos .* paused /)
  await ctl('resume', '--dir', 'photos')
  assert.doesNotMatch(await ctl('status', '--dir', 'photos'), /paused/)

  const config: unknown = JSON.parse(await ctl('cat'))
  assert.equal(Object(config).folders[0].label, 'Pictures')
  assert.match(await ctl('log'), /folder photos starts/)
  await ctl('stop')
  assert.equal(await daemon.ended(), 0)
  reportRow({ id: 'CLI-syncthingctl', tried })
})
