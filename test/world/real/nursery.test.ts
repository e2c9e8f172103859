import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const MODULE = new URL('../../../src/world/real/nursery.ts', import.meta.url)

/** Makes objects that live for a while, as a scan does, and tells how large the nursery became and what V8 said. */
function grow(limited: boolean): { bytes: number; said: string } {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { NurseryLimit } from ${JSON.stringify(MODULE.href)}
    ${limited ? 'using _ = new NurseryLimit()' : ''}
    const size = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size
    let most = 0
    const alive = []
    for (let turn = 0; turn < 600; turn++) {
      alive.push(Array.from({ length: 4_000 }, (_, i) => ({ turn, i, name: 'file-' + turn + '-' + i })))
      if (alive.length > 20) alive.shift()
      most = Math.max(most, size())
      await new Promise((resolve) => setImmediate(resolve))
    }
    console.log(most)`
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  return { bytes: Number(run.stdout), said: run.stderr }
}

test('nursery: it stops growing, and V8 knows what it is told', () => {
  const limited = grow(true)
  assert.equal(limited.said, '')
  const free = grow(false)
  // Where exactly it stops is V8's affair (16 to 33 MiB seen): it grows by doubling, and tells us afterwards.
  assert.ok(limited.bytes * 2 <= free.bytes, `${limited.bytes} bytes with the limit, ${free.bytes} without`)
})
