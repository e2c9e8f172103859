/** Upgrades with real parts: npm publishes to a registry on this machine, the program asks it, its command is run. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { installationOf } from '../../src/core/releases/installation.ts'
import { installationFacts } from '../../src/main/installation.ts'
import { runCommand, type CommandOptions } from '../support/command.ts'
import { Daemon, SOURCES } from '../support/daemon.ts'
import { NpmRegistry } from '../support/npm-registry.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const scratch = scratchDirectory()
const nowhere = join(scratch.path, 'nowhere')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const running = `v${manifest.version}`
let registry: NpmRegistry

before(async () => {
  registry = await NpmRegistry.start()
})
after(async () => {
  await registry[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** npm as a person has it, with our registry and nothing else. */
async function npm(directory: string, ...words: string[]): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|ST[A-Z])/i.test(name))
  const own = {
    npm_config_registry: registry.url,
    npm_config_cache: join(scratch.path, 'npm-cache'),
    npm_config_userconfig: join(scratch.path, 'npmrc'),
    npm_config_update_notifier: 'false',
  }
  const token = `--${registry.url.replace('http:', '')}:_authToken=x`
  const { stdout } = await run('npm', [...words, token], {
    cwd: directory,
    env: { ...Object.fromEntries(kept), ...own },
  })
  return stdout
}

/** A package with our manifest and our publishing scripts, and a program that prints its version. */
async function publish(version: string, changelog: string): Promise<void> {
  const directory = join(scratch.path, `package-${version}`)
  mkdirSync(join(directory, 'tools'), { recursive: true })
  mkdirSync(join(directory, 'dist', 'main'), { recursive: true })
  const { dependencies: _d, devDependencies: _v, overrides: _o, engines: _e, ...others } = manifest
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify({ ...others, version }, undefined, 2)}\n`)
  writeFileSync(
    join(directory, 'dist', 'main', 'bin.js'),
    `#!/usr/bin/env node\nconsole.log(${JSON.stringify(version)})\n`,
  )
  mkdirSync(join(directory, 'dist', 'man'))
  writeFileSync(join(directory, 'dist', 'man', 'twinfold.1'), '.TH TWINFOLD 1\n')
  writeFileSync(join(directory, 'tools', 'run.mjs'), '') // what it would build is there already
  writeFileSync(join(directory, 'CHANGELOG.md'), changelog)
  copyFileSync(join(root, 'tools', 'release-notes.mjs'), join(directory, 'tools', 'release-notes.mjs'))
  const before = readFileSync(join(directory, 'package.json'), 'utf8')
  await npm(directory, 'publish')
  assert.equal(
    readFileSync(join(directory, 'package.json'), 'utf8'),
    before,
    'publishing leaves the manifest as it was',
  )
}

const CHANGELOG = `# Changelog

## 99.1.0, 2030-02-01

Faster, and **better**:
see [the page](docs/x.md).

- one thing that goes on
  on a second line
- \`another\` <script>alert(1)</script>

## 99.0.0, 2030-01-01

New.

## ${manifest.version}, 2029-01-01

First.
`

test('publishing puts the changes into the registry', async () => {
  await publish('99.0.0', CHANGELOG)
  await publish('99.1.0', CHANGELOG)
  const text =
    'Faster, and better: see the page.\n\n- one thing that goes on on a second line\n' +
    '- `another` <script>alert(1)</script>'
  const changes = [
    { version: '99.1.0', text },
    { version: '99.0.0', text: 'New.' },
    { version: manifest.version, text: 'First.' },
  ]
  assert.deepEqual(registry.manifest('99.1.0')?.['twinfold'], { changes })
  await assert.rejects(publish('99.2.0', CHANGELOG), /CHANGELOG\.md has no section for 99\.2\.0/)
})

test('the changelog of this repository can be published', async () => {
  const directory = join(scratch.path, 'own')
  mkdirSync(directory)
  for (const file of ['package.json', 'CHANGELOG.md']) copyFileSync(join(root, file), join(directory, file))
  await run(process.execPath, [join(root, 'tools', 'release-notes.mjs'), 'add'], { cwd: directory })
  const { twinfold } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  assert.equal(twinfold.changes[0].version, manifest.version)
  await run(process.execPath, [join(root, 'tools', 'release-notes.mjs'), 'remove'], { cwd: directory })
  assert.equal(readFileSync(join(directory, 'package.json'), 'utf8'), readFileSync(join(root, 'package.json'), 'utf8'))
})

const upgrade = (words: string[] = [], options: CommandOptions = {}) =>
  runCommand(['upgrade', '--home', nowhere, '--from', registry.source, ...words], { entry: SOURCES, ...options })

test('upgrade prints the newer version, the changes and the command; code 0', async () => {
  const { code, out, err } = await upgrade()
  assert.deepEqual({ code, err }, { code: 0, err: `Checking ${registry.source} for releases newer than ${running}\n` })
  assert.ok(
    out.startsWith(
      `Twinfold v99.1.0 is available, this is ${running}. It is a new major version: read what changed\n\n` +
        `v99.1.0\n  Faster, and better: see the page.\n\n  - one`,
    ),
    out,
  )
  assert.ok(
    out.endsWith(`\n\nv99.0.0\n  New.\n\nTo upgrade, run:\n  git -C ${root} pull --ff-only\nThen restart Twinfold.\n`),
    out,
  )
  assert.ok(!existsSync(nowhere), 'it makes no home')
})

