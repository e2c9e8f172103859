/** What changes form between the systems: Unicode forms of names, and times finer than Windows stores them. */
import assert from 'node:assert/strict'
import { lstatSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startMember } from '../support/daemon-pair.ts'
import { startWindows, windowsDirectory } from '../support/windows.ts'
import { FOLDER, put, scan, share, untilEqual } from './scene.ts'

const COMPOSED = '\u00e9t\u00e9.txt'
const DECOMPOSED = COMPOSED.normalize('NFD')

test('a decomposed name becomes the composed one on both systems, and times are not announced rounded', async () => {
  using scratch = windowsDirectory()
  await using windows = await startWindows(scratch.path)
  await using linux = await startMember(scratch.path, 'linux')
  put(windows.root, `w/${DECOMPOSED}`, 'of Windows')
  put(linux.root, `l/${DECOMPOSED}`, 'of Linux')
  put(linux.root, 'l/time.txt', 'exact')
  utimesSync(join(linux.root, 'l/time.txt'), 1_700_000_000, 1_700_000_000.1234567)
  const exactNs = lstatSync(join(linux.root, 'l/time.txt'), { bigint: true }).mtimeNs
  assert.notEqual(exactNs % 1_000n, 0n, 'finer than a microsecond')
  await share(windows, linux)
  await untilEqual([windows, linux])
  for (const { root } of [windows, linux])
    for (const directory of ['w', 'l']) {
      const names = readdirSync(join(root, directory)).filter((name) => name !== 'time.txt')
      assert.deepEqual(names, [COMPOSED], join(root, directory))
    }
  assert.equal(readFileSync(join(linux.root, 'w', COMPOSED), 'utf8'), 'of Windows')

  const versionOf = async () => {
    const { local } = (await linux.daemon.get(`/rest/db/file?folder=${FOLDER}&file=l/time.txt`)) as {
      readonly local: { readonly version: unknown; readonly modified: string }
    }
    return JSON.stringify([local.version, local.modified])
  }
  const before = await versionOf()
  await scan(windows)
  put(windows.root, 'w/after.txt', 'shows that the scan was announced')
  await scan(windows)
  await untilEqual([windows, linux])
  assert.equal(await versionOf(), before)
  assert.equal(lstatSync(join(linux.root, 'l/time.txt'), { bigint: true }).mtimeNs, exactNs)
})
