/**
 * The package as others get it: packed in a clean clone, installed by npm where nothing for development is, run,
 * imported by its name, and checked by their compiler.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { isBuiltin } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Manifest } from '../../tools/manifest.ts'
import { DAEMON_ENVIRONMENT, DAEMON_FLAGS } from '../../tools/choose-node.mjs'
import type { Sbom } from '../../tools/sbom.ts'
import { endOf, runCommand } from '../support/command.ts'
import { startDaemon } from '../support/daemon.ts'
import { differencesOf } from '../support/daemon-pair.ts'
import { startDemo } from '../support/demo.ts'
import { casesOf } from '../support/effort.ts'
import { cleanClone, compiler, copyPackages, pack, packedFiles, project, run, withThisNode } from '../support/packed.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { loopbackOnly, missingNamespaces } from '../support/loopback.ts'
import { blocksRunBy, MANUAL } from '../../tools/manual-outputs.ts'
import { checkTypes } from './check-types.ts'
import { PROGRAM, TYPED } from './programs.ts'

const ALLOWED = [
  /^(package\.json|LICENSE|README\.md|dist\/THIRD-PARTY-NOTICES\.txt)$/,
  /^docs\/images\/[a-z-]+\.png$/,
  /^dist\/(main|client)\/[\w.-]+\.js$/,
  /^dist\/(client|core|rest)\/(?:[\w-]+\/)?[\w-]+\.d\.ts$/,
  /^dist\/man\/[\w-]+\.\d$/,
  /^dist\/gui\/(index\.html|manual\.json|assets\/[\w.-]+\.(js|css|svg|png|woff2)(\.gz)?)$/,
]
const IS_LONG_RUN = casesOf(0, 1) === 1
/** The oldest; newer ones in long runs. */
const COMPILERS = ['5.9', '6', '7.0.2'].slice(0, casesOf(1, 3))
/** The library keeps what it compiled beside itself, not in the cache of the sources. */
const OWN_CACHE = { NODE_COMPILE_CACHE: '' }

const LOOPBACK_GUARD = join(import.meta.dirname, '..', 'support', 'loopback-guard.mjs')

const scratch = scratchDirectory()
const clone = join(scratch.path, 'clone')
const release = join(scratch.path, 'release')
const prefix = join(scratch.path, 'prefix')
const installed = join(prefix, 'lib', 'node_modules', 'twinfold')
const consumer = join(scratch.path, 'consumer')
const entry = join(prefix, 'bin', 'twinfold')
/** The tarball of the release. */
let packed = ''

/** It is below HOME, which one test changes. */
let npmCache = ''

before(async () => {
  npmCache = (await run('npm', ['config', 'get', 'cache'], { cwd: scratch.path })).trim()
  await cleanClone(clone)
  // A run of these tests in a new clone has installed the packages, and a newer Node, in the same way.
  if (!IS_LONG_RUN) await copyPackages(clone)
  const env = IS_LONG_RUN ? {} : withThisNode
  await run('npm', ['run', 'release', '--', release, '--package-only'], { cwd: clone, env })
  packed = join(
    release,
    readdirSync(release).find((name) => name.endsWith('.tgz'))!,
  )
  await Promise.all([
    run('npm', ['install', '--global', `--prefix=${prefix}`, packed], { cwd: scratch.path }),
    project(consumer, packed),
  ])
})

after(() => scratch[Symbol.dispose]())

function shipped(pattern: string): readonly { readonly path: string; readonly text: string }[] {
  return globSync(pattern, { cwd: installed }).map((path) => ({
    path,
    text: readFileSync(join(installed, path), 'utf8'),
  }))
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest
}

test('package: the tarball has the program and nothing that is not meant to be in it', async () => {
  const files = await packedFiles(packed)
  const names = [...files.keys()]
  assert.deepEqual(
    names.filter((name) => !ALLOWED.some((pattern) => pattern.test(name))),
    [],
  )
  assert.equal(files.get('dist/main/bin.js'), '-rwxr-xr-x')
  for (const { path, text } of shipped('dist/**/*.{js,ts,html,css,txt}')) {
    assert.doesNotMatch(text, /sourceMappingURL/, path)
    assert.ok(!text.includes(clone), `${path} names the directory it was built in`)
  }
})

