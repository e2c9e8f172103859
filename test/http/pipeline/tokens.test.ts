import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TokenStore } from '../../../src/http/pipeline/tokens.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { quietLogger } from '../../support/logger.ts'

const KEY = 'tokens'
const LIFETIME_MS = 10_000

async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve))
}

function makeStore({ fails = false } = {}) {
  const clock = new SimClock()
  const logger = quietLogger('http')
  const saved: Record<string, number>[] = []
  const storage = new Map<string, Uint8Array>()
  const keyValue = {
    get: async (key: string) => storage.get(key),
    set: async (key: string, bytes: Uint8Array) => {
      if (fails) throw new Error('disk full')
      storage.set(key, bytes)
      saved.push(JSON.parse(new TextDecoder().decode(bytes)))
    },
  }
  const deps = { clock, logger, random: new SimRandom(1), keyValue }
  const open = () => new TokenStore(deps, { key: KEY, lifetimeMs: () => LIFETIME_MS })
  const put = (value: unknown) => storage.set(KEY, new TextEncoder().encode(JSON.stringify(value)))
  return { clock, logger, saved, put, open, store: open() }
}

describe('a token', () => {
  it('is valid until its lifetime has passed since the last use', async () => {
    const { clock, store } = makeStore()
    const token = store.make()
    assert.equal(token.length, 64)
    for (let use = 0; use < 3; use++) {
      await clock.advance(LIFETIME_MS - 1, settle)
      assert.equal(store.use(token), true)
    }
    await clock.advance(LIFETIME_MS, settle)
    assert.equal(store.use(token), false)
    assert.equal(store.use(token), false)
  })

  it('is only the whole one', () => {
    const { store } = makeStore()
    const token = store.make()
    for (const other of ['', token.slice(1), `${token}x`, `x${token.slice(1)}`]) assert.equal(store.use(other), false)
  })

  it('is valid no more once it was dropped; the others still are', () => {
    const { store } = makeStore()
    const [first, second] = [store.make(), store.make()]
    store.drop(first)
    assert.deepEqual([store.use(first), store.use(second)], [false, true])
    store.dropAll()
    assert.equal(store.use(second), false)
  })

  it('that was least recently used makes room for the twenty-sixth', () => {
    const { store } = makeStore()
    const tokens = Array.from({ length: 25 }, () => store.make())
    assert.equal(store.use(tokens[0]!), true)
    store.make()
    assert.deepEqual([store.use(tokens[0]!), store.use(tokens[1]!), store.use(tokens[2]!)], [true, false, true])
  })
})

describe('stored tokens', () => {
  /** The names that are still there, seen in what is saved after a change. */
  const namesAfterLoad = async ({ clock, saved, store }: ReturnType<typeof makeStore>): Promise<readonly string[]> => {
    await store.load()
    const stop = new AbortController()
    const running = store.run(stop.signal)
    const own = store.make()
    await clock.advance(1_000, settle)
    stop.abort()
    await running
    assert.equal(store.use(own), true)
    return Object.keys(saved.at(-1) ?? {}).slice(0, -1)
  }

  it('are used unless they have ended, or end later than any can', async () => {
    const made = makeStore()
    const nowMs = made.clock.nowMs()
    const latestMs = nowMs + LIFETIME_MS
    made.put({ over: nowMs, latest: latestMs, far: latestMs + 1, soon: nowMs + 1, text: `${nowMs + 1}`, none: null })
    assert.deepEqual(await namesAfterLoad(made), ['soon', 'latest'])
  })

  it('are the newest, of more than fit', async () => {
    const made = makeStore()
    const nowMs = made.clock.nowMs()
    const names = Array.from({ length: 40 }, (_, index) => `token ${index}`)
    made.put(Object.fromEntries(names.map((name, index) => [name, nowMs + 5_000 - index])))
    assert.deepEqual(await namesAfterLoad(made), names.slice(0, 24).toReversed())
  })

  it('that cannot be read are none', async () => {
    for (const value of [null, 7, 'text', [], [5]]) {
      const made = makeStore()
      made.put(value)
      assert.deepEqual(await namesAfterLoad(made), [], JSON.stringify(value))
    }
    assert.deepEqual(await namesAfterLoad(makeStore()), [])
  })

  it('do not replace those that were made before', async () => {
    const { clock, put, store } = makeStore()
    const own = store.make()
    put({ stored: clock.nowMs() + 1 })
    await store.load()
    assert.equal(store.use(own), true)
  })
})

describe('tokens are saved', () => {
  const running = (made: ReturnType<typeof makeStore>) => {
    const stop = new AbortController()
    const done = made.store.run(stop.signal)
    return async () => {
      stop.abort()
      await done
    }
  }

  it('a second after the last change, once', async () => {
    const made = makeStore()
    const end = running(made)
    made.store.make()
    await made.clock.advance(900, settle)
    made.store.make()
    await made.clock.advance(999, settle)
    assert.deepEqual(made.saved, [], 'each change delays it')
    await made.clock.advance(1_001, settle)
    assert.deepEqual(
      made.saved.map((tokens) => Object.keys(tokens).length),
      [2],
    )
    await made.clock.advance(60_000, settle)
    await end()
    assert.equal(made.saved.length, 1, 'nothing has changed since')
  })

  it('at the end, without a delay', async () => {
    const made = makeStore()
    const end = running(made)
    const token = made.store.make()
    await end()
    assert.equal(made.saved.length, 1)
    const next = made.open()
    await next.load()
    assert.equal(next.use(token), true)
  })

  it('also after one was dropped, but not for one that was none', async () => {
    const made = makeStore()
    const token = made.store.make()
    const end = running(made)
    await made.clock.advance(1_000, settle)
    made.store.drop('other')
    await made.clock.advance(5_000, settle)
    assert.equal(made.saved.length, 1)
    made.store.drop(token)
    await made.clock.advance(5_000, settle)
    await end()
    assert.deepEqual(made.saved.at(-1), {})
    assert.equal(made.saved.length, 2)
  })

  it('or a warning says that they end with the process', async () => {
    const made = makeStore({ fails: true })
    const end = running(made)
    made.store.make()
    await end()
    assert.match(made.logger.lines.join('\n'), /could not be saved .*: disk full/)
  })
})
