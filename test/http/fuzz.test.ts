import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { runDaemon } from '../../src/main/daemon.ts'
import type { ServeOptions } from '../../src/main/args/options.ts'
import { openApi, refusalsOf } from '../../src/rest/openapi.ts'
import type { SimHttpResponse } from '../../src/platform/sim/http.ts'
import { effort, reportRow } from '../support/effort.ts'
import { eventually } from '../support/scratch.ts'
import { checkReply, declarationOf } from '../support/reply-check.ts'
import { fuzzInputs, type FuzzInput } from './fuzz-inputs.ts'
import { testSeed } from '../support/seed.ts'
import { SIM_KEY, SIM_OPTIONS, simMachine } from '../support/sim-daemon.ts'

// Requests derived from the OpenAPI document against a whole device on a simulated platform.

const ADDRESS = '127.0.0.1:8384'
const RUNS = effort(1_500, 3_000)
const SEED = testSeed(13)
/** Requests that stop the device. */
const LAST_WORDS: ReadonlySet<string> = new Set([
  'POST /rest/system/shutdown',
  'POST /rest/system/restart',
  'POST /rest/system/reset',
])

const OPTIONS: ServeOptions = {
  ...SIM_OPTIONS,
  // Fixed, so that the device is reachable whatever the configuration becomes.
  guiAddress: `http://${ADDRESS}`,
  guiApiKey: SIM_KEY,
}

async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve))
}

class Device {
  readonly platform = simMachine(1)
  readonly #stop = new AbortController()
  #done: Promise<unknown> = Promise.resolve()
  ended = false

  async start(): Promise<this> {
    this.#done = runDaemon(this.platform, OPTIONS, this.#stop.signal).finally(() => (this.ended = true))
    for (let round = 0; round < 50; round++) await settle()
    const folder = { id: 'docs', path: '/data/docs', rescanIntervalS: 0, fsWatcherEnabled: false }
    assert.equal((await this.send('POST', '/rest/config/folders', JSON.stringify(folder)))?.status, 200)
    assert.equal((await this.send('PATCH', '/rest/config/gui', '{"debugging":true}'))?.status, 200)
    assert.equal((await this.send('POST', '/rest/db/ignores?folder=docs', '{"ignore":["*.tmp"]}'))?.status, 200)
    assert.equal((await this.send('POST', '/rest/db/scan?folder=docs'))?.status, 200)
    return this
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    while (!this.ended) await this.platform.clock.advance(1_000, settle)
    await this.#done
  }

  /** Undefined for a request that waits for time to pass, such as a long poll: the client disconnected. */
  async send(method: string, target: string, body?: string | Uint8Array): Promise<SimHttpResponse | undefined> {
    const leaving = new AbortController()
    let response: SimHttpResponse | undefined
    let failed: unknown
    const progress = { over: false }
    const call = {
      method,
      target,
      headers: { 'x-api-key': SIM_KEY },
      signal: leaving.signal,
      ...(body !== undefined && { body }),
    }
    const done = this.platform.http
      .call(ADDRESS, call)
      .then(
        (reply) => (response = reply),
        (error: unknown) => (failed = error),
      )
      .finally(() => (progress.over = true))
    for (let round = 0; round < 200 && !progress.over; round++) {
      await settle()
      if (round % 10 === 9) await this.platform.clock.advance(300, settle)
    }
    if (!progress.over) leaving.abort()
    // Some work takes real time, not simulated time: hashing a password.
    await eventually(`the end of ${method} ${target.slice(0, 200)}`, async () => {
      await this.platform.clock.advance(1_000, settle)
      return progress.over || undefined
    })
    await done
    if (failed !== undefined && !leaving.signal.aborted) throw failed
    return leaving.signal.aborted ? undefined : response
  }

  /** All state that a refused request must not change. */
  async state(): Promise<string> {
    const targets = [
      '/rest/config',
      '/rest/db/status?folder=docs',
      '/rest/db/ignores?folder=docs',
      '/rest/system/loglevels',
      '/rest/system/error',
      '/rest/cluster/pending/devices',
    ]
    const texts: string[] = []
    for (const target of targets) texts.push((await this.send('GET', target))?.body ?? '')
    return texts.join('\n').replace(/"stateChanged": "[^"]*"/g, '')
  }
}

/** Why a reply does not match the document; undefined if it does. */
function mismatch(input: FuzzInput, response: SimHttpResponse): string | undefined {
  const found = declarationOf(input.method, input.target)
  if (found === undefined) {
    // An id that changes the path: not found, or a redirect to the canonical path.
    return response.status < 500 ? undefined : 'an unknown path causes an internal error'
  }
  if (response.status < 400) return undefined
  if (input.path.includes('{id}') && (response.status === 404 || response.status === 405)) return undefined
  return refusalsOf(found.route).has(response.status) ? undefined : 'this status is not declared'
}

/** Restores the device, so that every input starts from the same state; returns that state. */
async function restored(device: Device, config: string): Promise<string> {
  await device.send('PUT', '/rest/config', config)
  await device.send('POST', '/rest/db/ignores?folder=docs', '{"ignore":["*.tmp"]}')
  await device.send('POST', '/rest/db/scan?folder=docs')
  return await device.state()
}

function difference(before: string, after: string): string {
  const old = new Set(before.split('\n'))
  return after
    .split('\n')
    .filter((line) => !old.has(line))
    .slice(0, 3)
    .join(' ')
}

test('W-13b: replies match the document, and a refused request changes nothing', async () => {
  const device = await new Device().start()
  const statuses = new Map<number, number>()
  const failures: string[] = []
  const before = await device.send('GET', '/rest/config')
  let state = await device.state()
  let tried = 0
  let left = 0
  const inputs = fc.sample(fuzzInputs(openApi('v1.0.0'), LAST_WORDS), { seed: SEED, numRuns: RUNS })
  for (const input of inputs) {
    const response = await device.send(input.method, input.target, input.body)
    tried++
    assert.ok(!device.ended, `${input.method} ${input.target} stopped the device`)
    if (response === undefined) {
      left++
      if (input.method !== 'GET') state = await restored(device, before!.body)
      continue
    }
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    const sent = `${input.method} ${input.target.slice(0, 200)} ${String(input.body ?? '').slice(0, 200)}`
    const description = `${sent}: ${response.status} ${response.body.slice(0, 200)}`
    const wrong = mismatch(input, response)
    if (wrong !== undefined) failures.push(`${wrong}: ${description}`)
    const contentType = String(response.headers['content-type'] ?? '')
    await checkReply(input.method, input.target, { status: response.status, contentType, text: response.body }).catch(
      (error: unknown) => failures.push(`${String(error)}: ${description}`),
    )
    if (response.status >= 400) {
      const now = await device.state()
      if (now !== state) failures.push(`a refused request changed something: ${description}: ${difference(state, now)}`)
      state = now
    } else if (input.method !== 'GET') {
      state = await restored(device, before!.body)
    }
  }
  reportRow({
    id: 'W-13b',
    seed: SEED,
    tried,
    left,
    failures: failures.length,
    statuses: Object.fromEntries([...statuses].sort(([a], [b]) => a - b)),
  })
  assert.deepEqual(failures.slice(0, 10), [])
  await device.stop()
})
