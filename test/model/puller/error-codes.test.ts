/** C-07: every error of the system at every kind of call of a pull. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiskCall } from '../../../src/platform/sim/disk-faults.ts'
import { reportRow } from '../../support/effort.ts'
import { ERROR_CODES } from '../../support/error-codes.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const CODES = [...ERROR_CODES, 'ENOSPC'] as const
const CALLS: readonly DiskCall[] = [
  'open',
  'read',
  'write',
  'truncate',
  'sync',
  'stat',
  'mkdir',
  'unlink',
  'rename',
  'symlink',
  'chmod',
  'utime',
  'readlink',
  'rmdir',
]
/** Without reads a pull gets all blocks from other devices; what is not read is not replaced. */
const FAILING = new Set(CALLS).difference(new Set(['read', 'readlink']))
const BLOCK = 131_072
const MINUTE_MS = 60_000
/** Below it every call of the kind fails. */
const BROKEN = `${ROOT}/broken`

const OLD = { small: 'old', large: 'o'.repeat(2 * BLOCK) } as const
const NEW = { small: 'new', large: 'n'.repeat(2 * BLOCK) } as const
const NAMES = ['small', 'large'] as const

/** Both directories get the same changes: replaced, created and deleted files, a symlink, a directory. */
async function changed(): Promise<SimPull> {
  const pull = await SimPull.start()
  const { peer } = pull
  for (const directory of ['broken', 'other']) {
    peer.directory(directory)
    for (const name of NAMES) peer.put(`${directory}/${name}`, OLD[name])
    peer.put(`${directory}/deleted`, 'deleted')
    peer.directory(`${directory}/removed`)
    peer.symlink(`${directory}/link`, 'old')
  }
  await pull.sync()
  await pull.assertSettled()
  for (const directory of ['broken', 'other']) {
    for (const name of NAMES) peer.put(`${directory}/${name}`, NEW[name])
    peer.put(`${directory}/created`, 'created')
    peer.delete(`${directory}/deleted`)
    peer.delete(`${directory}/removed`)
    peer.directory(`${directory}/made`, { permissions: 0o775 }) // more than the umask leaves
    peer.symlink(`${directory}/link`, 'new')
  }
  return pull
}

const WANTED = ['created', 'large', 'link -> new', 'made/', 'small']

for (const call of CALLS) {
  test(`C-07: any error of ${call} fails single items with a reason, tears none, and others are pulled`, async () => {
    let failed = 0
    for (const code of CODES) {
      await using pull = await changed()
      pull.disk.fail({ call, code, times: Number.POSITIVE_INFINITY, under: BROKEN })
      await pull.sync()
      const other = (await pull.tree('other')).map((path) => path.slice('other/'.length))
      assert.deepEqual(other, WANTED, `${code}: the other directory`)
      pull.disk.faults.clear()
      for (const name of NAMES) {
        const content = await pull.read(`broken/${name}`)
        assert.ok(content === OLD[name] || content === NEW[name], `${code}: ${name} is torn or gone`)
      }
      const errors = await pull.errors()
      const needed = await pull.needed()
      failed += needed.length
      const withoutReason = needed.filter((name) => !errors.some((error) => error.startsWith(`${name}: `)))
      assert.deepEqual(withoutReason, [], `${code}: every item that was not pulled has a reason\n${errors.join('\n')}`)
      await pull.hub.pass(5 * MINUTE_MS)
      await pull.scan()
      await pull.hub.pass(5 * MINUTE_MS)
      await pull.rest()
      await pull.assertSettled()
      assert.deepEqual(
        (await pull.tree('broken')).map((path) => path.slice('broken/'.length)),
        WANTED,
        code,
      )
    }
    reportRow({ id: 'C-07', part: `errors of ${call} in a pull`, tried: CODES.length, failed })
    assert.ok(failed > 0 || !FAILING.has(call), 'no call failed')
  })
}