test('--check-only is one line, --json everything, in 1.x spelling too', async () => {
  for (const words of [
    ['upgrade', '--check-only'],
    ['upgrade', '-c'],
  ]) {
    const { code, out } = await runCommand([...words, '--home', nowhere, '-u', registry.source])
    assert.deepEqual([code, out.split('\n').length], [0, 2])
  }
  const { latest, available, changes, command, source, checks } = JSON.parse((await upgrade(['--json'])).out)
  assert.deepEqual(
    [latest, available, changes.length, command, source, checks],
    ['v99.1.0', true, 2, `git -C ${root} pull --ff-only`, registry.source, undefined],
  )
  const old = await runCommand([`--upgrade-to=${registry.source}`, '--home', nowhere])
  assert.match(old.out, /^Twinfold v99\.1\.0 is available/)
})

test('no newer release is code 2, a failure code 1 with one sentence', async () => {
  await using other = await NpmRegistry.start()
  other.release('0.0.1')
  const none = await upgrade(['--from', other.source])
  assert.deepEqual(
    [none.code, none.out],
    [2, `No upgrade available: this is ${running}, the latest release is v0.0.1\n`],
  )
  other.answer = (_, response) => response.writeHead(302, { Location: 'http://192.0.2.1/' }).end()
  const failed = await upgrade(['--from', other.source])
  assert.deepEqual([failed.code, failed.out], [1, ''])
  assert.match(
    failed.err,
    /\ntwinfold: error: Checking for upgrade: http:\S+: it redirects to http:\/\/192\.0\.2\.1\/, which is not followed/,
  )
  const forbidden = await upgrade([], { env: { STNOUPGRADE: '1' } })
  assert.deepEqual(
    [forbidden.code, forbidden.err],
    [1, 'twinfold: error: Checking for upgrade: upgrade unsupported, because STNOUPGRADE is set\n'],
  )
})

test('the settings of the home apply; an unreadable configuration reports a remedy', async () => {
  const home = join(scratch.path, 'home')
  assert.equal((await runCommand(['generate', '--home', home, '--no-port-probing'])).code, 0)
  const file = join(home, 'config.xml')
  const xml = readFileSync(file, 'utf8')
  writeFileSync(file, xml.replace(/<releasesURL>[^<]*/, `<releasesURL>${registry.source}`))
  assert.equal((await runCommand(['upgrade', '--home', home])).code, 0)
  writeFileSync(file, 'nonsense')
  const { code, err } = await runCommand(['upgrade', '--home', home])
  assert.deepEqual(
    [code, /config\.xml cannot be read: .*; name the registry to ask with --from/.test(err)],
    [1, true],
    err,
  )
})

test('the command for a global npm installation upgrades that installation', async () => {
  const prefix = join(realpathSync(scratch.path), 'a prefix')
  await npm(scratch.path, 'install', '-g', '--prefix', prefix, 'twinfold@99.0.0')
  const version = async () => (await run(join(prefix, 'bin', 'twinfold'))).stdout
  assert.equal(await version(), '99.0.0\n')
  const installation = installationOf(installationFacts(join(prefix, 'lib', 'node_modules', 'twinfold')))
  const command = installation.upgradeCommand('99.1.0')
  assert.deepEqual([installation.kind, command], ['npm', `npm install -g --prefix '${prefix}' twinfold@99.1.0`])
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_)/i.test(name))
  await run('sh', ['-c', command ?? ''], {
    env: {
      ...Object.fromEntries(kept),
      npm_config_registry: registry.url,
      npm_config_cache: join(scratch.path, 'npm-cache'),
    },
  })
  assert.equal(await version(), '99.1.0\n')
})

test('the command for a dependency of a project upgrades it there', async () => {
  const project = join(realpathSync(scratch.path), 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"name":"project","version":"1.0.0"}')
  await npm(project, 'install', 'twinfold@99.0.0')
  const { kind, upgradeCommand } = installationOf(installationFacts(join(project, 'node_modules', 'twinfold')))
  assert.deepEqual([kind, upgradeCommand('99.1.0')], ['project', `npm install --prefix ${project} twinfold@99.1.0`])
})

test('a daemon with upgrade checks finds it, a new home sends no request', async () => {
  const home = join(scratch.path, 'daemon')
  await using daemon = await new Daemon({ home, entry: SOURCES, env: { STNOUPGRADE: '0' } }).ready()
  registry.requests.length = 0
  const off = await daemon.request('GET', '/rest/system/upgrade')
  assert.deepEqual([off.status, await off.text()], [501, 'upgrade unsupported\n'])
  assert.deepEqual(registry.requests, [])
  await daemon.request('PATCH', '/rest/config/options', { autoUpgradeIntervalH: 12, releasesURL: registry.source })
  assert.deepEqual(await daemon.get('/rest/system/upgrade'), {
    latest: 'v99.1.0',
    majorNewer: true,
    newer: false,
    running,
  })
  const details = await daemon.get('/rest/twinfold/upgrade')
  assert.ok(typeof details === 'object' && details !== null && 'command' in details)
  assert.equal(details.command, `git -C ${root} pull --ff-only`)
  const refused = await daemon.request('POST', '/rest/system/upgrade')
  assert.deepEqual(
    [refused.status, /does not replace itself; run this on its machine/.test(await refused.text())],
    [501, true],
  )
  await eventually('the log', () => /upgrade: Twinfold v99\.1\.0 is available/.test(daemon.output) || undefined)
})

test('with --no-upgrade no request is sent, whatever the configuration', async () => {
  await using daemon = await new Daemon({ home: join(scratch.path, 'daemon'), args: ['--no-upgrade'] }).ready()
  registry.requests.length = 0
  assert.equal((await daemon.request('GET', '/rest/system/upgrade')).status, 501)
  assert.deepEqual(registry.requests, [])
})
