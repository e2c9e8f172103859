import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/scratch.ts'
import {
  consoleCommand,
  PROGRAM,
  runTwinfold,
  startWindows,
  windowsDirectory,
  windowsPath,
} from '../support/windows.ts'

const LABEL = 'Grüße 日本語'
const CTRL_C = '\x03'
const END_MS_MAX = 60_000

/** A program in a console. */
function inConsole(args: readonly string[], codepage?: number) {
  const [program, ...words] = consoleCommand(args, codepage)
  const child = spawn(program!, words, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, TERM: 'xterm' } })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(END_MS_MAX) }) as Promise<[number | null]>
  return {
    press: (keys: string) => child.stdin.write(keys),
    /** Without the control sequences of the terminal. */
    shown: () => shown.replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, ''),
    code: async () => (await ended)[0],
  }
}

test('names in Unicode are shown in a console, and are UTF-8 with line feeds in a file', async () => {
  using scratch = windowsDirectory()
  await using windows = await startWindows(scratch.path)
  await windows.daemon.addFolder('docs', windowsPath(windows.root), { label: LABEL })
  const words = ['status', `--home=${windowsPath(windows.daemon.home)}`]
  const { code, output } = runTwinfold(words)
  assert.equal(code, 0, output)
  assert.ok(output.includes(LABEL), output)
  assert.doesNotMatch(output, /\r|\x1b/, 'neither carriage returns nor control sequences')
  for (const codepage of [undefined, 850, 1252, 65_001]) {
    const shell = inConsole([PROGRAM, ...words], codepage)
    assert.equal(await shell.code(), 0, shell.shown())
    assert.ok(shell.shown().includes(LABEL), `${codepage}: ${shell.shown()}`)
    if (codepage !== undefined) assert.match(shell.shown(), new RegExp(`: ${codepage}\\D`))
  }
  const help = inConsole([PROGRAM, '--help'])
  assert.equal(await help.code(), 0)
  assert.match(help.shown(), /serve\s+run the daemon/)
})

test('Ctrl+C in the console stops a daemon in order', async () => {
  using scratch = windowsDirectory()
  const home = join(scratch.path, 'home')
  const flags = [`--home=${windowsPath(home)}`, '--no-browser', '--gui-address=127.0.0.1:0', '--logfile=-']
  const daemon = inConsole([PROGRAM, 'serve', ...flags])
  const address = await eventually(
    'the address',
    () => /http:\/\/127\.0\.0\.1:\d+/.exec(daemon.shown())?.[0],
    END_MS_MAX,
  )
  assert.equal((await fetch(`${address}/rest/noauth/health`)).status, 200)
  assert.ok(existsSync(join(home, 'syncthing.lock')))
  daemon.press(CTRL_C)
  assert.equal(await daemon.code(), 0, daemon.shown())
  assert.match(daemon.shown(), /stopped/)
  assert.ok(!existsSync(join(home, 'syncthing.lock')), 'the lock is released')
})
