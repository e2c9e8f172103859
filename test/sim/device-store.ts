import { TwinfoldError } from '../../src/core/errors.ts'
import type { ConflictRules } from '../../src/core/records/need.ts'
import { MemoryDatabases } from '../../src/db/sqlite/memory-databases.ts'
import { openStore } from '../../src/db/store.ts'
import type { FolderIndex, IndexStore } from '../../src/db/types.ts'
import { Log } from '../../src/events/log.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Disk } from '../../src/platform/disk.ts'
import type { SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS } from '../support/model.ts'

export interface DeviceStoreDeps {
  readonly disk: Disk
  readonly clock: Clock
  readonly random: SimRandom
  /** Of another program. */
  readonly rules?: ConflictRules | undefined
}

/** The databases of a device. They survive a power loss, as committed; other faults lose, replace or hide them. */
export class DeviceStore {
  readonly #deps: DeviceStoreDeps
  #store: IndexStore | undefined
  #databases = new MemoryDatabases()
  #opened = 0
  /** The index of the folder cannot be read, as with a failing disk below the home. */
  isUnreadable = false

  constructor(deps: DeviceStoreDeps) {
    this.#deps = deps
  }

  async open(): Promise<void> {
    const { clock, disk, random, rules } = this.#deps
    const quiet = new Log({ clock, write: () => {} }, { level: 'ERROR', format: 'text', trace: '' })
    this.#store = await openStore({
      directory: undefined,
      memory: this.#databases,
      disk,
      clock,
      random: random.stream(this.#opened++ === 0 ? 'store' : `store ${this.#opened}`),
      log: quiet.logger('db'),
      rules,
    })
  }

  /** Undefined before it is opened. For checks: it is never unreadable. */
  get store(): IndexStore | undefined {
    return this.#store
  }

  async index(): Promise<FolderIndex> {
    if (this.#store === undefined) throw new Error('prepare the device first')
    return await this.#store.folder(DOCS)
  }

  /** A store for the device itself: its calls fail while the index is unreadable. */
  asUsed(store: IndexStore): IndexStore {
    return this.#failing(store, ['folder'])
  }

  get indexBytes(): number {
    return this.#databases.sizeBytes
  }

  copy(): MemoryDatabases {
    return this.#databases.copy()
  }

  /** Only while the device is off. */
  async replace(databases: MemoryDatabases): Promise<void> {
    await this.close()
    this.#databases = databases
    await this.open()
  }

  /** As a new process does. */
  async reopen(): Promise<void> {
    await this.replace(this.copy())
  }

  async close(): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]()
  }

  /** `only`: the methods that fail; default: all. What they return fails in the same way. */
  #failing<T extends object>(target: T, only?: readonly PropertyKey[]): T {
    const wrapped = new WeakMap<object, object>()
    return new Proxy(target, {
      get: (object, key) => {
        const value: unknown = Reflect.get(object, key, object)
        if (typeof value !== 'function') return value
        if (only !== undefined && !only.includes(key)) return value.bind(object) as unknown
        return async (...args: readonly unknown[]): Promise<unknown> => {
          if (this.isUnreadable) throw new TwinfoldError('database-unavailable', 'cannot use the index: disk I/O error')
          const result: unknown = await Reflect.apply(value, object, args)
          if (only === undefined || typeof result !== 'object' || result === null) return result
          const known = wrapped.get(result) ?? this.#failing(result)
          wrapped.set(result, known)
          return known
        }
      },
    })
  }
}
