/** The Debian package: judged by lintian, installed, used, and removed in a Debian of its own. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { buildDebianPackage } from '../../tools/debian-package.ts'
import { ARCHITECTURES, DEPENDS, type PackagedProcessor } from '../../tools/debian/control.ts'
import { DAEMON_FLAGS } from '../../tools/choose-node.mjs'
import { manifest } from '../../tools/manifest.ts'
import { buildPackage } from '../../tools/package-build.ts'
import { missingFile, missingProgram } from '../support/debian.ts'
import { DebianMachine, missingDebianMachine, MACHINE_USER } from '../support/debian-machine.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { missingSyncthingProgram, syncthingProgram } from '../support/syncthing-program.ts'

const skip =
  missingDebianMachine() ??
  missingSyncthingProgram() ??
  missingProgram('lintian', 'lintian') ??
  missingProgram('readelf', 'binutils') ??
  false
const EMULATOR = ['/usr/bin/qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'] as const
const PROCESSORS = ['x64', 'arm64'] as const
/** The marks of the processors in an ELF file. */
const MACHINES: Readonly<Record<PackagedProcessor, number>> = { x64: 62, arm64: 183 }
/** What the libraries of `DEPENDS` offer, by the prefix of their symbol versions. */
const OFFERED: Readonly<Record<string, string>> = {
  GLIBC: '2.28',
  GLIBCXX: '3.4.24',
  CXXABI: '1.3.11',
  GCC: '4.2.0',
}
/** A service manager that records what it is asked for, with two users who are logged in. */
const FAKE_SYSTEMCTL = `mkdir -p /run/systemd/system && cat > /usr/bin/systemctl <<'EOF'
#!/bin/sh
echo "$*" >> /tmp/calls
case "$*" in *list-units*) printf 'user@%s.service loaded active running x\\n' 1000 1001 ;; esac
EOF
chmod 755 /usr/bin/systemctl`
const HOME = `${MACHINE_USER.home}/.local/state/syncthing`
const scratch = scratchDirectory()
const files = new Map<PackagedProcessor, string>()

before(async () => {
  if (skip !== false) return
  const dist = join(scratch.path, 'dist')
  const directory = join(scratch.path, 'packages')
  await buildPackage(dist)
  for (const processor of PROCESSORS) {
    const name = buildDebianPackage({ dist, processor, directory, quick: true })
    files.set(processor, join(directory, name))
  }
  copyFileSync(syncthingProgram(), join(directory, 'syncthing'))
})

after(() => scratch[Symbol.dispose]())

function output(program: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 64 << 20 })
  assert.equal(status, 0, `${program} ${words.join(' ')}:\n${stdout}${stderr}`)
  return stdout
}

function unpacked(processor: PackagedProcessor): string {
  const directory = join(scratch.path, processor)
  output('dpkg-deb', '-x', files.get(processor)!, directory)
  return directory
}

/** The programs and libraries, by their paths. */
function elfFiles(directory: string): readonly { readonly path: string; readonly machine: number }[] {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return found.flatMap(({ parentPath, name }) => {
    const head = Buffer.alloc(20)
    const file = openSync(join(parentPath, name), 'r')
    readSync(file, head, 0, head.length, 0)
    closeSync(file)
    const isElf = head.readUInt32BE(0) === 0x7f454c46
    return isElf ? [{ path: join(parentPath, name), machine: head.readUInt16LE(18) }] : []
  })
}

function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const at = a.findIndex((part, index) => part !== (b[index] ?? 0))
  return at >= 0 && a[at]! > (b[at] ?? 0)
}

for (const processor of PROCESSORS) {
  test(`debian: the package for ${processor} has what its control data says`, { skip }, () => {
    const file = files.get(processor)!
    const field = (name: string) => output('dpkg-deb', '--field', file, name).trim()
    assert.equal(field('Architecture'), ARCHITECTURES[processor])
    assert.equal(field('Version'), `${manifest.version}-1`)
    assert.equal(field('Depends'), DEPENDS.join(', '))
    const directory = unpacked(processor)
    const elf = elfFiles(directory)
    assert.equal(elf.length, 3, 'Node and two native packages')
    for (const { path, machine } of elf) {
      assert.equal(machine, MACHINES[processor], path)
      const needed = [...output('readelf', '--version-info', '--wide', path).matchAll(/Name: ([A-Z]+)_([\d.]+)/g)]
      assert.ok(needed.length > 0, path)
      const tooNew = needed.filter(([, name = '', version = '']) => isNewer(version, OFFERED[name] ?? '0'))
      assert.deepEqual(tooNew.map(String), [], `${path} needs what Depends does not ask for`)
    }
  })

  test(`debian: lintian finds nothing wrong with the package for ${processor}`, { skip }, () => {
    const words = ['--no-cfg', '--color=never', '--allow-root', '--fail-on=error,warning', files.get(processor)!]
    assert.equal(output('lintian', ...words), '')
  })
}

