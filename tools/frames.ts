/**
 * The same random messages to a Twinfold and to a real Syncthing: `npm run frames -- --count N --seed N`. Both are
 * started inside a network with loopback only. A reaction is `kept` or `closed`; every difference is printed with the
 * reasons that both have given; one that docs/proof/faults.md does not explain is a failure. `--record` adds the result
 * to docs/proof.
 *
 * Syncthing sends its cluster config a second after a device has connected again. So many devices take part at once,
 * messages that the own readers accept are sent in groups, and of those that they refuse one in some is sent.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Chance } from '../test/interop/random-changes.ts'
import { Device } from '../test/support/device-pair.ts'
import { freePort } from '../test/support/free-port.ts'
import { HostilePeer, type HostileTalk } from '../test/support/hostile-peer.ts'
import { loopbackOnly } from '../test/support/loopback.ts'
import {
  generateSyncthingHome,
  missingSyncthing,
  quietConfig,
  startSyncthing,
  syncthingDeviceId,
} from '../test/support/syncthing.ts'
import { frame } from '../test/support/wire-frames.ts'
import { readCorpus, toLine } from './fuzz/corpus.ts'
import { mutate } from './fuzz/mutate.ts'
import { PROTOCOL_TARGETS } from './fuzz/protocol-targets.ts'
import { recordRun } from './proof/runs.ts'

/** Set in the process inside the namespace. */
const INSIDE = 'TWINFOLD_FRAMES_INSIDE'
const FOLDER = 'docs'
const SIZE_BYTES_MAX = 2_048
const DIFFERENCES_SHOWN_MAX = 50
const DEVICES = 64
const PROGRESS_MS = 60_000

/** Close is left out: both end then. */
const TYPES = {
  'cluster-config': 'ClusterConfig',
  index: 'Index',
  'index-update': 'IndexUpdate',
  request: 'Request',
  response: 'Response',
  'download-progress': 'DownloadProgress',
} as const

type TypeName = keyof typeof TYPES

/** Each of them costs a connection. */
const REFUSED_CHANCE = 10
const GROUP_MAX = 24

type Reaction = 'kept' | 'closed'

interface RandomMessage {
  readonly name: TypeName
  readonly body: Uint8Array
  readonly isReadable: boolean
}

/** One of the two programs, with a connection that is renewed when it ends. */
class Side {
  readonly #peer: HostilePeer
  readonly #port: number
  readonly #id: string
  #talk: HostileTalk | undefined

  constructor(peer: HostilePeer, port: number, id: string) {
    this.#peer = peer
    this.#port = port
    this.#id = id
  }

  /** Whether all messages are read and the connection is kept. */
  async keeps(messages: readonly Uint8Array[]): Promise<boolean> {
    this.#talk ??= await this.#peer.join(this.#port, this.#id, FOLDER)
    await this.#talk.raw(Buffer.concat(messages))
    if (await this.#talk.isAlive()) return true
    await this.renew()
    return false
  }

  async react(bytes: Uint8Array): Promise<{ readonly reaction: Reaction; readonly reason: string }> {
    this.#talk ??= await this.#peer.join(this.#port, this.#id, FOLDER)
    const talk = this.#talk
    await talk.raw(bytes)
    if (await talk.isAlive()) return { reaction: 'kept', reason: '' }
    await this.renew()
    return { reaction: 'closed', reason: talk.closeReason ?? 'no reason' }
  }

  async renew(): Promise<void> {
    await this.#talk?.[Symbol.asyncDispose]()
    this.#talk = undefined
  }
}

type Sides = readonly [Side, Side]

async function startSides(directory: string, stack: AsyncDisposableStack): Promise<readonly Sides[]> {
  const peers = await Promise.all(Array.from({ length: DEVICES }, () => HostilePeer.make()))
  const twinfold = stack.use(await Device.start(directory, 'twinfold'))
  mkdirSync(twinfold.root)
  const [home, root] = [join(directory, 'syncthing-home'), join(directory, 'syncthing')]
  for (const path of [home, root]) mkdirSync(path)
  const port = await freePort()
  generateSyncthingHome(home, [])
  quietConfig(home, { listenAddress: `tcp://127.0.0.1:${port}` })
  const syncthing = stack.use(await startSyncthing({ home, before: [] }))
  const settings = { addresses: [], compression: 'never', numConnections: 1 }
  const devices = peers.map(({ id }) => ({ deviceID: id }))
  for (const daemon of [twinfold.daemon, syncthing]) {
    for (const device of devices) await daemon.post('/rest/config/devices', { ...device, ...settings })
    await daemon.addFolder(FOLDER, daemon === syncthing ? root : twinfold.root, { devices })
  }
  const theirs = syncthingDeviceId(home, [])
  return peers.map((peer) => [new Side(peer, twinfold.port, twinfold.id), new Side(peer, port, theirs)])
}

interface Difference {
  readonly type: TypeName
  readonly twinfold: string
  readonly syncthing: string
  count: number
  readonly example: string
}

/** Twinfold keeps the connection, Syncthing ends it; docs/proof/faults.md has the reasons. */
const EXPLAINED: Readonly<Partial<Record<TypeName, string>>> = {
  response: 'closed: no reason',
  'download-progress': 'closed: no reason',
  'cluster-config': 'closed: handling cluster-config: remote device missing in cluster config',
}

function isExplained({ type, twinfold, syncthing }: Difference): boolean {
  return twinfold === 'kept' && EXPLAINED[type] === syncthing
}

/** All devices at once, each with messages of its own. */
async function compareAll(count: number, seed: number, all: readonly Sides[]): Promise<readonly Difference[]> {
  const differences = new Map<string, Difference>()
  let tried = 0
  const progress = setInterval(() => console.log(`${tried} of ${count}`), PROGRESS_MS)
  try {
    await Promise.all(
      all.map(async (sides, device) => {
        const share = Math.ceil((count - device) / all.length)
        await compare(share, seed * DEVICES + device, sides, differences, () => tried++)
      }),
    )
  } finally {
    clearInterval(progress)
  }
  return [...differences.values()].sort((a, b) => b.count - a.count)
}

/** Random messages without end. */
class Messages {
  readonly #chance: Chance
  readonly #corpora = (Object.keys(TYPES) as TypeName[]).map((name) => ({ name, corpus: readCorpus(name) }))

