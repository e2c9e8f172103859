import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMachine, exitedWith } from '../../support/service-machine.ts'

const UNIT = '/home/ann/.config/systemd/user/twinfold.service'
const SYSTEM_UNIT = '/etc/systemd/system/twinfold.service'

test('install writes, enables and starts; again it only starts; with other flags it restarts', async () => {
  const { service, read } = await createMachine()
  const first = await service('install', '--home', 'sync')
  assert.equal(first.code, 0)
  const lingerQuery = 'loginctl show-user ann --property=Linger'
  const begin = [
    'systemctl --user daemon-reload',
    'systemctl --user enable twinfold.service',
    'systemctl --user reset-failed twinfold.service',
  ]
  assert.deepEqual(first.calls, [...begin, 'systemctl --user restart twinfold.service', lingerQuery])
  const text = (await read(UNIT)).toString()
  assert.match(text, /"--home=\/work\/sync"/)
  assert.match(first.out, /loginctl enable-linger/)
  const again = await service('install', '--home', '/work/sync')
  assert.deepEqual(again.calls, [...begin, 'systemctl --user start twinfold.service', lingerQuery])
  assert.equal((await read(UNIT)).toString(), text)
  const other = await service('install', '--home', '/elsewhere')
  assert.ok(other.calls.includes('systemctl --user restart twinfold.service'))
})

test('lingering is only enabled on request', async () => {
  const { service, answerWith } = await createMachine()
  const { calls } = await service('install', '--linger')
  assert.ok(calls.includes('loginctl enable-linger ann'))
  answerWith((line) => exitedWith(line.startsWith('loginctl show') ? 'Linger=yes\n' : ''))
  const { out, calls: later } = await service('install')
  assert.ok(!later.some((line) => line.includes('enable-linger')))
  assert.doesNotMatch(out, /linger/)
})

test('a foreign definition and an edited one are kept, unless forced', async () => {
  const { service, put, read } = await createMachine()
  await put(UNIT, '[Service]\nExecStart=/usr/bin/mine\n')
  await assert.rejects(service('install'), /not written by Twinfold.*--force/s)
  await assert.rejects(service('uninstall'), /not written by Twinfold and stays/)
  assert.match((await read(UNIT)).toString(), /mine/)
  assert.equal((await service('install', '--force')).code, 0)
  const ours = (await read(UNIT)).toString()
  await put(UNIT, ours.replace('RestartSec=1', 'RestartSec=9'))
  await assert.rejects(service('install'), /was edited since.*--force/s)
  assert.equal((await service('install', '--force')).code, 0)
  assert.equal((await read(UNIT)).toString(), ours)
})

test('a masked unit, which is a symlink, counts as foreign', async () => {
  const { service, disk, put } = await createMachine()
  await put('/home/ann/.config/systemd/user/x', '')
  await disk.makeSymlink('/dev/null', UNIT)
  await assert.rejects(service('install'), /--force/)
  await assert.rejects(service('uninstall'), /stays/)
})

test('a refusal of the service manager restores the previous definition and names the remedy', async () => {
  const { service, exists, read, answerWith } = await createMachine()
  answerWith((line) =>
    line.includes('daemon-reload') ? exitedWith('Failed to connect to bus: No medium found', 1) : exitedWith(),
  )
  await assert.rejects(service('install'), /No medium found.*--system --user NAME/s)
  assert.equal(await exists(UNIT), false)
  answerWith(() => exitedWith())
  await service('install')
  const before = (await read(UNIT)).toString()
  answerWith((line) => exitedWith('no', line.includes('enable') ? 1 : 0))
  await assert.rejects(service('install', '--home', '/other'))
  assert.equal((await read(UNIT)).toString(), before)
})

test('uninstall stops, disables and removes; without a service there is nothing to do', async () => {
  const { service, exists } = await createMachine()
  assert.match((await service('uninstall')).out, /nothing to do/)
  await service('install')
  const { calls, code } = await service('uninstall')
  assert.equal(code, 0)
  assert.equal(calls[0], 'systemctl --user disable --now twinfold.service')
  assert.equal(await exists(UNIT), false)
})

