/** The samples of `docs/setup` by the programs that they are for: a real systemd, and Ansible. */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { testProgram } from '../../tools/test-program.ts'
import { collect, ContainerMachine, missingMachines, systemMounts } from '../support/container-machine.ts'
import { missingProgram } from '../support/debian.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { HOSTILE, missingSystemd, Systemd } from '../support/systemd.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DOCS = join(ROOT, 'docs', 'setup')
const ACCOUNT = { name: 'twinfold', id: 64_322 }
const LINES = {
  passwd: `${ACCOUNT.name}:x:${ACCOUNT.id}:${ACCOUNT.id}::/nonexistent:/bin/sh\n`,
  group: `${ACCOUNT.name}:x:${ACCOUNT.id}:\n`,
}

test('systemd starts the sample unit, which sets the device up from its file', { skip: missingSystemd() }, async () => {
  await using systemd = await new Systemd().ready()
  const run = (...words: string[]) => {
    const { code, out, err } = systemd.run(words)
    assert.equal(code, 0, `${words.join(' ')}: ${err}${systemd.output}`)
    return out.trim()
  }
  const write = (path: string, text: string) => run('sh', '-c', 'printf %s "$0" >> "$1"', text, path)
  for (const place of ['/var/lib', '/srv', '/usr/local/bin']) run('mount', '-t', 'tmpfs', 'tmpfs', place)
  for (const [list, line] of Object.entries(LINES)) write(`/etc/${list}`, line)
  run('ln', '-s', HOSTILE.repository, '/opt/repository')
  run('ln', '-s', HOSTILE.node, '/opt/node')
  write('/usr/local/bin/twinfold', '#!/bin/sh\nexec /opt/node /opt/repository/src/main/bin.ts "$@"\n')
  run('chmod', '0755', '/usr/local/bin/twinfold')
  run('install', '-d', '-o', ACCOUNT.name, '/srv/photos')
  // The directory /etc is that of this machine.
  const unit = readFileSync(join(DOCS, 'twinfold.service'), 'utf8').replaceAll(
    '/etc/twinfold.yaml',
    '/opt/twinfold.yaml',
  )
  write('/etc/systemd/system/twinfold.service', unit)
  write('/opt/twinfold.yaml', readFileSync(join(DOCS, 'twinfold.yaml'), 'utf8'))
  run('systemctl', 'daemon-reload')
  run('systemctl', 'start', 'twinfold')
  await eventually('the patterns of the folder', () => {
    const state = run('systemctl', 'show', 'twinfold', '--property=ActiveState', '--value')
    assert.equal(state, 'active', systemd.output)
    return systemd.run(['cat', '/srv/photos/.stignore']).out.includes('*.tmp') || undefined
  })
  await eventually(
    'the marker of the folder',
    () => systemd.run(['ls', '/srv/photos/.stfolder']).code === 0 || undefined,
  )
  assert.equal(run('stat', '-c', '%U', '/var/lib/twinfold/config.xml', '/srv/photos/.stignore'), 'twinfold\ntwinfold')
  run('systemctl', 'stop', 'twinfold')
  assert.equal(run('systemctl', 'show', 'twinfold', '--property=Result', '--value'), 'success')
})

const missing = missingMachines() ?? missingProgram('ansible-playbook', 'ansible-core')

test('Ansible runs the sample play: changed at first, and then not', { skip: missing }, async () => {
  using scratch = scratchDirectory()
  chmodSync(scratch.path, 0o755)
  const at = (name: string) => join(scratch.path, name)
  mkdirSync(at('local/bin'), { recursive: true })
  cpSync(process.execPath, at('local/bin/node'))
  writeFileSync(at('local/bin/twinfold'), '#!/bin/sh\nexec node /opt/twinfold/dist/main/bin.js "$@"\n', { mode: 0o755 })
  for (const [list, line] of Object.entries(LINES))
    writeFileSync(at(list), `${readFileSync(join('/etc', list), 'utf8')}${line}`)
  for (const name of ['home', 'photos']) {
    mkdirSync(at(name))
    chownSync(at(name), ACCOUNT.id, ACCOUNT.id)
  }
  const mounts = {
    ...systemMounts(),
    '/usr/local': at('local'),
    '/etc/passwd': at('passwd'),
    '/etc/group': at('group'),
    '/opt/twinfold/dist': dirname(dirname(testProgram())),
    '/opt/twinfold/node_modules': join(ROOT, 'node_modules'),
    '/opt/twinfold/package.json': join(ROOT, 'package.json'),
    '/play': DOCS,
    '/srv/photos': at('photos'),
    '/var/lib/twinfold': at('home'),
  }
  await using machine = await ContainerMachine.start({ root: at('root'), mounts })
  const environment = { LANG: 'C.UTF-8', HOME: '/root', ANSIBLE_NOCOLOR: '1' }
  const login = ['setpriv', `--reuid=${ACCOUNT.id}`, `--regid=${ACCOUNT.id}`, '--clear-groups']
  const daemon = machine.start([...login, 'twinfold', 'serve', '--home=/var/lib/twinfold'], { environment })
  const [out, err] = [collect(daemon.stdout), collect(daemon.stderr)]
  await eventually('the daemon', () => {
    assert.equal(daemon.exitCode, null, err())
    return out().includes('API listening') || undefined
  }).catch((error: unknown) => {
    throw new Error(`the daemon: ${out()}${err()}`, { cause: error })
  })
  const play = ['ansible-playbook', '--inventory=localhost,', '--connection=local', '/play/ansible.yaml']
  for (const changed of [2, 0]) {
    const played = await machine.run(play, { environment, directory: '/play' })
    assert.equal(played.code, 0, `${played.out}${played.err}`)
    assert.match(played.out, new RegExp(`\\bchanged=${changed}\\b.*\\bfailed=0\\b`), played.out)
  }
  assert.ok(readFileSync(at('photos/.stignore'), 'utf8').includes('*.tmp'))
})