const skipEmulated = skip || (missingEmulator() ?? false)

function missingEmulator(): string | undefined {
  const library = join(EMULATOR[2], 'lib', 'libstdc++.so.6')
  return missingFile(EMULATOR[0], 'qemu-user') ?? missingFile(library, 'libstdc++6-arm64-cross')
}

test('debian: the program for arm64 runs in an emulator', { skip: skipEmulated }, () => {
  const directory = join(unpacked('arm64'), 'usr', 'lib', 'twinfold')
  const script = join(directory, 'dist', 'main', 'bin.js')
  const [emulator, ...words] = [...EMULATOR, join(directory, 'bin', 'node'), script, '--version']
  assert.match(output(emulator!, ...words), new RegExp(`\\bv${manifest.version}\\b.*\\barm64\\b`))
})

test('debian: installed, used by who used Syncthing, removed and purged', { skip }, async (t) => {
  await using debian = await new DebianMachine(join(scratch.path, 'packages')).ready()
  const before = systemFiles(debian)
  const name = files.get('x64')!.split('/').at(-1)!
  const version = new RegExp(`\\bv${manifest.version}\\b`)

  await t.test('apt installs it, without any network', () => {
    debian.output(['apt-get', 'install', '-y', `/given/${name}`])
    assert.equal(debian.output(['dpkg', '--verify', 'twinfold']), '')
    assert.match(debian.output(['twinfold', '--version'], 'user'), version)
    assert.match(debian.output(['twinfold', '--version']), version, 'as root, who could write beside the program')
    assert.match(debian.output(['man', '-w', 'twinfold']), /\/man1\/twinfold\.1\.gz$/m)
    assert.match(debian.output(['man', 'twinfold'], 'user'), /compatible with Syncthing/)
  })
  await t.test('the shells complete', () => completes(debian))
  await t.test('Syncthing is stopped and Twinfold started on its home', () => takesOver(debian))
  await t.test('the definition of a service names the files of the package', () => {
    const { out, err } = debian.run(['twinfold', 'service', 'install', '--print', '--platform', 'systemd'], 'user')
    const [node, script] = ['bin/node', 'dist/main/bin.js'].map((file) => `/usr/lib/twinfold/${file}`)
    const words = [node, ...DAEMON_FLAGS, script].map((word) => `"${word}"`).join(' ')
    assert.ok(out.includes(`\nExecStart=${words} `), out + err)
  })
  await t.test('an upgrade restarts what runs, a removal stops it, for the machine and for each user', () => {
    debian.output(['sh', '-c', FAKE_SYSTEMCTL])
    const calls = (words: readonly string[]) => {
      debian.output(['sh', '-c', ': > /tmp/calls'])
      debian.output(words)
      return debian
        .output(['cat', '/tmp/calls'])
        .split('\n')
        .filter((line) => line !== '' && !/list-units/.test(line))
    }
    const everywhere = (action: string, system: string, user: string) => [
      `--system ${action}${system}`,
      `--user --machine=1000@ ${action}${user}`,
      `--user --machine=1001@ ${action}${user}`,
    ]
    const reload = everywhere('daemon-reload', '', '')
    const units = [' twinfold@*.service', ' twinfold.service'] as const
    assert.deepEqual(calls(['dpkg', '--install', `/given/${name}`]), [
      ...reload,
      ...everywhere('try-restart', ...units),
    ])
    assert.deepEqual(calls(['dpkg', '--purge', 'twinfold']), [...everywhere('stop', ...units), ...reload])
    assert.deepEqual(calls(['dpkg', '--install', `/given/${name}`]), reload, 'a first installation starts nothing')
    debian.output(['rm', '-r', '/usr/bin/systemctl', '/run/systemd'])
  })
  await t.test('removed and purged, it leaves the home as it is, and nothing else', () => {
    const home = homeFiles(debian)
    assert.match(home, /index-twinfold/)
    for (const action of ['--remove', '--purge']) debian.output(['dpkg', action, 'twinfold'])
    assert.equal(homeFiles(debian), home)
    assert.deepEqual(
      systemFiles(debian).filter((path) => !before.includes(path)),
      [],
    )
    assert.notEqual(debian.run(['dpkg', '--status', 'twinfold']).code, 0)
  })
})

