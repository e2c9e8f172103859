import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { VersionsDirectory } from '../../src/versioner/versions-directory.ts'

for (const [configured, hidden] of [
  ['', ['/f/.stversions']],
  ['old', []],
  ['/elsewhere', []],
] as const)
  test(`versions in "${configured}" are ${hidden.length === 0 ? 'not ' : ''}hidden at their creation`, async () => {
    const disk = new SimDisk(new SimClock())
    await disk.makeDirectory('/f', 0o755)
    const versions = new VersionsDirectory(disk, { folderRoot: '/f', configured, userHome: '/home' })
    await versions.prepare()
    assert.deepEqual([...disk.hidden], hidden)
    disk.hidden.clear()
    await versions.prepare()
    assert.deepEqual([...disk.hidden], [], 'one that exists stays as the user has it')
  })
