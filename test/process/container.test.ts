import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { containerHome, foreignMounts, unknownTimeZone } from '../../src/main/container-user.ts'
import { testProgram } from '../../tools/test-program.ts'
import { endOf, runCommand, startCommand } from '../support/command.ts'
import { unreachableClone } from '../support/readable-clone.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const entry = testProgram().replace(/bin(?=\.[jt]s$)/, 'container')

test('the entry of the image: refused while open, healthy once it runs, stopped by SIGTERM', async () => {
  using scratch = scratchDirectory()
  const self = { PUID: `${process.getuid?.()}`, PGID: `${process.getgid?.()}` }
  const env = { ...self, STHOMEDIR: scratch.path, STGUIADDRESS: '0.0.0.0:1' }
  const refused = await runCommand(['serve'], { entry, env })
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /^twinfold: error: the page on 0\.0\.0\.0:1 would be open .*generate --gui-user NAME/)
  assert.equal((await runCommand(['health'], { entry, env })).code, 1)

  const generated = await runCommand(['generate', '--gui-user=ann', '--gui-password=-'], {
    entry,
    env,
    input: 'secret\n',
  })
  assert.equal(generated.code, 0, generated.err)
  const daemon = startCommand(['serve'], { entry, env: { ...env, STGUIADDRESS: '127.0.0.1:0' } })
  let output = ''
  daemon.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  try {
    const address = await eventually('the page', () => /http:\/\/(127\.0\.0\.1:\d+)/.exec(output)?.[1])
    const health = () => runCommand(['health'], { entry, env: { ...env, STGUIADDRESS: address } })
    assert.deepEqual(await health(), { code: 0, out: '', err: '' })
    daemon.kill('SIGTERM')
    assert.equal(await endOf(daemon), 0)
    const gone = await health()
    assert.equal(gone.code, 1)
    assert.match(gone.err, /^twinfold: error: unhealthy: /)
  } finally {
    if (daemon.exitCode === null && daemon.kill('SIGKILL')) await once(daemon, 'exit')
  }
})

const isRoot = process.getuid?.() === 0

test(
  'as root it becomes PUID:PGID before it writes; files have UMASK',
  { skip: isRoot ? unreachableClone() : 'needs root' },
  async () => {
    using scratch = scratchDirectory()
    chmodSync(scratch.path, 0o755)
    const home = join(scratch.path, 'config')
    const env = { STHOMEDIR: home, PUID: '65534', PGID: '65533', UMASK: '027', NODE_COMPILE_CACHE: '' }
    const made = await runCommand(['generate', '--gui-user=ann', '--gui-password=-'], { entry, env, input: 'secret\n' })
    assert.equal(made.code, 0, made.err)
    const owners = ['', 'config.xml', 'key.pem'].map((name) => statSync(join(home, name)))
    assert.deepEqual(
      owners.map(({ uid, gid }) => [uid, gid]),
      [
        [65_534, 65_533],
        [65_534, 65_533],
        [65_534, 65_533],
      ],
    )
    const wrong = await runCommand(['generate'], { entry, env: { ...env, PUID: 'me' } })
    assert.deepEqual([wrong.code, wrong.err], [1, 'twinfold: error: PUID=me is not the number of a user or group\n'])
    const mask = await runCommand(['generate'], { entry, env: { ...env, UMASK: '9' } })
    assert.match(mask.err, /UMASK=9 is not an octal number such as 022/)
  },
)

test('the home is that which is given or mounted, as images of Syncthing have it', () => {
  const at = (...mounted: string[]) => containerHome({}, (path) => mounted.includes(path))
  assert.equal(
    containerHome({ STHOMEDIR: '/srv/home' }, () => true),
    '/srv/home',
  )
  assert.deepEqual(
    [at('/config', '/var/syncthing'), at('/var/syncthing'), at()],
    ['/config', '/var/syncthing/config', '/var/lib/twinfold'],
  )
})

test('a mounted directory of another user is named, with the values that fit it', () => {
  const mounts = ['/', '/proc', '/etc/hosts', '/config', '/srv/my\\040photos', '/data']
  const info = mounts.map((path, at) => `${at} 1 0:1 / ${path} rw - ext4 /dev/x rw`).join('\n')
  const owners: Readonly<Record<string, number>> = { '/config': 1_000, '/srv/my photos': 1_026, '/data': 1_000 }
  const found = foreignMounts(1_000, info, (path) => ({ uid: owners[path] ?? 0, gid: 100 }))
  assert.deepEqual(found, [
    '/srv/my photos belongs to 1026:100 and this daemon runs as 1000: ' +
      'set PUID=1026 and PGID=100, or change the owner of the directory',
  ])
  assert.deepEqual(foreignMounts(0, info), [])
})

test('a time zone that is none is named: without a word all times would be those of UTC', () => {
  for (const TZ of ['', 'UTC', 'Europe/Berlin']) assert.deepEqual(unknownTimeZone({ TZ }), [])
  assert.deepEqual(unknownTimeZone({ TZ: 'Europe/Berln' }), [
    'TZ=Europe/Berln is not the name of a time zone such as Europe/Berlin: times are those of UTC',
  ])
})

test('the Containerfile: starts for PUID, the page closed, a health check, and nothing from here in the build', () => {
  const text = readFileSync(join(ROOT, 'Containerfile'), 'utf8')
  assert.doesNotMatch(text, /^USER |STHOMEDIR/m, 'the entry becomes the user and finds the home')
  assert.match(text, /STGUIADDRESS=127\.0\.0\.1:8384/)
  assert.match(text, /^HEALTHCHECK [\s\S]*"health"\]$/m)
  assert.match(text, /^VOLUME \["\/var\/lib\/twinfold", "\/data"\]$/m)
  assert.equal((text.match(/^RUN npm ci .*--ignore-scripts/gm) ?? []).length, 2)
  const ignored = readFileSync(join(ROOT, '.containerignore'), 'utf8').split('\n')
  assert.ok(ignored.includes('*') && ignored.includes('**/node_modules'))
})