  constructor(seed: number) {
    this.#chance = new Chance(seed)
  }

  async next(): Promise<RandomMessage> {
    for (;;) {
      const { name, corpus } = this.#chance.pick(this.#corpora)
      const body = mutate(this.#chance.pick(corpus), this.#chance.pick(corpus), [], this.#chance, SIZE_BYTES_MAX)
      const isReadable = await canRead(name, body)
      if (isReadable || this.#chance.below(REFUSED_CHANCE) === 0) return { name, body, isReadable }
    }
  }

  /** Up to a number of readable messages, then one that is not, if it came before. */
  async group(countMax: number): Promise<readonly RandomMessage[]> {
    const group: RandomMessage[] = []
    while (group.length < countMax && group.at(-1)?.isReadable !== false) group.push(await this.next())
    return group
  }
}

async function canRead(name: TypeName, body: Uint8Array): Promise<boolean> {
  try {
    await PROTOCOL_TARGETS.find((target) => target.name === name)?.run(body)
    return true
  } catch {
    return false
  }
}

async function compare(
  count: number,
  seed: number,
  sides: Sides,
  differences: Map<string, Difference>,
  onTried: () => void,
): Promise<void> {
  const messages = new Messages(seed)
  for (let number = 0; number < count;) {
    const group = await messages.group(Math.min(GROUP_MAX, count - number))
    number += group.length
    const readable = group.filter(({ isReadable }) => isReadable)
    const frames = readable.map(({ name, body }) => frame(TYPES[name], body))
    const areAllKept =
      frames.length === 0 || (await Promise.all(sides.map((side) => side.keeps(frames)))).every((isKept) => isKept)
    // One of the group ended a connection: both begin anew, and each message is sent alone.
    if (!areAllKept) await Promise.all(sides.map((side) => side.renew()))
    for (const message of areAllKept ? group.slice(readable.length) : group)
      await compareOne(message, sides, differences)
    for (const _ of group) onTried()
  }
}

async function compareOne(
  { name, body }: RandomMessage,
  sides: Sides,
  differences: Map<string, Difference>,
): Promise<void> {
  const [a, b] = await Promise.all(sides.map((side) => side.react(frame(TYPES[name], body))))
  if (a!.reaction === b!.reaction) return
  // The one that kept the connection has read something the other has not: both begin anew.
  await Promise.all(sides.map((side) => side.renew()))
  const shown = [a!, b!].map(({ reaction, reason }) => `${reaction}${reason === '' ? '' : `: ${kindOf(reason)}`}`)
  const key = [name, ...shown].join(' | ')
  const known = differences.get(key)
  if (known !== undefined) known.count++
  else differences.set(key, { type: name, twinfold: shown[0]!, syncthing: shown[1]!, count: 1, example: toLine(body) })
}

/** A reason without what is different each time. */
function kindOf(reason: string): string {
  return reason.replace(/"(?:[^"\\]|\\.)*"|\d+/g, '…').slice(0, 120)
}

async function run(count: number, seed: number, record: boolean): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'twinfold-frames-'))
  const startedMs = performance.now()
  try {
    await using stack = new AsyncDisposableStack()
    const all = await startSides(directory, stack)
    stack.defer(async () => void (await Promise.all(all.flat().map((side) => side.renew()))))
    const differences = await compareAll(count, seed, all)
    const total = differences.reduce((sum, difference) => sum + difference.count, 0)
    const failures = differences.reduce((sum, each) => sum + (isExplained(each) ? 0 : each.count), 0)
    for (const difference of differences.slice(0, DIFFERENCES_SHOWN_MAX)) console.log(JSON.stringify(difference))
    const seconds = Math.round((performance.now() - startedMs) / 1_000)
    const kinds = differences.length
    console.log(JSON.stringify({ id: 'B-22', tried: count, seed, seconds, differences: total, kinds, failures }))
    const command = `npm run frames -- --count ${count} --seed ${seed}`
    const details = { differences: differences.slice(0, DIFFERENCES_SHOWN_MAX) }
    if (record) recordRun('frames', { command, seconds, rounds: 1, inputs: count, faults: 0, failures, details })
    return failures === 0 ? 0 : 1
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function runInside(seed: number): Promise<number> {
  const missing = missingSyncthing() // downloads it, which is impossible inside
  if (missing !== undefined) throw new Error(missing)
  const [program, ...before] = loopbackOnly()
  const words = [...before, process.execPath, ...process.execArgv, ...process.argv.slice(1), '--seed', String(seed)]
  const child = spawn(program!, words, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

try {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '1000' },
      seed: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  })
  const count = Number(values.count)
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed)
  if (!(count > 0) || !Number.isInteger(seed))
    throw new Error('usage: npm run frames -- [--count N] [--seed N] [--record]')
  if (process.env[INSIDE] === undefined) process.exitCode = await runInside(seed)
  else process.exitCode = await run(count, seed, values.record)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
