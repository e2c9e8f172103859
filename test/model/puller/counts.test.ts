import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS } from '../../support/model.ts'
import { ROOT, SimPull, type Setup } from './sim-pull.ts'

const DAY_MS = 86_400_000
const LATER_S = 4_000_000_000
const EDITED = 'edited for ourselves'
const BLOCKS = 'x'.repeat(300_000)

interface Scenario {
  readonly setup?: Setup
  /** Runs before our last record of `f`, which then gets a higher counter. */
  readonly edit?: (pull: SimPull) => Promise<void>
  readonly lose: (pull: SimPull) => Promise<void>
}

/** Ways in which our record of `f` is replaced by a concurrent one. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a file that is saved beside the winner': {
    lose: async ({ peer }) => void peer.put('f', 'theirs', { modifiedS: LATER_S, basedOn: [] }),
  },
  'a file of many blocks': {
    lose: async ({ peer }) => void peer.put('f', BLOCKS, { modifiedS: LATER_S, basedOn: [] }),
  },
  'a file of the same content': {
    lose: async ({ peer }) => void peer.put('f', 'ours', { modifiedS: LATER_S, basedOn: [] }),
  },
  'a file that becomes a directory': {
    lose: async ({ peer }) => void peer.directory('f', { modifiedS: LATER_S, basedOn: [] }),
  },
  'a deletion, for a small file': {
    edit: remove,
    lose: async ({ peer }) => void peer.put('f', 'theirs', { basedOn: [] }),
  },
  'a deletion, for a file that was elsewhere': {
    edit: async (pull) => {
      pull.peer.put('elsewhere', 'wanders')
      await pull.sync()
      await remove(pull)
    },
    lose: async (pull) => {
      pull.peer.delete('elsewhere')
      pull.peer.put('f', 'wanders', { basedOn: [] })
    },
  },
  'a file in a folder that only sends': {
    setup: { folder: { type: 'sendonly' } },
    lose: async ({ index, peer }) => {
      const { modifiedS = 0, modifiedNs = 0 } = (await index.records.get('local', 'f')) ?? {}
      peer.put('f', 'ours', { modifiedS, modifiedNs: modifiedNs + 1, basedOn: [] })
    },
  },
  'a file that only a folder has that receives': {
    setup: { folder: { type: 'receiveonly' } },
    lose: revert,
  },
  'a file in a folder that only receives': {
    setup: { folder: { type: 'receiveonly', maxConflicts: 0 } }, // no conflict copy, which would have its own counter
    edit: editTheirs,
    lose: revert,
  },
  'a file that others gave the name it has elsewhere': {
    setup: { folder: { type: 'receiveonly' } },
    edit: editTheirs,
    lose: async ({ index, peer }) => {
      const previousBlocksHash = (await index.records.get('local', 'f'))?.blocksHash
      const deletion = peer.delete('f')
      if (previousBlocksHash !== undefined) peer.records.set('f', { ...deletion, previousBlocksHash })
      peer.put('elsewhere', EDITED)
    },
  },
}

async function remove(pull: SimPull): Promise<void> {
  pull.disk.direct.remove(`${ROOT}/f`)
}

/** The file was received, and local changes of it are not announced. */
async function editTheirs(pull: SimPull): Promise<void> {
  pull.peer.put('f', 'theirs', { modifiedS: LATER_S })
  await pull.sync()
  pull.disk.put(`${ROOT}/f`, EDITED)
}

async function revert({ hub }: SimPull): Promise<void> {
  await hub.while(hub.model.revert(DOCS))
}

async function ownCount({ index }: SimPull): Promise<bigint> {
  const counterId = await index.exchange.counterId()
  const own = (await index.records.get('local', 'f'))?.version.find(({ device }) => device === counterId)
  return own?.value ?? 0n
}

for (const [scenario, { setup, edit, lose }] of Object.entries(SCENARIOS)) {
  test(`a counter is not reused after the clock was set back and the folder restarted: ${scenario}`, async () => {
    await using pull = await SimPull.start({ ...setup, arrange: (disk) => disk.put(`${ROOT}/f`, 'ours') })
    if (edit !== undefined) {
      await pull.hub.pass(10_000)
      await edit(pull)
      await pull.scan()
    }
    const before = await ownCount(pull)
    await lose(pull)
    await pull.sync()
    assert.deepEqual([before > 0n, await ownCount(pull)], [true, 0n], 'our record was replaced')
    pull.hub.platform.clock.jumpWall(-DAY_MS)
    for (const rescanIntervalS of [60, 70]) {
      await pull.hub.change((config) => ({
        ...config,
        folders: config.folders.map((folder) => ({ ...folder, rescanIntervalS })),
      }))
    }
    if ((await pull.tree()).some((path) => path === 'f' || path === 'f/')) await remove(pull)
    pull.disk.put(`${ROOT}/f`, 'edited when the clock was wrong')
    await pull.scan()
    const after = await ownCount(pull)
    assert.ok(after > before, `${after} after ${before}`)
  })
}

test('a counter is not reused when a send-only folder overrides others', async () => {
  await using pull = await SimPull.start({
    folder: { type: 'sendonly' },
    arrange: (disk) => disk.put(`${ROOT}/f`, 'ours'),
  })
  const before = await ownCount(pull)
  await SCENARIOS['a file in a folder that only sends']?.lose(pull)
  await pull.sync()
  pull.hub.platform.clock.jumpWall(-DAY_MS)
  pull.peer.put('f', 'theirs')
  await pull.sync()
  assert.equal(await ownCount(pull), 0n)
  await pull.hub.while(pull.hub.model.override(DOCS))
  await pull.rest()
  const after = await ownCount(pull)
  assert.ok(after > before, `${after} after ${before}`)
})

test('received counters of ours do not push our counters to the maximum', async () => {
  await using pull = await SimPull.start()
  const counterId = await pull.index.exchange.counterId()
  assert.ok(counterId !== undefined)
  const forged = [{ device: counterId, value: 2n ** 62n }]
  pull.peer.put('f', 'forged', { basedOn: forged })
  await pull.sync()
  pull.peer.put('f', 'another', { basedOn: [], modifiedS: LATER_S })
  await pull.sync()
  pull.disk.direct.remove(`${ROOT}/f`)
  pull.disk.put(`${ROOT}/f`, 'mine')
  await pull.scan()
  const nowS = Math.floor(pull.hub.platform.clock.nowMs() / 1_000)
  assert.ok((await ownCount(pull)) <= BigInt(nowS) + 2n)
})
