import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflictOriginal } from '../../../src/core/paths.ts'
import { reportRow } from '../../support/effort.ts'
import type { SimPeer } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const COPY = 'd/photo.sync-conflict-20260131-235959-ABCDEFG.jpg'
const LARGE = Buffer.concat(['a', 'b', 'c'].map((letter) => Buffer.alloc(131_072, letter)))
const TEMPORARY = `${ROOT}/.syncthing.f.tmp`
const HOUR_MS = 3_600_000

test('the temporary file of an item that is not needed any more is removed', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'one', { modifiedS: 1 })
  await pull.sync()
  pull.disk.put(`${ROOT}/f`, 'edited here')
  pull.peer.put('f', 'two', { modifiedS: 2 })
  await pull.sync()
  const failed = pull.hub
    .of('ItemFinished')
    .map(({ error }) => error)
    .filter((error) => error !== null)
  assert.ok(failed.length > 0, 'the first attempt found an unscanned file')
  assert.equal(await pull.read('f'), 'edited here')
  await pull.assertSettled()
})

test('the temporary file is kept for the next attempt while the item is needed', async () => {
  await using pull = await SimPull.start()
  pull.peer.serve = async (request, data) => {
    if (request.blockNumber === 1) throw new Error('not now')
    return data
  }
  pull.peer.put('f', Buffer.alloc(2 * 131_072, 'x'))
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['.syncthing.f.tmp'])
  pull.peer.delete('f')
  await pull.sync()
  assert.deepEqual(await pull.tree(), [])
  await pull.assertSettled()
})

test('two independent conflict copies of the same name are both kept', async () => {
  await using pull = await SimPull.start({
    arrange: async (disk) => {
      await disk.makeDirectories(`${ROOT}/d`, 0o755)
      disk.put(`${ROOT}/${COPY}`, 'lost here')
    },
  })
  pull.peer.put(COPY, 'lost there', { modifiedS: 4_000_000_000 })
  await pull.sync()
  assert.equal(await pull.read(COPY), 'lost there')
  const others = (await pull.tree()).filter((name) => name !== COPY && name !== 'd/')
  assert.equal(others.length, 1, others.join(' '))
  assert.equal(conflictOriginal(others[0]!), 'd/photo.jpg', 'a copy of the file, not a copy of a copy')
  assert.equal(await pull.read(others[0]!), 'lost here')
  await pull.assertSettled()
})

test('a conflict copy that both devices edited is kept under another name of its original', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('d')
  pull.peer.put(COPY, 'lost')
  await pull.sync()
  pull.disk.put(`${ROOT}/${COPY}`, 'edited here')
  await pull.scan()
  pull.peer.put(COPY, 'edited there', { modifiedS: 4_000_000_000 })
  await pull.sync()
  const [other, ...rest] = (await pull.tree()).filter((name) => name !== 'd/' && name !== COPY)
  assert.deepEqual([conflictOriginal(other ?? ''), rest], ['d/photo.jpg', []])
  assert.equal(await pull.read(COPY), 'edited there')
  assert.equal(await pull.read(other ?? ''), 'edited here')
  await pull.assertSettled()
})

/** Pulls an item while `fail` is in effect. */
async function failedPull(fail: (pull: SimPull) => void, put: (peer: SimPeer) => unknown = putLarge): Promise<SimPull> {
  const pull = await SimPull.start()
  put(pull.peer)
  fail(pull)
  await pull.sync()
  return pull
}

function putLarge(peer: SimPeer): void {
  peer.put('f', LARGE)
}

async function completes(pull: SimPull): Promise<void> {
  await pull.hub.pass(3 * 60_000)
  await pull.rest()
  await pull.assertSettled()
}

const KINDS: readonly [kind: string, put: (peer: SimPeer) => unknown][] = [
  ['small file', (peer) => peer.put('f', 'x')],
  ['file of one block', (peer) => peer.put('f', Buffer.alloc(60_000, 'x'))],
  ['file of several blocks', putLarge],
  ['symlink', (peer) => peer.symlink('f', 'target')],
]

/** How many calls a pull makes at its temporary file. */
async function callsAtTemporary(put: (peer: SimPeer) => unknown): Promise<number> {
  let calls = 0
  await using _pull = await failedPull(({ disk: { faults } }) => {
    const check = faults.check.bind(faults)
    faults.check = (call, path) => {
      if (path === TEMPORARY) calls++
      check(call, path)
    }
  }, put)
  return calls
}

for (const [kind, put] of KINDS) {
  test(`C-07: after an error of the disk at any call of the pull of a ${kind} no temporary file is left`, async () => {
    const calls = await callsAtTemporary(put)
    let failed = 0
    let injected = 0
    for (let nth = 1; nth <= calls; nth++) {
      for (const code of ['EIO', 'ENOSPC']) {
        const fail = ({ disk: { faults } }: SimPull) => {
          faults.add({ call: 'any', code, nth, under: TEMPORARY })
          const check = faults.check.bind(faults)
          faults.check = (call, path) => {
            try {
              check(call, path)
            } catch (error) {
              injected++
              throw error
            }
          }
        }
        await using pull = await failedPull(fail, put)
        const hasFailed = (await pull.errors()).some((error) => error.startsWith('f: syncing'))
        if (hasFailed) failed++
        const temporaries = (await pull.tree()).filter((name) => name.startsWith('.syncthing.'))
        assert.deepEqual(temporaries, [], `${code} at call ${nth}`)
        await completes(pull)
      }
    }
    reportRow({ id: 'C-07', part: `errors of a pull: ${kind}`, tried: 2 * calls, failed })
    assert.equal(injected, 2 * calls)
  })
}

test('after wrong content from all devices no temporary file is left', async () => {
  await using pull = await failedPull(({ peer }) => {
    peer.serve = async ({ blockNumber }, data) => (blockNumber === 1 ? Buffer.alloc(data.length, 'y') : data)
  })
  assert.deepEqual(await pull.errors(), ['f: syncing: pull: hash mismatch'])
  assert.deepEqual(await pull.tree(), [])
})

test('after a lost connection the temporary file is kept, and the pull resumes with it', async () => {
  await using pull = await failedPull(({ peer }) => {
    peer.serve = async ({ blockNumber }, data) => {
      if (blockNumber !== 1) return data
      peer.connected = false
      throw new Error('connection closed')
    }
  })
  assert.deepEqual(await pull.tree(), ['.syncthing.f.tmp'])
  pull.peer.connected = true
  pull.peer.serve = async (_request, data) => data
  pull.peer.requests.length = 0
  await pull.announce()
  await completes(pull)
  assert.equal(await pull.read('f'), LARGE.toString('latin1'))
  const requested = pull.peer.requests.map(({ blockNumber }) => blockNumber)
  assert.deepEqual([requested.includes(0), requested.includes(1)], [false, true])
})

test('a temporary file that no pull resumes is removed by a scan after the time that the options give', async () => {
  await using pull = await failedPull(({ peer }) => {
    peer.serve = ({ blockNumber }, data) => {
      if (blockNumber === 1) peer.connected = false
      return peer.connected ? Promise.resolve(data) : Promise.reject(new Error('connection closed'))
    }
  })
  const temporary = ['.syncthing.f.tmp']
  await pull.scan()
  assert.deepEqual(await pull.tree(), temporary)
  await pull.hub.pass(23 * HOUR_MS)
  await pull.scan()
  assert.deepEqual(await pull.tree(), temporary)
  await pull.hub.pass(2 * HOUR_MS)
  await pull.scan()
  assert.deepEqual(await pull.tree(), [])
})
