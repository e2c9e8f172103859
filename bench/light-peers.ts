import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../test/support/scratch.ts'
import type { newIdentity } from '../test/support/scripted-peer.ts'
import type { Bench } from './bench-options.ts'
import { field } from './measure.ts'
import { freePort, Running, type Program } from './program.ts'
import { twinfold } from './twinfold.ts'

const LOADED = join(import.meta.dirname, 'loop-figures.mjs')
const REPORT_LIMIT_MS = 60_000

export type PeerIdentity = Awaited<ReturnType<typeof newIdentity>>

/** A daemon whose event loop is measured, and who may connect to it. */
export interface Listening {
  readonly running: Running
  readonly home: string
  readonly port: number
  readonly id: string
}

export interface LoopFigures {
  readonly delayP99Ms: number
  readonly delayMaxMs: number
  readonly turnP99Ms: number
  readonly turnMaxMs: number
}

/** Twinfold with its loop measured. */
export function measuredTwinfold(home: string): Program {
  const env = { TWINFOLD_LOOP_FIGURES: join(home, 'loop.json') }
  return {
    ...twinfold,
    command: (path, address) => {
      const command = twinfold.command(path, address)
      const [node = '', ...args] = command.args
      return { args: [node, '--import', LOADED, ...args], env: { ...command.env, ...env } }
    },
  }
}

/** The figures of its event loop since the last call. */
export async function loopFigures({ running, home }: Pick<Listening, 'running' | 'home'>): Promise<LoopFigures> {
  const path = join(home, 'loop.json')
  rmSync(path, { force: true })
  running.child.kill('SIGUSR2')
  const read = () => {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as LoopFigures
    } catch {
      return undefined
    }
  }
  return await eventually('the figures of the event loop', read, REPORT_LIMIT_MS)
}

/** A new daemon that lets these devices in, with `name` as the name of its home. */
export async function withListening(
  bench: Bench,
  name: string,
  peers: readonly PeerIdentity[],
  use: (daemon: Listening) => Promise<void>,
): Promise<void> {
  const home = join(bench.scratch, name)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  twinfold.makeHome(home)
  const { running } = await Running.start(measuredTwinfold(home), home)
  try {
    const port = await freePort()
    await running.call('PATCH', '/rest/config/options', {
      listenAddresses: [`tcp://127.0.0.1:${port}`],
      globalAnnounceEnabled: false,
      localAnnounceEnabled: false,
      relaysEnabled: false,
      natEnabled: false,
      crashReportingEnabled: false,
    })
    const id = String(field(await running.call('GET', '/rest/system/status'), 'myID'))
    const others = peers.map((peer) => ({ deviceID: peer.id, addresses: ['tcp://127.0.0.1:1'], numConnections: 1 }))
    await running.call('PUT', '/rest/config/devices', [{ deviceID: id }, ...others])
    await use({ running, home, port, id })
  } finally {
    await running[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  }
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** The same requests; one on a connection that the daemon closes at that moment is sent again. */
export function patient(running: Running): Pick<Running, 'request'> {
  return { request: (method, path) => running.request(method, path).catch(() => running.request(method, path)) }
}