test('package: every picture that README shows is there', async () => {
  const text = readFileSync(join(installed, 'README.md'), 'utf8')
  const pictures = [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)|<img\s[^>]*src="([^"]+)"/g)].map(
    ([, one, other]) => one ?? other ?? '',
  )
  assert.ok(pictures.length > 0)
  const files = await packedFiles(packed)
  assert.deepEqual(
    pictures.filter((picture) => !files.has(picture)),
    [],
  )
})

test('package: the notices name every package that is bundled', () => {
  const notices = readFileSync(join(installed, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  const inProgram = shipped('dist/{main,client}/*.js').flatMap(({ text }) =>
    [...text.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/\n]+)\//gm)].map(([, name]) => name ?? ''),
  )
  assert.ok(
    inProgram.includes('commander') && inProgram.includes('@peculiar/x509'),
    'the bundler lists where modules come from',
  )
  for (const name of new Set([...inProgram, 'preact', 'uplot', 'vite', 'rolldown'])) {
    assert.match(notices, new RegExp(`^${name} \\d\\S* \\(.+\\)$`, 'm'), `${name} is bundled`)
  }
})

test('package: what is installed with it is what it imports, and nothing for development', () => {
  const { dependencies } = readManifest()
  const imported = shipped('dist/{main,client}/*.js').flatMap(({ text }) =>
    [...text.matchAll(/^(?:import|export)\b[^"\n]*"([^".][^"]*)";|\bimport\("([^".][^"]*)"\)/gm)].map(
      ([, one, other]) => one ?? other ?? '',
    ),
  )
  const builtins = shipped('dist/main/*.js').flatMap(({ text }) =>
    [...text.matchAll(/\bgetBuiltinModule\("([^"]*)"\)/g)].map(([, name]) => name),
  )
  assert.ok(imported.includes('node:tls') && builtins.includes('node:sqlite'), 'imports are found')
  assert.deepEqual(
    imported.filter((name) => !isBuiltin(name) && !(name in dependencies)),
    [],
  )
  const present = readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'))
  assert.deepEqual(
    present.filter((name) => !name.startsWith('@')),
    Object.keys(dependencies),
  )
})

test('package: threads are files of their own beside the program', () => {
  const wanted = globSync('src/**/*-worker.ts', { cwd: clone }).map((file) => file.replace(/^.*\/(.+)\.ts$/, '$1.js'))
  assert.ok(wanted.includes('disk-worker.js'))
  const present = readdirSync(join(installed, 'dist', 'main'))
  assert.deepEqual(
    wanted.filter((name) => !present.includes(name)),
    [],
  )
})

test('package: installed globally and by npx it prints its version', async () => {
  const { version } = readManifest()
  const printed = new RegExp(`\\bv${version.replaceAll('.', '\\.')}\\b`)
  assert.match(await run(entry, ['--version'], { cwd: scratch.path, env: withThisNode }), printed)
  const env = { ...withThisNode, npm_config_cache: join(scratch.path, 'npx') }
  assert.match(
    await run('npm', ['exec', '--yes', `--package=${packed}`, '--', 'twinfold', '--version'], {
      cwd: scratch.path,
      env,
    }),
    printed,
  )
})

test('package: it serves its page, scans in a thread, and lets in who knows the password', async () => {
  const photos = join(scratch.path, 'photos')
  mkdirSync(photos)
  for (let number = 0; number < 50; number++) writeFileSync(join(photos, `${number}.txt`), `picture ${number}`)
  await using daemon = await startDaemon({ home: join(scratch.path, 'home'), entry, env: OWN_CACHE })
  const page = await (await fetch(`${daemon.url}/`)).text()
  const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
  assert.ok(assets.length > 1, page)
  for (const path of assets) assert.equal((await fetch(`${daemon.url}${path}`)).status, 200, path)

  await daemon.addFolder('photos', photos)
  await eventually('the index', async () => {
    const { localFiles } = (await daemon.get('/rest/db/status?folder=photos')) as { localFiles: number }
    return localFiles === 50 || undefined
  })
  await (await daemon.request('PATCH', '/rest/config/gui', { user: 'alice', password: 's3cret' })).arrayBuffer()
  const login = (password: string) =>
    fetch(`${daemon.url}/rest/noauth/auth/password`, {
      method: 'POST',
      body: JSON.stringify({ username: 'alice', password }),
    })
  assert.equal((await login('wrong')).status, 403)
  assert.equal((await login('s3cret')).status, 204)
  assert.equal((await fetch(`${daemon.url}/rest/system/status`)).status, 403)
  assert.equal(await daemon.signal('SIGTERM'), 0, daemon.output)
})

test('package: the start line of the service that it would install starts it', async () => {
  const home = join(scratch.path, 'service home')
  const flags = ['--print', '--json', '--platform', 'systemd', '--home', home, '--gui-address', '127.0.0.1:0']
  const { code, out, err } = await runCommand(['service', 'install', ...flags], { entry, env: OWN_CACHE })
  assert.equal(code, 0, err)
  const { content } = JSON.parse(out).write as { content: string }
  const start = /^ExecStart=(.*)$/m.exec(content)?.[1] ?? ''
  const command = [...start.matchAll(/"([^"]*)"/g)].map(([, word]) => word!)
  const env = { ...OWN_CACHE, NODE_OPTIONS: `--import=${LOOPBACK_GUARD}` }
  await using daemon = await startDaemon({ home, command, env })
  assert.equal(await daemon.signal('SIGTERM'), 0, daemon.output)
})

test(
  'package: the commands of the manual install it, and replace it by another release',
  { skip: missingNamespaces() ?? false },
  async () => {
    const page = readFileSync(join(MANUAL, 'server.md'), 'utf8')
    const [install, upgrade, ...others] = blocksRunBy('test/package/package.test.ts', page)
    assert.deepEqual([others, upgrade?.includes('npm install')], [[], true])
    const directory = join(scratch.path, 'administrator')
    mkdirSync(directory)
    cpSync(packed, join(directory, 'twinfold-VERSION.tgz'))
    const start = 'twinfold serve > first.log &\nuntil grep -qs "API listening" first.log; do sleep 1; done\n'
    const script = `set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n${install}${start}${upgrade}`
    const [program, ...args] = [...loopbackOnly(), 'bash', '-c', script]
    const own = join(directory, 'prefix')
    const printed = await run(program!, args, {
      cwd: directory,
      env: {
        HOME: directory,
        PATH: `${join(own, 'bin')}:${withThisNode.PATH}`,
        npm_config_prefix: own,
        npm_config_cache: npmCache,
        npm_config_offline: 'true', // what was installed before is in the cache
      },
    })
    assert.match(printed, new RegExp(`^twinfold v${readManifest().version.replaceAll('.', '\\.')} `, 'm'))
    assert.match(printed, /^No problems found\./m)
  },
)

test('package: the entry of the container image is there and keeps the page closed', async () => {
  const script = join(installed, 'dist', 'main', 'container.js')
  const args = [script, 'serve', '--home', join(scratch.path, 'open'), '--gui-address', '0.0.0.0:8384']
  // The directory of the test is closed to every other user.
  const env = { ...process.env, PUID: `${process.getuid?.() ?? 0}`, PGID: `${process.getgid?.() ?? 0}` }
  await assert.rejects(run(process.execPath, args, { cwd: scratch.path, env }), /no password is set/)
  const image = readFileSync(join(clone, 'Containerfile'), 'utf8')
  const entryPoint = /^ENTRYPOINT (.*)$/m.exec(image)?.[1] ?? '[]'
  assert.deepEqual(JSON.parse(entryPoint), ['node', ...DAEMON_FLAGS, '/opt/twinfold/dist/main/container.js'])
  for (const [name, value] of Object.entries(DAEMON_ENVIRONMENT)) assert.ok(image.includes(` ${name}=${value} `), name)
})

test('package: the demonstration starts, synchronizes and leaves nothing', async () => {
  const directory = join(scratch.path, 'demo')
  mkdirSync(directory)
  await using demo = await startDemo(directory, { entry, env: OWN_CACHE })
  const photos = (device: string) => join(demo.directory, device, 'Photos')
  await eventually(
    'equal photos',
    () => {
      const names = readdirSync(photos('Desk'))
      return (names.includes('Lake') && differencesOf(photos('Laptop'), photos('Desk')).length === 0) || undefined
    },
    60_000,
  )
  demo.child.kill('SIGINT')
  assert.equal(await endOf(demo.child), 0)
  assert.deepEqual(readdirSync(directory), [])
})

test('package: completions for every shell', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out, err } = await runCommand(['install-completions', shell], { entry, env: OWN_CACHE })
    assert.equal(code, 0, err)
    assert.match(out, /twinfold/)
    assert.match(out, /install-completions/)
  }
})

test('package: the client can be imported by its name and, but for twinfold/node, needs nothing of Node', async () => {
  writeFileSync(join(consumer, 'program.mjs'), PROGRAM)
  const server = createServer((request, response) => {
    const isKnown = request.url === '/rest/db/status?folder=a+b' && request.headers['x-api-key'] === 'k'
    response.writeHead(isKnown ? 200 : 404, { 'Content-Type': isKnown ? 'application/json' : 'text/plain' })
    response.end(isKnown ? '{"state":"idle"}' : 'no such folder\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const out = await run(process.execPath, ['program.mjs', `http://127.0.0.1:${port}`], { cwd: consumer })
    assert.deepEqual(JSON.parse(out), ['idle', true, 404, 'no such folder'])
  } finally {
    server.closeAllConnections()
    server.close()
  }
  const names = Object.keys(readManifest().exports)
    .filter((name) => !name.endsWith('.json'))
    .map((name) => name.replace('.', 'twinfold'))
  await run(
    process.execPath,
    ['--input-type=module', '--eval', names.map((name) => `await import('${name}')`).join('\n')],
    { cwd: consumer },
  )
  for (const file of closure('dist/client/public.js')) {
    assert.doesNotMatch(
      readFileSync(join(installed, file), 'utf8'),
      /"node:|\bBuffer\b|\bprocess\.[a-z]/,
      `${file} runs in a browser too`,
    )
  }
})

/** The file, and all that it loads, at once or later. */
function closure(file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known
  known.add(file)
  const text = readFileSync(join(installed, file), 'utf8')
  for (const [, next = ''] of text.matchAll(/(?:\bfrom |\bimport |\bimport\()"(\.[^"]+)"/g))
    closure(join(file, '..', next), known)
  return known
}

for (const version of COMPILERS) {
  test(`package: TypeScript ${version} resolves the types, with or without skipLibCheck`, async () => {
    const script = await compiler(version)
    const directory = join(scratch.path, `types-${version}`)
    cpSync(consumer, directory, { recursive: true })
    const names = Object.keys(readManifest().exports).filter((name) => !name.endsWith('.json'))
    const all = names.map((name, number) => `export * as entry${number} from '${name.replace('.', 'twinfold')}'\n`)
    writeFileSync(join(directory, 'typed.mts'), TYPED)
    writeFileSync(join(directory, 'all.mts'), all.join(''))
    await checkTypes(script, directory, IS_LONG_RUN)
  })
}

test('package: a release has the tarball, a list of what is in it, and checksums', async () => {
  const base = `twinfold-${readManifest().version}`
  assert.deepEqual(readdirSync(release).sort(), ['SHA256SUMS', `${base}.cdx.json`, `${base}.tgz`])
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release })
  const { metadata, components } = JSON.parse(readFileSync(join(release, `${base}.cdx.json`), 'utf8')) as Sbom
  assert.equal(metadata.component.name, 'twinfold')
  const names = components.map(({ name }) => name)
  for (const name of ['lz4-napi', '@koromix/koffi-linux-x64', 'commander', '@peculiar/x509', 'preact', 'uplot'])
    assert.ok(names.includes(name), name)
  for (const name of ['typescript', 'playwright-core', 'knip']) assert.ok(!names.includes(name), name)
})

// A second build: in long runs only.
if (IS_LONG_RUN) {
  test('package: npm pack makes the tarball of the release', async () => {
    assert.ok(readFileSync(await pack(clone)).equals(readFileSync(packed)), 'two builds of one tree are equal')
  })
}
