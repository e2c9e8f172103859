import { hash, timingSafeEqual } from 'node:crypto'
import {
  checkNewGrant,
  grantFields,
  isExpired,
  parseGrants,
  parseLastUses,
  type Grant,
  type NewGrant,
} from '../core/access.ts'
import { messageOf, systemCode, TwinfoldError } from '../core/errors.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import { readJsonFile, writeJsonFile } from '../platform/files/json-file.ts'
import { randomText, type Random } from '../platform/random.ts'
import { Mutex } from '../sync/mutex.ts'
import { TaskSet } from '../sync/task-set.ts'
import type { GrantStore } from './types.ts'

const TEMPORARY_NAME = '.twinfold-keys.tmp'
/** A use is saved with the next one after this time: an unused key causes no write. */
const SAVE_USE_MS = 5 * 60_000
/** At 5.7 bits each, above 256 bits. */
const KEY_LENGTH = 45
/** Of a key from a set-up file. */
const KEY_LENGTH_MAX = 128
const NEVER = Number.NEGATIVE_INFINITY

export interface GrantDeps {
  readonly disk: Disk
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Random
  readonly log: Pick<Logger, 'warn'>
}

/** `twinfold-keys.json`: keys of programs and users of the page beside its owner. The home must be locked. */
export class Grants implements GrantStore {
  readonly #deps: GrantDeps
  readonly #path: string
  readonly #lock = new Mutex()
  readonly #saving = new TaskSet()
  readonly #ends = new WeakMap<Grant, AbortController>()
  #all: readonly Grant[]
  #lastUses: Map<string, number>
  #savedUseMs = NEVER

  /** Throws `config-invalid` for a stored value that cannot be read. */
  constructor(deps: GrantDeps, path: string, stored?: unknown) {
    this.#deps = deps
    this.#path = path
    this.#all = stored === undefined ? [] : parseGrants(stored)
    this.#lastUses = new Map(parseLastUses(stored))
  }

  /** A damaged file is refused and left unchanged: without it revoked and valid keys look the same. */
  static async open(deps: GrantDeps, path: string): Promise<Grants> {
    try {
      return new Grants(deps, path, await readJsonFile(deps.disk, path))
    } catch (error) {
      const message = `${path}: ${messageOf(error)}. Nothing was changed; correct it, or remove it with all its keys`
      throw new TwinfoldError('config-invalid', message, { cause: error })
    }
  }

  get all(): readonly Grant[] {
    return this.#all
  }

  /** All are compared, each in constant time: the duration does not reveal which one is similar. */
  keyOf(text: string): Grant | undefined {
    if (this.#all.length === 0 || text.length > KEY_LENGTH_MAX) return undefined
    const digest = Buffer.from(hashOfKey(text))
    const equal = this.#all.filter(({ kind, secretHash }) => kind === 'key' && isEqual(Buffer.from(secretHash), digest))
    return this.#valid(equal[0])
  }

  userOf(name: string): Grant | undefined {
    return this.#valid(this.#all.find((grant) => grant.kind === 'user' && grant.name === name))
  }

  isValid(grant: Grant): boolean {
    return this.#all.includes(grant) && !isExpired(grant, this.#deps.clock.nowMs())
  }

  ended(grant: Grant): AbortSignal {
    return this.#endOf(grant).signal
  }

  lastUseMs(grant: Grant): number | undefined {
    return this.#lastUses.get(idOf(grant))
  }

  noteUse(grant: Grant): void {
    const nowMs = this.#deps.clock.nowMs()
    this.#lastUses.set(idOf(grant), nowMs)
    if (nowMs - this.#savedUseMs < SAVE_USE_MS) return
    this.#savedUseMs = nowMs
    this.#saving.add(this.#saveUses())
  }

  async addKey(
    wanted: Omit<NewGrant, 'kind'>,
    key = randomText(this.#deps.random, KEY_LENGTH),
  ): Promise<{ readonly grant: Grant; readonly key: string }> {
    return { grant: await this.#add({ ...wanted, kind: 'key' }, hashOfKey(key)), key }
  }

  async addUser(wanted: Omit<NewGrant, 'kind'>, passwordHash: string): Promise<Grant> {
    return await this.#add({ ...wanted, kind: 'user' }, passwordHash)
  }

  async #add(wanted: NewGrant, secretHash: string): Promise<Grant> {
    using _lock = await this.#lock.lock()
    checkNewGrant(this.#all, wanted)
    const grant: Grant = { ...wanted, createdMs: this.#deps.clock.nowMs(), secretHash }
    await this.#replace([...this.#all, grant])
    return grant
  }

  async revoke(kind: Grant['kind'], name: string): Promise<boolean> {
    using _lock = await this.#lock.lock()
    const grant = this.#all.find((each) => each.kind === kind && each.name === name)
    if (grant === undefined) return false
    // Before it is saved: a full disk must not keep a stolen key valid until then.
    this.#all = this.#all.filter((each) => each !== grant)
    this.#lastUses.delete(idOf(grant))
    this.#endOf(grant).abort()
    await this.#replace(this.#all)
    return true
  }

  /** Resolves when the last write has ended. */
  async settled(): Promise<void> {
    await this.#saving.ended()
  }

  #valid(grant: Grant | undefined): Grant | undefined {
    return grant === undefined || isExpired(grant, this.#deps.clock.nowMs()) ? undefined : grant
  }

  #endOf(grant: Grant): AbortController {
    const known = this.#ends.get(grant)
    if (known !== undefined) return known
    const end = new AbortController()
    this.#ends.set(grant, end)
    return end
  }

  async #saveUses(): Promise<void> {
    try {
      using _lock = await this.#lock.lock()
      await this.#write(this.#all)
    } catch (error) {
      this.#deps.log.warn(`The last use of keys could not be saved: ${messageOf(error)}`)
    }
  }

  async #replace(next: readonly Grant[]): Promise<void> {
    try {
      await this.#write(next)
    } catch (error) {
      if (systemCode(error) === undefined) throw error
      throw new TwinfoldError('config-unsaved', `cannot save ${this.#path}: ${messageOf(error)}`, { cause: error })
    }
    this.#all = next
  }

  async #write(grants: readonly Grant[]): Promise<void> {
    await writeJsonFile(this.#deps.disk, this.#path, grantFields(grants, this.#lastUses), TEMPORARY_NAME)
  }
}

export function hashOfKey(text: string): string {
  return hash('sha256', text, 'base64url')
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

function idOf({ kind, name }: Grant): string {
  return `${kind}/${name}`
}
