import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLI_EXIT } from '../../src/cli/context.ts'
import { insideFolder } from '../../src/cli/scan-command.ts'
import { MARKER_MISSING } from '../../src/core/folder-stop.ts'
import { folder, NASTY, type Daemon, newDaemon, run } from './fake-daemon.ts'

test('scan: parts and next are sent, and the result is printed', async () => {
  const daemon = newDaemon()
  const { code, out, err } = await run('scan docs a/b /data/docs/c --next 30', daemon)
  assert.deepEqual({ code, err }, { code: CLI_EXIT.done, err: '' })
  assert.match(out, /Scanned "docs" in .*; the folder holds 3 files, 4\.00 KiB/)
  assert.ok(
    daemon.requests.includes('POST /rest/db/scan?folder=docs&sub=a%2Fb&sub=c&next=30'),
    daemon.requests.join('\n'),
  )
})

test('scan: unreadable items are listed and set the exit code', async () => {
  const daemon = newDaemon()
  daemon.errors = [{ path: NASTY, error: 'permission denied' }]
  const { code, err } = await run('scan docs', daemon)
  assert.equal(code, CLI_EXIT.doneWithProblems)
  assert.match(err, /1 item could not be scanned:\n {2}evil\\x1b\[2J\\nname: permission denied/)
  const json = JSON.parse((await run('scan docs --json', daemon)).out)
  assert.deepEqual([json.folder, json.files, json.errors.length], ['docs', 3, 1])
})

test('scan: a path that is nowhere is an error, one that is not scanned a warning', async () => {
  const daemon = newDaemon()
  daemon.why = {
    nothing: { code: 'absent', text: 'there is no such file here, and no device has announced one' },
    cache: { code: 'ignored', text: 'it is ignored here, by the line "/cache" of .stignore' },
  }
  const { code, err } = await run('scan docs here ./nothing/', daemon)
  assert.equal(code, CLI_EXIT.failed)
  assert.match(err, /"nothing" in folder "docs": there is no such file here/)
  const ignored = await run('scan docs cache', daemon)
  assert.equal(ignored.code, CLI_EXIT.done)
  assert.match(ignored.err, /^Warning: "cache": it is ignored here/)
  assert.deepEqual((await run('scan docs here', daemon)).err, '')
})

test('scan: the message is the error of the daemon', async () => {
  const daemon = newDaemon()
  daemon.scanAnswer = { status: 500, text: 'folder marker missing\n' }
  assert.deepEqual(await run('scan docs', daemon), {
    code: CLI_EXIT.failed,
    out: '',
    err: 'twinfold: error: folder marker missing',
  })
})

test('scan, status, doctor: a folder without its marker is probably on a disk that is not mounted', async () => {
  const daemon = newDaemon()
  daemon.folders = daemon.folders.slice(0, 1)
  daemon.scanAnswer = { status: 500, text: `${MARKER_MISSING}\n` }
  daemon.counts = { state: 'error', error: MARKER_MISSING }
  const text = /the folder marker is missing: the disk is probably not mounted at \/data\/docs\./
  for (const command of ['scan docs', 'status', 'status docs', 'doctor']) {
    const { out, err } = await run(command, daemon)
    assert.match(`${out}${err}`, text, command)
    assert.doesNotMatch(`${out}${err}`, /forum/, command)
  }
})

const progress = (id: number, current: number, of = 'docs') => ({
  id,
  type: 'FolderScanProgress',
  data: { folder: of, current, total: 1001, rate: 10 },
})

/** A daemon whose scan lasts until `shown` resolves, with these events on the way. */
function slowDaemon(shown: Promise<void>): Daemon {
  const daemon = newDaemon()
  daemon.eventPages = [
    [progress(1, 999)],
    [progress(2, 10)],
    [progress(3, 500), progress(4, 510), progress(5, 990, 'photos')],
  ]
  daemon.scanAnswer = shown.then(() => ({ status: 200, text: '' }))
  return daemon
}

test('scan: progress is drawn on a terminal, and cleared', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const drawn: string[] = []
  const redraw = (line: string) => {
    drawn.push(line)
    if (line.includes('51 %')) resolve()
  }
  await run('scan docs', slowDaemon(promise), { interactive: true, columns: 100, redraw })
  assert.deepEqual(
    drawn.map((line) => /\d+ %/.exec(line)?.[0]),
    ['1 %', '50 %', '51 %', undefined],
  )
  assert.match(drawn[0]!, /^Documents {2}\[ +\] /)
  assert.equal(drawn.at(-1), '')
})

test('scan: without a terminal a line for every tenth, on standard error', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const lines: string[] = []
  const printError = (line: string) => {
    lines.push(line)
    resolve()
  }
  const { out } = await run('scan docs', slowDaemon(promise), { printError })
  assert.deepEqual(lines, ['docs: 50 %  500 B of 1000 B, 10 B/s, 50 s left'])
  assert.match(out, /^Scanned "docs"/)
})

test('scan: a folder whose files are all hashed is being finished, and needs no line of its own', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const daemon = slowDaemon(promise)
  daemon.eventPages = [[progress(1, 0)], [progress(2, 1000)], [progress(3, 1000, 'photos')]]
  const drawn: string[] = []
  const redraw = (line: string) => {
    drawn.push(line)
    resolve()
  }
  await run('scan docs', daemon, { interactive: true, columns: 100, redraw })
  assert.deepEqual([drawn.length, drawn[1]], [2, ''])
  assert.match(drawn[0] ?? '', /^Documents {2}\[#+\] {2}100 % {2}1000 B of 1000 B, finishing$/)
  const plain = newDaemon()
  plain.eventPages = [[progress(1, 0)], [progress(2, 1000)]]
  const lines: string[] = []
  plain.scanAnswer = new Promise((done) => {
    const timer = setInterval(() => {
      if (plain.eventPages?.length !== 0) return
      clearInterval(timer)
      done({ status: 200, text: '' })
    }, 5)
  })
  await run('scan docs', plain, { printError: (line) => void lines.push(line) })
  assert.deepEqual(lines, [])
})

test('insideFolder: absolute paths in the folder become relative, others are refused', () => {
  const at = { ...folder('docs'), path: '/data/docs/' }
  assert.deepEqual(
    ['a', '/data/docs', '/data/docs/', '/data/docs/a/b'].map((sub) => insideFolder(at, sub)),
    ['a', '', '', 'a/b'],
  )
  assert.throws(() => insideFolder(at, '/data/docs2/a'), /is not in folder/)
})

test('insideFolder: paths of Windows have two separators and no case', () => {
  const inWindows = (path: string) => (sub: string) => insideFolder({ ...folder('docs'), path }, sub, '\\')
  assert.deepEqual(['a\\b', 'C:\\Docs', 'c:/docs/', 'c:\\docs\\A\\b'].map(inWindows('C:\\Docs')), [
    'a/b',
    '',
    '',
    'A/b',
  ])
  assert.equal(inWindows('D:\\')('d:\\a\\b'), 'a/b')
  assert.equal(inWindows('\\\\server\\share')('\\\\SERVER\\share\\a'), 'a')
  assert.throws(() => inWindows('C:\\Docs')('C:\\Docs2\\a'), /C:.Docs2.a is not in folder/)
})