test('status: not installed, running, failed, and a program that is gone', async () => {
  const { service, disk, answerWith } = await createMachine()
  assert.equal((await service('status')).code, 4)
  await service('install')
  answerWith(() =>
    exitedWith('UnitFileState=enabled\nActiveState=active\nSubState=running\nMainPID=42\nResult=success\n'),
  )
  const running = await service('status', '--json')
  assert.equal(running.code, 0)
  const { enabled, processId, version, problems } = JSON.parse(running.out)
  assert.deepEqual(
    { enabled, processId, version, problems },
    { enabled: true, processId: 42, version: '1.2.3', problems: [] },
  )
  answerWith(() =>
    exitedWith(
      'UnitFileState=disabled\nActiveState=failed\nSubState=failed\nMainPID=0\nResult=exit-code\nExecMainStatus=1\n',
    ),
  )
  await disk.removeFile('/usr/bin/node')
  const failed = await service('status')
  assert.equal(failed.code, 3)
  assert.match(failed.out, /running +no, failed \(failed\), exit-code, last exit code 1/)
  assert.match(failed.out, /problem +\/usr\/bin\/node does not exist any more; run "twinfold service install" again/)
  assert.match(failed.out, /problem +it is not enabled/)
})

test('a service of the machine: root, a user that exists, directories that exist', async () => {
  await assert.rejects((await createMachine()).service('install', '--system', '--user', 'root'), /no user|needs root/)
  const { service, read, answerWith } = await createMachine({ isRoot: true })
  await assert.rejects(service('install', '--system'), /--user NAME/)
  answerWith((line) => (line.startsWith('getent') ? exitedWith('', 2) : exitedWith()))
  await assert.rejects(service('install', '--system', '--user', 'bob'), /no user "bob"/)
  answerWith((line) => exitedWith(line.startsWith('getent') ? 'bob:x:1001:1001::/home/bob:/bin/sh\n' : ''))
  await assert.rejects(
    service('install', '--system', '--user', 'bob', '--writable=/srv/none'),
    /\/srv\/none does not exist/,
  )
  const { calls } = await service('install', '--system', '--user', 'bob', '--writable', '/srv/data')
  assert.ok(calls.includes('systemctl enable twinfold.service') && !calls.some((line) => line.includes('--user')))
  const text = (await read(SYSTEM_UNIT)).toString()
  assert.match(text, /\nUser=bob\n/)
  assert.match(text, /ReadWritePaths="\/home\/bob\/\.local\/state\/syncthing"\nReadWritePaths="\/srv\/data"\n/)
  assert.equal((await service('status', '--system')).code, 3)
})

test('a program that the user cannot read is warned about', async () => {
  const { service, disk, answerWith } = await createMachine({ isRoot: true, environment: { SUDO_USER: 'bob' } })
  answerWith((line) => exitedWith(line.startsWith('getent') ? 'bob:x:1001:1001::/home/bob:/bin/sh\n' : ''))
  await disk.chmod('/usr/lib/node_modules', 0o700)
  assert.match((await service('install', '--system')).err, /bob may not be able to read \/usr\/lib\/node_modules;/)
})

test('launchd: loaded again after a change; status from the output of launchctl', async () => {
  const { service, read, answerWith } = await createMachine({ platform: 'launchd' })
  const { calls, code } = await service('install')
  const id = 'gui/1000/net.twinfold.twinfold'
  const path = '/home/ann/Library/LaunchAgents/net.twinfold.twinfold.plist'
  assert.equal(code, 0)
  assert.deepEqual(calls, [`launchctl bootout ${id}`, `launchctl enable ${id}`, `launchctl bootstrap gui/1000 ${path}`])
  assert.match((await read(path)).toString(), /^<\?xml/)
  answerWith((line) =>
    exitedWith(
      line.includes('print-disabled') ? '\t"net.twinfold.twinfold" => enabled\n' : '\tstate = running\n\tpid = 7\n',
    ),
  )
  const status = JSON.parse((await service('status', '--json')).out)
  assert.deepEqual([status.enabled, status.running, status.processId], [true, true, 7])
})

