/** A device set up from a file: by the command, at the start, and by the examples of the documents. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { runCommand } from '../support/command.ts'
import { offersProgram } from '../support/debian.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const DOCS = join(import.meta.dirname, '..', '..', 'docs', 'setup')
const NAS = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
const KEY = 'abcdefghijklmnopqrstuvwxyz0123456789'
const scratch = scratchDirectory()
const home = join(scratch.path, 'home')
const file = join(scratch.path, 'twinfold.yaml')
let daemon: Daemon

const FILE = `
devices: [{ id: ${NAS}, name: nas, addresses: ['tcp://127.0.0.1:1'] }]
folders:
  - id: photos
    path: ${join(scratch.path, 'photos')}
    devices: [nas]
    ignores: ['*.tmp']
gui: { user: alice, password: { file: password.txt } }
keys: [{ name: tray, scope: operate, key: { env: TRAY_KEY } }]
`

before(async () => {
  daemon = await startDaemon({ home })
  writeFileSync(join(scratch.path, 'password.txt'), 'a long password\n')
  mkdirSync(join(scratch.path, 'photos'))
  for (const name of ['a.jpg', 'b.tmp']) writeFileSync(join(scratch.path, 'photos', name), name)
})

after(async () => {
  await daemon[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

async function apply(...flags: readonly string[]) {
  const words = ['apply', '-f', file, ...flags, '--home', home, '--gui-address', daemon.url]
  const { code, out, err } = await runCommand(words, { env: { TRAY_KEY: KEY } })
  return { code, lines: out.trim().split('\n'), err }
}

test('apply: checked, applied, and a second time without a change', async () => {
  writeFileSync(file, FILE)
  const checked = await apply('--check')
  assert.equal(checked.code, 2, checked.err)
  assert.ok(checked.lines.includes('+ folder photos') && checked.lines.at(-1)?.endsWith('nothing was changed.'))
  assert.deepEqual(await daemon.get('/rest/config/folders'), [])

  const { code, lines, err } = await apply()
  assert.deepEqual([code, lines.at(-1)], [0, `${lines.length - 1} changes applied.`], err)
  for (const secret of ['a long password', KEY]) assert.ok(!lines.join('\n').includes(secret))
  await eventually('the scan, without what is ignored', async () => {
    const { localFiles } = (await daemon.get('/rest/db/status?folder=photos')) as { localFiles: number }
    return localFiles === 1 ? true : undefined
  })
  const reply = await fetch(`${daemon.url}/rest/system/status`, { headers: { 'X-API-Key': KEY } })
  assert.equal(reply.status, 200)
  const body = JSON.stringify({ username: 'alice', password: 'a long password' })
  const login = await fetch(`${daemon.url}/rest/noauth/auth/password`, { method: 'POST', body })
  assert.equal(login.status, 204)
  const record = join(home, 'twinfold-applied.json')
  assert.equal(statSync(record).mode & 0o777, 0o600)
  for (const secret of ['a long password', KEY]) assert.ok(!readFileSync(record, 'utf8').includes(secret))

  const second = await apply()
  assert.deepEqual([second.code, second.lines], [0, ['Nothing to change.']])
  assert.equal((await apply('--check')).code, 0)
})

test('apply: what the page changed is drift; what the file no longer names is removed only with --prune', async () => {
  await daemon.request('PATCH', '/rest/config/folders/photos', { path: join(scratch.path, 'photos'), label: 'Mine' })
  await daemon.request('PATCH', `/rest/config/devices/${NAS}`, { name: 'box' })
  const drifted = await apply('--check')
  assert.equal(drifted.code, 2)
  assert.ok(drifted.lines.some((line) => line.startsWith('! device nas: name "box" → "nas" (changed here since')))
  assert.equal(drifted.lines.at(-1), 'Nothing to change; 1 difference left alone.')
  assert.equal((await apply('--reset-drift')).lines[0], '~ device nas: name "box" → "nas"')

  writeFileSync(file, 'folders: []\n')
  const kept = await apply()
  assert.deepEqual(kept.lines.filter((line) => line.startsWith('?')).length, 3, kept.lines.join('\n'))
  const pruned = await apply('--prune')
  assert.deepEqual(pruned.lines, ['- device nas', '- folder photos', '- key tray', '3 changes applied.'])
  assert.deepEqual(await daemon.get('/rest/config/folders'), [])
  assert.ok(existsSync(join(scratch.path, 'photos', 'a.jpg')), 'files stay')
})

test('apply: a wrong field, a missing secret and a file that is not YAML change nothing', async () => {
  const before = await daemon.get('/rest/config')
  const cases: readonly (readonly [string, RegExp])[] = [
    ['folders: [{ id: x, path: /x, lable: X }]', /folders\[0\]\.lable: there is no such field; is it label\?/],
    ['gui: { password: { file: nowhere.txt } }', /nowhere\.txt/],
    ['gui: { password: { env: NOT_SET } }', /gui\.password: NOT_SET is not set/],
    ['folders: [', /twinfold\.yaml/],
    ['\n', /twinfold\.yaml: it is empty/],
  ]
  for (const [text, reason] of cases) {
    writeFileSync(file, text)
    const { code, err } = await apply()
    assert.deepEqual([code, reason.test(err)], [1, true], err)
  }
  assert.deepEqual(await daemon.get('/rest/config'), before)
})

test('serve --apply: a wrong name is refused before the home gets an identity, which would stay', async () => {
  writeFileSync(file, 'identiy: { certificate: { file: cert.pem }, key: { file: key.pem } }\n')
  for (const name of ['cert.pem', 'key.pem']) copyFileSync(join(home, name), join(scratch.path, name))
  const fresh = join(scratch.path, 'fresh')
  const { code, err } = await runCommand(['serve', '--home', fresh, '--apply', file])
  assert.deepEqual([code, /identiy: there is no such field; is it identity\?/.test(err)], [1, true], err)
  assert.ok(!existsSync(join(fresh, 'cert.pem')) && !existsSync(join(fresh, 'config.xml')))
})

test('serve --apply: a new home with the identity and the folders of the file, before it listens', async () => {
  const other = join(scratch.path, 'other')
  for (const name of ['cert.pem', 'key.pem']) copyFileSync(join(home, name), join(scratch.path, name))
  writeFileSync(
    file,
    `identity: { certificate: { file: cert.pem }, key: { file: key.pem } }
folders: [{ id: docs, path: ${join(scratch.path, 'docs')}, ignores: ['*.bak'] }]
`,
  )
  await using started = await startDaemon({ home: other, args: [`--apply=${file}`] })
  const { myID } = (await started.get('/rest/system/status')) as { myID: string }
  const own = (await daemon.get('/rest/system/status')) as { myID: string }
  assert.equal(myID, own.myID)
  assert.equal(readFileSync(join(scratch.path, 'docs', '.stignore'), 'utf8'), '*.bak\n')
  const [folder] = (await started.get('/rest/config/folders')) as { id: string; paused: boolean }[]
  assert.deepEqual([folder?.id, folder?.paused], ['docs', false])
  const document = (await started.get('/rest/twinfold/setup')) as { folders: unknown[] }
  assert.deepEqual(document.folders, [
    { id: 'docs', path: join(scratch.path, 'docs'), devices: [], ignores: ['*.bak'] },
  ])
})

test('the examples of the documents name what there is', async () => {
  copyFileSync(join(DOCS, 'twinfold.yaml'), file)
  const { code, lines, err } = await apply('--check')
  assert.deepEqual([code, lines.includes('+ folder photos')], [2, true], err)
  const compose = parse(readFileSync(join(DOCS, 'compose.yaml'), 'utf8')) as {
    services: { twinfold: { environment: Record<string, string> } }
  }
  assert.ok('TWINFOLD_APPLY' in compose.services.twinfold.environment)
  const [play] = parse(readFileSync(join(DOCS, 'ansible.yaml'), 'utf8')) as {
    tasks: { 'ansible.builtin.command'?: { argv: string[] } }[]
  }[]
  const words = play?.tasks.find((task) => 'ansible.builtin.command' in task)?.['ansible.builtin.command']?.argv ?? []
  const here: Readonly<Record<string, string>> = { '/etc/twinfold.yaml': file, '/var/lib/twinfold': home }
  const own = words.slice(1).map((word) => here[word] ?? word)
  const run = await runCommand([...own, '--check', '--gui-address', daemon.url])
  assert.equal(run.code, 2, run.err)
  assert.ok((JSON.parse(run.out) as { changes: unknown[] }).changes.length > 0)
  assert.match(readFileSync(join(DOCS, 'twinfold.service'), 'utf8'), /serve --home=\S+ --apply=/)
})

const noNix = offersProgram('nix-instantiate', 'nix-bin')
  ? undefined
  : 'nix (Debian package nix-bin) cannot be had here'
if (noNix !== undefined) console.error(`\n*** SKIPPING: ${noNix}\n`)

test('the NixOS module: evaluated by nix, its file has the schema and is accepted', { skip: noNix }, async () => {
  const { unit, unknown } = evaluateModule(join(scratch.path, 'nix'))
  assert.deepEqual(unknown, [], 'options that the example sets and the module does not declare')
  const [, ...words] = unit.serviceConfig.ExecStart.split(' ')
  const made = words.find((word) => word.startsWith('--apply='))?.slice('--apply='.length) ?? ''
  assert.deepEqual(words, ['serve', '--home=/var/lib/twinfold', `--apply=${made}`])
  const { Check } = await import('typebox/schema')
  const schema = JSON.parse(readFileSync(join(DOCS, '..', 'twinfold.schema.json'), 'utf8')) as object
  const document = JSON.parse(readFileSync(made, 'utf8')) as object
  assert.ok(Check(schema, document))
  assert.ok(!Check(schema, { ...document, folder: [] }), 'a name that there is not')
  const apply = ['apply', '-f', made, '--check', '--home', home, '--gui-address', daemon.url]
  const { code, out, err } = await runCommand(apply)
  assert.deepEqual([code, out.includes('+ folder photos')], [2, true], err)
})

interface NixOS {
  readonly unit: { readonly serviceConfig: { readonly ExecStart: string } }
  readonly unknown: readonly string[]
}

/** With a store below the directory, into which the set-up file is written. */
function evaluateModule(directory: string): NixOS {
  const places = ['STORE', 'STATE', 'LOG', 'CONF', 'CACHE'].map((name) => [`NIX_${name}_DIR`, join(directory, name)])
  const flags = ['--eval', '--strict', '--json', '--read-write-mode', '--option', 'build-users-group', '']
  const words = ['--arg', 'setup', DOCS, join(import.meta.dirname, '..', 'fixtures', 'nixos.nix')]
  const env = { ...process.env, ...Object.fromEntries(places), HOME: directory }
  const options = { encoding: 'utf8', timeout: 60_000, env } as const
  const { stdout, stderr, status } = spawnSync('nix-instantiate', [...flags, ...words], options)
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as NixOS
}
