import assert from 'node:assert/strict'
import { endianness } from 'node:os'
import { test } from 'node:test'
import { versionJson } from '../../../src/http/views/version.ts'
import { nodeSystem } from '../../../src/platform/node/system.ts'
import { fakeRest, VERSION } from '../fakes.ts'

/** Node's platform, architecture and byte order, and Go's names for the same machine. */
const NAMES = [
  ['linux', 'x64', 'LE', 'linux', 'amd64'],
  ['linux', 'ia32', 'LE', 'linux', '386'],
  ['linux', 'arm64', 'LE', 'linux', 'arm64'],
  ['linux', 'arm', 'LE', 'linux', 'arm'],
  ['linux', 'riscv64', 'LE', 'linux', 'riscv64'],
  ['linux', 'ppc64', 'LE', 'linux', 'ppc64le'],
  ['aix', 'ppc64', 'BE', 'aix', 'ppc64'],
  ['linux', 's390x', 'BE', 'linux', 's390x'],
  ['linux', 'loong64', 'LE', 'linux', 'loong64'],
  ['linux', 'mips', 'BE', 'linux', 'mips'],
  ['linux', 'mipsel', 'LE', 'linux', 'mipsle'],
  ['android', 'arm64', 'LE', 'android', 'arm64'],
  ['freebsd', 'x64', 'LE', 'freebsd', 'amd64'],
  ['openbsd', 'arm64', 'LE', 'openbsd', 'arm64'],
  ['sunos', 'x64', 'LE', 'solaris', 'amd64'],
  ['darwin', 'arm64', 'LE', 'darwin', 'arm64'],
  ['darwin', 'x64', 'LE', 'darwin', 'amd64'],
  ['win32', 'x64', 'LE', 'windows', 'amd64'],
  ['win32', 'arm64', 'LE', 'windows', 'arm64'],
] as const

test('version: systems and architectures have the names of Go', () => {
  for (const [platform, architecture, byteOrder, os, arch] of NAMES) {
    const shown = versionJson({ ...VERSION, platform, architecture, endianness: byteOrder })
    assert.deepEqual([shown.os, shown.arch], [os, arch])
    assert.ok(shown.longVersion.includes(` ${os}-${arch}) `), shown.longVersion)
  }
})

test('version: the REST reply names the architecture it is given', async () => {
  const rest = fakeRest({ options: { version: { ...VERSION, architecture: 'ppc64' } } })
  assert.equal(JSON.parse((await rest.send('GET', '/rest/system/version')).body).arch, 'ppc64le')
})

test('version: the real system reports the machine this process runs on', () => {
  const { platform, architecture, endianness: byteOrder } = nodeSystem
  assert.deepEqual([platform, architecture, byteOrder], [process.platform, process.arch, endianness()])
})