test('Windows: the task is created from a temporary UTF-16 file, and identified by its marker', async () => {
  const { service, read, exists, answerWith } = await createMachine({ platform: 'windows' })
  const file = '/tmp\\twinfold-task.xml'
  const written: Promise<Buffer>[] = []
  answerWith((line) => {
    if (line.includes('/Create')) written.push(read(file))
    return exitedWith('ERROR: not found', line.includes('/Query') ? 1 : 0)
  })
  const { calls } = await service('install')
  assert.deepEqual(calls, [
    'schtasks.exe /Query /TN twinfold /XML',
    'schtasks.exe /End /TN twinfold',
    `schtasks.exe /Create /TN twinfold /XML ${file} /F`,
    'schtasks.exe /Run /TN twinfold',
  ])
  assert.equal((await service('status')).code, 4)
  const data = await written[0]!
  assert.deepEqual([...data.subarray(0, 4)], [0xff, 0xfe, 0x3c, 0], 'byte order mark, then "<"')
  assert.equal(await exists(file), false)
  const task = data.toString('utf16le').slice(1)
  const list = '"PC","\\twinfold","N/A","Läuft","x","y","267009","z"\r\n'
  answerWith((line) => exitedWith(line.includes('CSV') ? list : task))
  assert.deepEqual([(await service('status')).code, (await service('install')).code], [0, 0])
  assert.equal((await service('uninstall')).calls.at(-1), 'schtasks.exe /Delete /TN twinfold /F')
  answerWith(() => exitedWith('<Task></Task>'))
  await assert.rejects(service('uninstall'), /stays/)
})

test('--print shows every platform on every platform and changes nothing', async () => {
  const { service, exists } = await createMachine()
  for (const [platform, sign] of [
    ['systemd', '[Unit]'],
    ['launchd', '<plist'],
    ['windows', '<Task'],
  ] as const) {
    const { out, code, calls } = await service('install', '--print', '--platform', platform)
    assert.equal(code, 0)
    assert.ok(out.includes(sign), platform)
    assert.deepEqual(calls, [])
    const { write, run } = JSON.parse(
      (await service('install', '--print', '--json', '--platform', platform, '--system', '--user', 'eve')).out,
    )
    assert.ok(write.content.includes('eve') && run.length > 0)
  }
  assert.match((await service('uninstall', '--print')).out, /would remove .*twinfold\.service/)
  assert.equal(await exists(UNIT), false)
})

test('flags of serve are carried, secrets and switches without effect are not', async () => {
  const { service } = await createMachine({ environment: { STHOMEDIR: 'from/env', STGUIAPIKEY: 'secret' } })
  const { out, err } = await service('install', '--print', '--log-level=DEBUG', '--audit', '--log-file', '-')
  assert.match(out, /"--home=\/work\/from\/env" "--log-file=-" "--log-level=DEBUG" "--audit"/)
  assert.match(err, /STGUIAPIKEY is not carried/)
  assert.ok(!out.includes('secret'))
  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [/--gui-apikey/, 'install', '--gui-apikey=k'],
    [/no browser/, 'install', '--browser'],
    [/--user is only for --system/, 'install', '--user', 'bob'],
    [/--linger is only/, 'install', '--linger', '--system', '--user', 'bob'],
    [/--writable is only/, 'install', '--writable', '/x'],
    [/--platform is only for --print/, 'install', '--platform', 'windows'],
    [/--platform: expected/, 'install', '--print', '--platform', 'upstart'],
    [/--name: expected/, 'install', '--name', '../x'],
    [/--force is only/, 'status', '--force'],
    [/--home is only/, 'status', '--home', '/x'],
    [/missing required argument 'action'/],
    [/unexpected argument restart; use install, uninstall or status/, 'restart'],
    [/unexpected argument more/, 'install', 'more'],
    [/unknown flag --frobnicate/, 'install', '--frobnicate'],
    [/not a user name/, 'install', '--print', '--system', '--user', 'a b'],
  ]
  for (const [message, ...args] of refused) await assert.rejects(service(...args), message)
})

test('an installation of a package runner is refused', async () => {
  const { service } = await createMachine({ script: '/home/ann/.npm/_npx/1/node_modules/twinfold/dist/main/bin.js' })
  await assert.rejects(service('install', '--print'), /npm install -g twinfold/)
  assert.equal((await service('status')).code, 4)
})

test('the version of a single file is what it prints', async () => {
  const { service, answerWith } = await createMachine({ script: '/usr/bin/node' })
  answerWith((line) => exitedWith(line === '/usr/bin/node --version' ? 'twinfold v1.3.0 "Paper Crane"' : ''))
  assert.equal((await service('install')).code, 0)
  const status = JSON.parse((await service('status', '--json')).out)
  assert.deepEqual([status.version, status.node, status.script], ['1.3.0', '/usr/bin/node', '/usr/bin/node'])
})

test('a definition whose program does not exist is refused, also when it is only shown', async () => {
  const { service } = await createMachine({ script: '/usr/lib/node_modules/twinfold/dist/bin.js' })
  await assert.rejects(service('install'), /twinfold\/dist\/bin\.js does not exist, so the service could not start/)
  await assert.rejects(service('install', '--print'), /does not exist/)
  assert.equal((await service('uninstall')).code, 0)
})
