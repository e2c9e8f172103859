import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { endOf, runCommand, startCommand, type CommandOptions, type CommandResult } from '../support/command.ts'
import { Daemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const scratch = scratchDirectory()
const home = join(scratch.path, 'home')
const photos = join(scratch.path, 'photos')
let daemon: Daemon

before(async () => {
  mkdirSync(photos)
  writeFileSync(join(photos, 'a.jpg'), 'picture')
  writeFileSync(join(photos, 'evil\x1b[2Jname'), 'x')
  daemon = await new Daemon({ home }).ready()
})

after(async () => {
  await daemon[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** One command against the daemon of this file. */
function twinfold(args: string, options: CommandOptions = {}): Promise<CommandResult> {
  return runCommand([...args.split(' '), '--home', home, '--gui-address', daemon.url], options)
}

async function jsonOf(args: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await twinfold(`${args} --json`)
  assert.deepEqual({ code, err }, { code: 0, err: '' }, args)
  return JSON.parse(out)
}

test('folder add, list, scan, status, remove: the usual sequence', async () => {
  const empty = await twinfold('folder list')
  assert.match(empty.out, /No folders yet/)

  const added = await twinfold('folder add photos --id photos --label Pictures --no-watch', { cwd: scratch.path })
  assert.deepEqual(added, { code: 0, err: '', out: `Added folder "photos" at ${photos}\n` })
  assert.match((await twinfold('folder add photos --id photos')).err, /already exists/)

  const scanned = await twinfold('scan photos')
  assert.equal(scanned.code, 0, scanned.err)
  assert.match(scanned.out, /^Scanned "photos" in .*; the folder holds 2 files, /)

  writeFileSync(join(photos, 'b.jpg'), 'another')
  mkdirSync(join(photos, 'sub'))
  writeFileSync(join(photos, 'sub', 'c.jpg'), 'third')
  const part = await jsonOf('scan photos b.jpg --next 3600')
  assert.deepEqual([part['folder'], part['subs'], part['files']], ['photos', ['b.jpg'], 3])
  const absolute = await jsonOf(`scan Pictures ${join(photos, 'sub')}`)
  assert.deepEqual([absolute['subs'], absolute['files'], absolute['directories']], [['sub'], 4, 1])

  assert.match((await twinfold('folder list')).out, /photos +Pictures +sendreceive +idle +\//)
  assert.match((await twinfold('status')).out, /photos \(Pictures\) +idle +4 /)
  assert.match((await twinfold('status photos')).out, /Here: +4 files, 1 directory/)
  assert.equal((await jsonOf('status photos'))['localFiles'], 4)
  const { folders, myID } = await jsonOf('status')
  assert.ok(Array.isArray(folders) && folders.length === 1 && typeof myID === 'string')

  assert.equal((await twinfold('prio photos nothing')).out, 'nothing is not waiting to be downloaded\n')
  assert.deepEqual(Object.keys(await jsonOf('prio photos nothing')).toSorted(), [
    'page',
    'perpage',
    'progress',
    'queued',
    'rest',
  ])

  const removed = await twinfold('folder remove photos')
  assert.match(removed.out, /Removed folder "photos"/)
  assert.equal(readFileSync(join(photos, 'a.jpg'), 'utf8'), 'picture')
  assert.match((await twinfold('scan photos')).err, /there is no folder "photos"; there are none yet/)
})

test('debug switches what is logged, and lists the eighteen', async () => {
  const { out } = await twinfold('debug --enable model,api')
  assert.match(out, /\nhttp +on /)
  const listing = await jsonOf('debug --disable http')
  assert.deepEqual(listing['enabled'], ['model'])
  assert.equal(Object.keys(listing['facilities'] ?? {}).length, 18)
  assert.equal((await twinfold('debug --enable nosuch')).code, 1)
  await twinfold('debug --disable model')
})

test('events and logs: past ones, and with --follow new ones', async () => {
  const { out } = await twinfold('events --types StartupComplete --json')
  assert.ok(out === '' || JSON.parse(out).type === 'StartupComplete')
  assert.match((await twinfold('events')).out, /\d  \w+  \{/)
  assert.match((await twinfold('logs')).out, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INF /)

  const args = ['events', '--follow', '--json', '--home', home, '--gui-address', daemon.url]
  const follower = startCommand(args)
  let seen = ''
  follower.stdout?.setEncoding('utf8').on('data', (text: string) => {
    seen += text
  })
  await eventually('the first events', () => (seen === '' ? undefined : true))
  const before = seen.length
  await daemon.request('PATCH', '/rest/config/options', { maxFolderConcurrency: 3 })
  await eventually('an event of the change', () => (seen.slice(before).includes('"ConfigSaved"') ? true : undefined))
  follower.kill('SIGINT')
  assert.equal(await endOf(follower), 0, 'an interrupt is how people end it')
})

test('network: everything is off in a new home, and one switch changes one setting', async () => {
  const switches = async (args: string) =>
    ((await jsonOf(args)) as { switches: Readonly<Record<string, boolean>> }).switches
  const off = await switches('network')
  assert.deepEqual(new Set(Object.values(off)), new Set([false]))
  assert.deepEqual(await switches('network on upgrade-checks'), { ...off, 'upgrade-checks': true })
  assert.match((await twinfold('network off upgrade-checks')).out, /upgrade-checks +off/)
})

test('a closed output pipe is no error', async () => {
  const child = startCommand(['logs', '--follow', '--home', home, '--gui-address', daemon.url])
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  child.stdout?.destroy()
  await daemon.request('POST', '/rest/system/error', 'wake up')
  assert.equal(await endOf(child), 0)
})

test('the daemon is found through its home alone; another home reports that it is not running', async () => {
  const own = join(scratch.path, 'own')
  assert.equal((await runCommand(['generate', '--home', own, '--no-port-probing'])).code, 0)
  const port = await freePort()
  const file = join(own, 'config.xml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('127.0.0.1:8384', `127.0.0.1:${port}`))
  const stopped = await runCommand(['status', '--home', own])
  assert.equal(stopped.code, 3)
  assert.match(
    stopped.err,
    new RegExp(`no daemon responds at http://127\\.0\\.0\\.1:${port} \\(home ${own}\\).*serve --home`),
  )

  await using running = new Daemon({ home: own, args: [`--gui-address=127.0.0.1:${port}`] })
  await running.ready()
  for (const options of [{ args: ['--home', own] }, { args: [], env: { STHOMEDIR: own } }]) {
    const { code, out } = await runCommand(
      ['status', ...options.args],
      options.env === undefined ? {} : { env: options.env },
    )
    assert.equal(code, 0)
    assert.match(out, new RegExp(`Home: +${own}`))
  }
  const wrongKey = await runCommand(['status', '--gui-address', running.url, '--gui-apikey', 'wrong'])
  assert.deepEqual([wrongKey.code, /does not accept the API key/.test(wrongKey.err)], [1, true])
  const byKey = await runCommand(['status', '--gui-address', running.url, '--gui-apikey', running.apiKey])
  assert.equal(byKey.code, 0)
  const missing = await runCommand(['status', '--home', join(scratch.path, 'nowhere')])
  assert.equal(missing.code, 3)
  assert.match(missing.err, /there is no config\.xml in .*nowhere/)
})

test('generate and reset-database do not change a home in use', async () => {
  for (const args of [['generate'], ['debug', 'reset-database'], ['--reset-database']]) {
    const { code, err } = await runCommand([...args, '--home', home])
    assert.deepEqual([code, /another Twinfold or Syncthing uses/.test(err)], [1, true], `${args}: ${err}`)
  }
})

test('help: of all commands, of one, as a man page; a missing subcommand is an error', async () => {
  assert.match((await runCommand(['help'])).out, /^Usage: twinfold \[COMMAND\]/)
  assert.match((await runCommand(['help', 'folder', 'add'])).out, /^Usage: twinfold folder add PATH \[FLAGS\]\n/)
  assert.match((await runCommand(['help', '--man'])).out, /^\.TH TWINFOLD 1 /)
  assert.match((await runCommand(['install-completions', 'bash'])).out, /'folder add'\) words='--id /)
  const missing = await runCommand(['folder'])
  assert.deepEqual([missing.code, missing.out], [1, ''])
  assert.match(missing.err, /^Usage: twinfold folder COMMAND\n/)
})

test('called by the name syncthing it prints that name', async () => {
  const entry = join(scratch.path, 'syncthing')
  symlinkSync(join(import.meta.dirname, '..', '..', 'src', 'main', 'bin.ts'), entry)
  assert.match((await runCommand(['--version'], { entry })).out, /^syncthing v\d+\.\d+\.\d+ "/)
  assert.match((await runCommand(['bogus'], { entry })).err, /^syncthing: error: unexpected argument bogus/)
  assert.match((await runCommand(['version'])).out, /^twinfold v\d+\.\d+\.\d+ "/)
})

test("cli: Syncthing's own command line finds the daemon, and values are not changed", async () => {
  const there = ['--gui-address', daemon.url, '--gui-apikey', daemon.apiKey]
  for (const args of [
    ['cli', ...there, 'show', 'version'],
    [...there, 'cli', 'show', 'version'],
    ['cli', 'show', 'version', ...there],
  ]) {
    const { code, out } = await runCommand(args)
    assert.deepEqual([code, Object.keys(JSON.parse(out)).includes('longVersion')], [0, true], args.join(' '))
  }
  const set = await runCommand(['cli', ...there, 'config', 'defaults', 'folder', 'label', 'set', '-Home'])
  assert.deepEqual(set, { code: 0, out: '', err: '' })
  const get = await runCommand(['cli', 'config', 'defaults', 'folder', 'label', 'get'], {
    env: { STGUIADDRESS: daemon.url, STGUIAPIKEY: daemon.apiKey },
  })
  assert.deepEqual(get, { code: 0, out: '-Home\n', err: '' })

  const half = await runCommand(['cli', '--gui-address', daemon.url, '--home', home, 'show', 'version'])
  assert.deepEqual(
    [half.code, half.err],
    [1, 'twinfold: error: Both --gui-address and --gui-apikey should be specified\n'],
  )
  const nowhere = await runCommand(['cli', '--home', join(scratch.path, 'nowhere'), 'show', 'version'])
  assert.deepEqual([nowhere.code, nowhere.out], [1, ''])
  assert.match(nowhere.err, /^twinfold: error: there is no config\.xml in /)

  const lines = await runCommand(['cli', ...there, '-'], { input: 'config version get\nnope\nconfig folders list' })
  assert.deepEqual(lines, {
    code: 0,
    out: 'Reading commands from stdin... []\n37\n',
    err: 'Error: unexpected argument nope\n',
  })
  const reading = await runCommand(['cli', ...there, '-', 'more'], { input: '' })
  assert.ok(!reading.out.includes(daemon.apiKey), 'a key belongs in no log')
})

test('control and bidirectional characters of names are escaped in JSON and in cli output', async () => {
  await twinfold('folder add photos --id odd', { cwd: scratch.path })
  const label = 'a\u202eb\x9bc'
  assert.equal((await daemon.request('PATCH', '/rest/config/folders/odd', { label })).status, 200)
  const listed = await twinfold('folder list --json')
  assert.ok(listed.out.includes('"a\\u202eb\\u009bc"'), listed.out)
  assert.equal(JSON.parse(listed.out).find(({ id }: { id: string }) => id === 'odd').label, label)
  const there = ['--gui-address', daemon.url, '--gui-apikey', daemon.apiKey]
  const got = await runCommand(['cli', ...there, ...'config folders odd label get'.split(' ')])
  assert.deepEqual(got, { code: 0, out: 'a\\u202eb\\u009bc\n', err: '' })
  await twinfold('folder remove odd')
})

test('folder pause and resume, and the support bundle, which is not overwritten by accident', async () => {
  const path = join(scratch.path, 'pausable')
  assert.equal((await twinfold(`folder add ${path} --id pausable --no-watch`)).code, 0)
  assert.equal((await twinfold('folder pause pausable')).out, 'Folder "pausable" is paused.\n')
  assert.match((await twinfold('folder list')).out, /pausable +sendreceive +paused /)
  assert.deepEqual(await jsonOf('folder resume pausable'), { id: 'pausable', paused: false })
  assert.equal((await twinfold('folder remove pausable')).code, 0)

  const bundle = join(scratch.path, 'bundle.zip')
  const off = await twinfold(`support --output ${bundle}`)
  assert.deepEqual([off.code, off.out], [1, ''])
  assert.match(off.err, /only while debugging is on; switch it on with/)
  await daemon.request('PATCH', '/rest/config/gui', { debugging: true })
  const saved = await eventually('the bundle', async () => {
    const result = await twinfold(`support --output ${bundle}`)
    // the interface may be away for a moment after its own settings changed
    return result.code === 3 ? undefined : result
  })
  assert.deepEqual([saved.code, saved.err], [0, ''])
  const bytes = readFileSync(bundle)
  assert.deepEqual([bytes.subarray(0, 2).toString(), statSync(bundle).mode & 0o777], ['PK', 0o600])
  assert.ok(!bytes.includes(daemon.apiKey))
  assert.match((await twinfold(`support --output ${bundle}`)).err, /exists already/)
  await daemon.request('PATCH', '/rest/config/gui', { debugging: false })
})
