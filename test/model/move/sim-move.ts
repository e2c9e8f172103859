import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Config, FolderConfig } from '../../../src/core/config/config.ts'
import { isEnded, type MoveState } from '../../../src/core/move/journal.ts'
import type { IndexStore } from '../../../src/db/types.ts'
import { Mover } from '../../../src/model/move/mover.ts'
import type { MoveStatus } from '../../../src/model/move/types.ts'
import type { CrashKeep } from '../../../src/platform/sim/disk.ts'
import { createSimPlatform, type SimPlatform } from '../../../src/platform/sim/platform.ts'
import { DOCS, NEVER, settle, simConfig, simFolder, SimHub } from '../../support/model.ts'
import { savePath, withSavedPath } from '../../support/saved-path.ts'

export const OLD = '/data/docs'
export const NEW = '/mnt/docs'

/** What survives a power loss of a simulated device: its disk, and its saved configuration. */
export interface SimMachine {
  readonly platform: SimPlatform
  config: Config
  /** The index, which survives too: its own crashes have other tests. */
  store?: IndexStore
}

export async function newMachine(seed: number, folder: Partial<FolderConfig> = {}): Promise<SimMachine> {
  const platform = createSimPlatform(seed)
  await platform.disk.makeDirectories('/mnt', 0o777)
  await platform.disk.makeDirectories('/home/me/index', 0o700)
  return { platform, config: simConfig([simFolder('docs', folder)]) }
}

/** A model with a mover on a simulated machine; its index is in memory. */
export class SimMove implements AsyncDisposable {
  readonly hub: SimHub
  readonly mover: Mover
  readonly machine: SimMachine
  readonly #stop = new AbortController()
  #done: Promise<void> | undefined
  #listeners: ((from: Config, to: Config) => void)[] = []
  /** Why a change of the configuration is rejected. */
  refusal: Error | undefined

  private constructor(machine: SimMachine, hub: SimHub) {
    this.machine = machine
    this.hub = hub
    this.mover = new Mover(
      {
        platform: machine.platform,
        store: hub.store,
        folders: hub.model,
        log: hub.log.logger('model'),
        config: {
          get current() {
            return machine.config
          },
          change: (make) => this.change(make),
          subscribe: (listener) => void this.#listeners.push(listener),
        },
      },
      { journalFile: '/home/me/moves.json', userHome: '/home/me', homes: ['/home/me/index'] },
    )
  }

  static async start(machine: SimMachine): Promise<SimMove> {
    machine.config = withSavedPath(machine.platform.disk, machine.config)
    const wrap = (store: IndexStore) => (machine.store ??= store)
    const hub = await SimHub.open(machine.config, { platform: machine.platform, wrap })
    const move = new SimMove(machine, hub)
    await hub.while(move.mover.load())
    hub.run()
    move.#done = move.mover.run(move.#stop.signal)
    await settle()
    return move
  }

  get disk() {
    return this.machine.platform.disk
  }

  async change(make: (current: Config) => Config): Promise<Config> {
    if (this.refusal !== undefined) throw this.refusal
    const from = this.machine.config
    const to = make(from)
    await savePath(this.disk, to)
    this.machine.config = to
    await this.hub.model.apply(from, this.machine.config)
    for (const listener of this.#listeners) listener(from, this.machine.config)
    return this.machine.config
  }

  async scan(): Promise<void> {
    await this.hub.while(this.hub.model.scan(DOCS))
  }

  /** The bytes that scans have hashed since the start. */
  get hashedBytes(): number {
    return this.hub.statistics.work.all().get(DOCS)?.hashedBytes ?? 0
  }

  async begin(path = NEW): Promise<MoveStatus> {
    return await this.hub.while(this.mover.start(DOCS, path, NEVER))
  }

  status(): MoveStatus | undefined {
    return this.mover.status(DOCS)
  }

  /** Lets the move go on until it is in this state, or has ended. */
  async until(state: MoveState): Promise<MoveStatus> {
    for (let turn = 0; turn < 20_000; turn++) {
      const status = this.status()
      assert.ok(status !== undefined)
      if (status.state === state || isEnded(status)) return status
      await this.hub.pass(turn % 20 === 19 ? 100 : 0)
    }
    throw new Error(`the move is ${this.status()?.state} still: ${this.status()?.error}`)
  }

  /** The move to its end, and the first scan after it. */
  async finish(): Promise<MoveStatus> {
    const status = await this.until('done')
    for (let turn = 0; turn < 50; turn++) await this.hub.pass(0)
    return status
  }

  async tree(root: string): Promise<readonly string[]> {
    const names: string[] = []
    const below = async (directory: string, prefix: string): Promise<void> => {
      for (const { name } of await this.disk.list(directory)) {
        const path = `${directory}/${name}`
        names.push(prefix + name)
        if ((await this.disk.lstat(path)).type === 'directory') await below(path, `${prefix}${name}/`)
      }
    }
    await below(root, '').catch(() => {})
    return names.sort()
  }

  async read(path: string): Promise<string> {
    await using file = await this.disk.open(path, 'read')
    const data = Buffer.alloc((await file.stat()).sizeBytes)
    await file.read(data, 0)
    return data.toString()
  }

  /** A digest of the records that other devices get: names, versions, blocks, sequences. */
  async announced(): Promise<string> {
    const index = await this.hub.store.folder(DOCS)
    const digest = createHash('sha256')
    for (const record of await index.exchange.localSince(0, { files: 100_000, blocks: 1e9 })) {
      const { diskStamp: _stamp, ...shown } = record
      digest.update(JSON.stringify(shown, (_key, value) => (typeof value === 'bigint' ? `${value}` : value)))
    }
    return digest.digest('hex')
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
