import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { checkReply } from '../support/reply-check.ts'
import { rest, type Reply } from '../support/rest.ts'
import { apiKeyOf, generateSyncthingHome, quietConfig, startSyncthing, type Syncthing } from '../support/syncthing.ts'

/** One of the two, seen through its REST interface only. */
export interface Side {
  readonly name: 'twinfold' | 'syncthing'
  readonly home: string
  request(method: string, path: string, body?: unknown, apiKey?: string): Promise<Reply>
}

/** A Twinfold and a real Syncthing, each with a home of its own and no connection to the other. */
export class Pair implements AsyncDisposable {
  readonly #daemon: Daemon
  readonly #syncthing: Syncthing
  readonly twinfold: Side
  readonly syncthing: Side

  private constructor(daemon: Daemon, syncthing: Syncthing) {
    this.#daemon = daemon
    this.#syncthing = syncthing
    this.twinfold = side('twinfold', daemon.home, { url: daemon.url })
    this.syncthing = side('syncthing', syncthing.home, syncthing.address)
  }

  static async start(scratch: string): Promise<Pair> {
    const homes = { twinfold: join(scratch, 'twinfold'), syncthing: join(scratch, 'syncthing') }
    for (const home of Object.values(homes)) mkdirSync(home, { mode: 0o700 })
    generateSyncthingHome(homes.syncthing)
    quietConfig(homes.syncthing)
    const syncthing = await startSyncthing({ home: homes.syncthing })
    try {
      return new Pair(await startDaemon({ home: homes.twinfold }), syncthing)
    } catch (error) {
      await syncthing.stop()
      throw error
    }
  }

  get both(): readonly [Side, Side] {
    return [this.twinfold, this.syncthing]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#daemon[Symbol.asyncDispose](), this.#syncthing.stop()])
  }
}

function side(name: Side['name'], home: string, address: { url: string } | { socketPath: string }): Side {
  const apiKey = apiKeyOf(home)
  return {
    name,
    home,
    async request(method, path, body, key = apiKey) {
      const reply = await rest({ address, apiKey: key }, method, path, body)
      if (name === 'twinfold') await checkReply(method, path, reply)
      return reply
    },
  }
}

/** A request that must succeed. Returns the JSON, if the answer is any. */
export async function must(side: Side, method: string, path: string, body?: unknown): Promise<unknown> {
  const reply = await side.request(method, path, body)
  if (reply.status !== 200) throw new Error(`${side.name}: ${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.contentType.includes('json') && reply.text !== '' ? JSON.parse(reply.text) : reply.text
}

export async function addFolder(side: Side, path: string): Promise<void> {
  await must(side, 'POST', '/rest/config/folders', { id: 'share', path, fsWatcherEnabled: false, rescanIntervalS: 0 })
  await must(side, 'POST', '/rest/db/scan?folder=share')
}

/** A field of what is hoped to be an object. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
