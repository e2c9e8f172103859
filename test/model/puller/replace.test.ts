import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT, SimPull } from './sim-pull.ts'

const MIB = 1_048_576

/** The disk calls during the replacement, in order. */
function watched(pull: SimPull): string[] {
  const seen: string[] = []
  const { disk } = pull
  const open = disk.open.bind(disk)
  disk.open = async (path, how, permissions) => {
    const file = await open(path, how, permissions)
    if (path !== `${ROOT}/f` || how !== 'read') return file
    seen.push('open')
    const close = file.close.bind(file)
    file.close = async () => {
      seen.push('close')
      await close()
    }
    return file
  }
  const exchange = disk.exchange.bind(disk)
  disk.exchange = async (from, to) => {
    seen.push('exchange')
    return await exchange(from, to)
  }
  return seen
}

for (const [size, expected] of [
  [9 * MIB, ['open', 'exchange', 'close']],
  [MIB, ['exchange']],
] as const) {
  const how = expected.length > 1 ? 'while it is held open and freed later' : 'directly'
  test(`a file of ${size / MIB} MiB is replaced ${how}`, async () => {
    await using pull = await SimPull.start()
    pull.peer.put('f', Buffer.alloc(size, 'o'))
    await pull.sync()
    const seen = watched(pull)
    pull.peer.put('f', Buffer.alloc(size, 'n'))
    await pull.sync()
    assert.deepEqual(seen, expected)
    assert.ok((await pull.read('f')) === 'n'.repeat(size))
    await pull.assertSettled()
  })
}

test('a file that cannot be opened is replaced nevertheless', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', Buffer.alloc(9 * MIB, 'o'))
  await pull.sync()
  const open = pull.disk.open.bind(pull.disk)
  pull.disk.open = async (path, how, permissions) => {
    if (path === `${ROOT}/f`) throw Object.assign(new Error('no'), { code: 'EACCES' })
    return await open(path, how, permissions)
  }
  pull.peer.put('f', Buffer.alloc(9 * MIB, 'n'))
  await pull.sync()
  pull.disk.open = open
  assert.ok((await pull.read('f')) === 'n'.repeat(9 * MIB))
})