/** All paths but those of homes, and what dpkg, apt and man keep about packages. */
function systemFiles(debian: DebianMachine): readonly string[] {
  const without = ['/proc', '/dev', '/given', '/home', '/root', '/tmp', '/var/lib', '/var/log', '/var/cache']
  const prune = without.flatMap((path) => ['-path', path, '-prune', '-o'])
  return debian.output(['find', '/', ...prune, '-print']).split('\n')
}

/** Every file of the home with its content and its time. */
function homeFiles(debian: DebianMachine): string {
  const script = 'cd "$1" && find . -printf "%p %m %T@\\n" | sort && find . -type f -exec sha256sum {} + | sort'
  return debian.output(['sh', '-c', script, 'sh', MACHINE_USER.home])
}

function completes(debian: DebianMachine): void {
  const bash = `source /usr/share/bash-completion/completions/twinfold
    COMP_WORDS=(twinfold folder li) COMP_CWORD=2; _twinfold_complete; echo "\${COMPREPLY[*]}"`
  assert.equal(debian.output(['bash', '-c', bash], 'user'), 'list\n')
  const zsh = `autoload -U compinit && compinit -D; echo "$_comps[twinfold]"; whence -w _twinfold`
  assert.equal(debian.output(['zsh', '-f', '-c', zsh], 'user'), '_twinfold\n_twinfold: function\n')
  const fish = debian.output(['cat', '/usr/share/fish/vendor_completions.d/twinfold.fish'])
  assert.match(fish, /^complete -c twinfold /m)
}

/** The words of the line by which a packaged unit starts the program, which must exist. */
function startLine(debian: DebianMachine, unit: string): readonly string[] {
  const words = /^ExecStart=(.*)$/m.exec(debian.output(['cat', unit]))?.[1]?.split(' ') ?? []
  debian.output(['test', '-x', words[0] ?? ''])
  return words
}

/** The version of a file, as the daemon that runs on the home has it, by the Node of the package. */
function localVersion(debian: DebianMachine): string | undefined {
  const script = `const [key] = /(?<=<apikey>)[^<]+/.exec(require('node:fs').readFileSync('${HOME}/config.xml', 'utf8'))
    const address = 'http://127.0.0.1:8384/rest/db/file?folder=default&file=letters/one.txt'
    fetch(address, { headers: { 'X-API-Key': key } }).then(async (reply) => {
      if (reply.ok) console.log(JSON.stringify((await reply.json()).local.version))
    })`
  const { code, out } = debian.run(['/usr/lib/twinfold/bin/node', '--eval', script], 'user')
  return code === 0 && out !== '' ? out : undefined
}

/** The two steps of docs/switching.md: stop Syncthing, start Twinfold. */
async function takesOver(debian: DebianMachine): Promise<void> {
  const syncthing = (...words: readonly string[]) => ['/given/syncthing', ...words]
  const cli = (program: readonly string[], ...words: readonly string[]) =>
    debian.run([...program, 'cli', `--home=${HOME}`, ...words], 'user')
  debian.output(syncthing('generate', `--home=${HOME}`), 'user')
  debian.output(['sh', '-c', 'mkdir -p ~/Sync/letters && echo hello > ~/Sync/letters/one.txt'], 'user')
  debian.start(syncthing('serve', `--home=${HOME}`, '--no-browser', '--no-restart'))
  const version = await eventually('Syncthing to know the file', () => localVersion(debian))
  const id = debian.output(syncthing(`--home=${HOME}`, '--device-id'), 'user')
  const stopped = async (program: readonly string[]) => {
    assert.equal(cli(program, 'operations', 'shutdown').code, 0)
    await eventually('its end', () => cli(program, 'show', 'version').code !== 0 || undefined)
  }
  await stopped(syncthing())
  const [user, system] = ['user/twinfold.service', 'system/twinfold@.service'].map((unit) =>
    startLine(debian, `/usr/lib/systemd/${unit}`),
  )
  assert.deepEqual(system, user)
  const daemon = debian.start(user!)
  let log = ''
  for (const stream of [daemon.stdout, daemon.stderr]) stream?.on('data', (data) => void (log += String(data)))
  const twinfold = ['twinfold']
  const known = eventually('Twinfold to know the file', () => localVersion(debian))
  assert.equal(await known.catch((error: Error) => `${error.message}\n${log}`), version, log)
  assert.equal(debian.output(['twinfold', 'device-id'], 'user').trim(), id.trim())
  await stopped(twinfold)
  await eventually('the end of the daemon', () => daemon.exitCode ?? undefined)
  assert.equal(daemon.exitCode, 0, log)
}
