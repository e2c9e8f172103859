import assert from 'node:assert/strict'
import type { Config, FolderConfig } from '../../../src/core/config/config.ts'
import type { HistoryEntry } from '../../../src/core/history/entry.ts'
import type { IndexStore } from '../../../src/db/types.ts'
import { Rewinder } from '../../../src/model/rewind/rewinder.ts'
import type { RewindPreview, RewindRequest, RewindStatus } from '../../../src/model/rewind/types.ts'
import { NO_SOURCES, type Sources } from '../../../src/model/state/sources.ts'
import type { CrashKeep } from '../../../src/platform/sim/disk.ts'
import { createSimPlatform, type SimPlatform } from '../../../src/platform/sim/platform.ts'
import { DOCS, NEVER, settle, simConfig, simFolder, SimHub } from '../../support/model.ts'

export const ROOT = '/data/docs'

/** What survives a power loss of a simulated device. */
export interface SimMachine {
  readonly platform: SimPlatform
  readonly config: Config
  /** The index, which survives too: its own crashes have other tests. */
  store?: IndexStore
}

export function newMachine(seed: number, folder: Partial<FolderConfig> = {}): SimMachine {
  return { platform: createSimPlatform(seed), config: simConfig([simFolder('docs', folder)]) }
}

/** A model with a rewinder on a simulated machine. */
export class SimRewind implements AsyncDisposable {
  readonly hub: SimHub
  readonly rewinder: Rewinder
  readonly machine: SimMachine
  readonly #stop = new AbortController()
  #done: Promise<void> | undefined

  private constructor(machine: SimMachine, hub: SimHub, sources: Sources) {
    this.machine = machine
    this.hub = hub
    this.rewinder = new Rewinder(
      {
        platform: machine.platform,
        store: hub.store,
        folders: hub.model,
        sources,
        log: hub.log.logger('model'),
        config: {
          get current() {
            return hub.config
          },
        },
      },
      { journalFile: '/home/me/rewinds.json', userHome: '/home/me' },
    )
  }

  static async start(machine: SimMachine, sources: Sources = NO_SOURCES): Promise<SimRewind> {
    const wrap = (store: IndexStore) => (machine.store ??= store)
    const hub = await SimHub.open(machine.config, { platform: machine.platform, wrap, sources })
    const sim = new SimRewind(machine, hub, sources)
    await hub.while(sim.rewinder.load())
    hub.run()
    sim.#done = sim.rewinder.run(sim.#stop.signal)
    await settle()
    return sim
  }

  get disk() {
    return this.machine.platform.disk
  }

  /** Puts files, or removes those whose content is undefined, and scans. */
  async change(files: Readonly<Record<string, string | undefined>>): Promise<void> {
    await this.hub.pass(2_000)
    for (const [name, content] of Object.entries(files)) {
      if (content === undefined) await this.disk.removeFile(`${ROOT}/${name}`)
      else this.disk.put(`${ROOT}/${name}`, content)
    }
    await this.scan()
  }

  async scan(): Promise<void> {
    await this.hub.while(this.hub.model.scan(DOCS))
  }

  /** A moment after everything so far and before everything later. */
  async now(): Promise<number> {
    await this.hub.pass(1_000)
    const nowMs = this.machine.platform.clock.nowMs()
    await this.hub.pass(1_000)
    return nowMs
  }

  #request(momentMs: number, more: Partial<RewindRequest>): RewindRequest {
    return { folder: DOCS, path: '', momentMs, mode: 'in-place', ...more }
  }

  async preview(momentMs: number, more: Partial<RewindRequest> = {}): Promise<RewindPreview> {
    return await this.hub.while(this.rewinder.preview(this.#request(momentMs, more), NEVER))
  }

  async begin(momentMs: number, more: Partial<RewindRequest> = {}): Promise<RewindStatus> {
    return await this.hub.while(this.rewinder.start(this.#request(momentMs, more), NEVER))
  }

  /** To its end. */
  async rewind(momentMs: number, more: Partial<RewindRequest> = {}): Promise<RewindStatus> {
    await this.begin(momentMs, more)
    return await this.ended()
  }

  status(): RewindStatus | undefined {
    return this.rewinder.status(DOCS)
  }

  async ended(): Promise<RewindStatus> {
    for (let turn = 0; turn < 20_000; turn++) {
      const status = this.status()
      assert.ok(status !== undefined)
      if (status.state !== 'running') return status
      await this.hub.pass(turn % 20 === 19 ? 100 : 0)
    }
    throw new Error(`the rewind runs still: ${this.status()?.error}`)
  }

  /** Files of the folder with their contents, without old versions and the marker. */
  async files(root = ROOT): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {}
    const below = async (directory: string, prefix: string): Promise<void> => {
      for (const { name } of await this.disk.list(directory)) {
        if (prefix === '' && root === ROOT && name.startsWith('.st')) continue
        const { type } = await this.disk.lstat(`${directory}/${name}`)
        if (type === 'directory') await below(`${directory}/${name}`, `${prefix}${name}/`)
        else if (type === 'symlink') found[prefix + name] = `-> ${await this.disk.readSymlink(`${directory}/${name}`)}`
        else found[prefix + name] = await this.read(`${directory}/${name}`)
      }
    }
    await below(root, '')
    return found
  }

  async read(path: string): Promise<string> {
    await using file = await this.disk.open(path, 'read')
    const data = Buffer.alloc((await file.stat()).sizeBytes)
    await file.read(data, 0)
    return data.toString()
  }

  async history(): Promise<readonly HistoryEntry[]> {
    return (await (await this.hub.store.folder(DOCS)).history.after(0)).entries
  }

  /** The power goes off; the next start finds what a disk could have kept. */
  async crash(keep: CrashKeep): Promise<void> {
    this.disk.faults.powerOffAt(0)
    await this.stop()
    this.disk.crash(keep)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    if (this.#done !== undefined) await this.hub.while(this.#done)
    await this.hub.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.hub[Symbol.asyncDispose]()
  }
}
