import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Chance } from '../interop/random-changes.ts'
import { eventually } from '../support/scratch.ts'
import { FOLDER, scanAll, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { isTemporaryPath, temporaries, type Difference } from '../support/tree-compare.ts'
import { hiddenAtSyncthing, isKeptDeletion, lossesAmong, onlyAtSyncthing, tornFiles } from './checks.ts'
import { Cluster } from './cluster.ts'
import { Faults } from './faults.ts'
import { Ledger } from './ledger.ts'
import { Repository, repositoryFault } from './repository.ts'
import { User } from './user.ts'

const IN_SYNC_MS_MAX = 180_000
const REPLY_MS_MAX = 60_000
const FAULTS_AT_ONCE = 2

export interface ChaosOptions {
  readonly directory: string
  readonly seed: number
  /** How long changes and faults of a round take. */
  readonly activityMs: number
  /** How long rounds are begun, from the moment at which all are connected. */
  readonly durationMs: number
  readonly stop: AbortSignal
  print(line: string): void
}

export interface ChaosResult {
  readonly rounds: number
  readonly written: number
  readonly replaced: number
  readonly commits: number
  readonly actions: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  readonly lostAtSyncthing: number
  /** Written at the real Syncthing, and not announced by it: hidden by a change of metadata, or recorded as deleted. */
  readonly hiddenAtSyncthing: number
  readonly versionsOnly: number
  readonly slowestReplyMs: number
  readonly slowestRoundMs: number
  /** Each breaks a promise: a loss, a torn file, unequal trees, a leftover, a REST interface without a reply. */
  readonly violations: readonly string[]
}

/** Rounds of changes and faults on real processes. After each round everything is put right and checked. */
class Chaos {
  readonly #options: ChaosOptions
  readonly #cluster: Cluster
  readonly #chance: Chance
  readonly #ledger = new Ledger()
  readonly #user: User
  readonly #faults: Faults
  readonly #repository: Repository
  readonly #violations: string[] = []
  #rounds = 0
  #lostAtSyncthing = 0
  #hiddenAtSyncthing = 0
  #versionsOnly = 0
  #slowestReplyMs = 0
  #slowestRoundMs = 0

  constructor(options: ChaosOptions, cluster: Cluster) {
    this.#options = options
    this.#cluster = cluster
    this.#chance = new Chance(options.seed)
    this.#user = new User(this.#ledger, this.#chance)
    this.#repository = new Repository(cluster.members[0]!.root, new Chance(options.seed + 1))
    this.#faults = new Faults(cluster, new Chance(options.seed + 2), {
      violation: (text) => this.#violation(text),
      onKilled: (member) => this.#checkTorn(member),
    })
  }

  async run(): Promise<ChaosResult> {
    try {
      await untilInSync(this.#cluster.members, { limitMs: IN_SYNC_MS_MAX, rescan: this.#cluster.members })
      const endMs = performance.now() + this.#options.durationMs
      do await this.#round()
      while (performance.now() < endMs && !this.#options.stop.aborted && this.#violations.length === 0)
      if (this.#violations.length === 0) await this.#checkLeftovers()
    } catch (error) {
      this.#violation(error instanceof Error ? error.message : String(error))
    }
    return this.#result()
  }

  #result(): ChaosResult {
    return {
      rounds: this.#rounds,
      written: this.#ledger.written,
      replaced: this.#ledger.replaced,
      commits: this.#repository.commits,
      actions: this.#user.done,
      faults: this.#faults.done,
      lostAtSyncthing: this.#lostAtSyncthing,
      hiddenAtSyncthing: this.#hiddenAtSyncthing,
      versionsOnly: this.#versionsOnly,
      slowestReplyMs: Math.round(this.#slowestReplyMs),
      slowestRoundMs: Math.round(this.#slowestRoundMs),
      violations: this.#violations,
    }
  }

  #violation(text: string): void {
    this.#violations.push(`round ${this.#rounds}: ${text}`)
    this.#options.print(`VIOLATION in round ${this.#rounds} of seed ${this.#options.seed}: ${text}`)
  }

  async #round(): Promise<void> {
    this.#rounds++
    this.#user.round = this.#rounds
    const startedMs = performance.now()
    const endMs = startedMs + this.#options.activityMs
    // All of them end, also if one fails: a member that a fault restarts later would never be stopped.
    const ends = await Promise.allSettled([
      this.#changes(endMs),
      this.#git(endMs),
      this.#replies(endMs),
      ...Array.from({ length: FAULTS_AT_ONCE }, () => this.#trouble(endMs)),
    ])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    await this.#scan()
    const inSyncMs = await untilInSync(this.#cluster.members, {
      limitMs: IN_SYNC_MS_MAX,
      rescan: this.#cluster.members,
      except: isTemporaryPath, // kept for the next pull
      onDifference: (different) => this.#showHidden(different),
    })
    this.#check()
    this.#slowestRoundMs = Math.max(this.#slowestRoundMs, performance.now() - startedMs)
    this.#options.print(
      `round ${this.#rounds}: ${this.#ledger.written} contents written, equal after ${Math.round(inSyncMs)} ms`,
    )
  }

  /** A new time makes Syncthing notice what it has hidden from itself, and announce what it keeps as deleted. */
  async #showHidden(different: readonly Difference[]): Promise<void> {
    const { members } = this.#cluster
    const syncthing = members.find(({ kind }) => kind === 'syncthing')
    if (syncthing === undefined) return
    const kept = onlyAtSyncthing(members, different)
    const views = await Promise.all(
      kept.map((path) => syncthing.get(`/rest/db/file?folder=${FOLDER}&file=${encodeURIComponent(path)}`)),
    )
    const paths = [...hiddenAtSyncthing(members, different), ...kept.filter((_, index) => isKeptDeletion(views[index]))]
    for (const path of paths) utimesSync(join(syncthing.root, path), new Date(), new Date())
    this.#hiddenAtSyncthing += paths.length
  }

  /** A connection that is kept for requests may lead to a process that was killed: then another one is used. */
  async #scan(): Promise<void> {
    await eventually('scans', async () => {
      await scanAll(this.#cluster.members)
      return true
    })
  }

  async #changes(endMs: number): Promise<void> {
    while (performance.now() < endMs) {
      this.#user.act(this.#chance.pick(this.#cluster.members))
      await sleep(this.#chance.below(40))
    }
  }

  async #git(endMs: number): Promise<void> {
    while (performance.now() < endMs) {
      await this.#repository.work()
      await sleep(300)
    }
  }

  async #trouble(endMs: number): Promise<void> {
    while (performance.now() < endMs) {
      await sleep(100)
      await this.#faults.inject()
    }
  }

  /** A member without a fault must reply. A fault that begins during the request excuses it. */
  async #replies(endMs: number): Promise<void> {
    while (performance.now() < endMs) {
      for (const member of this.#cluster.twinfolds) await this.#checkReply(member)
      await sleep(100)
    }
  }

  async #checkReply(member: Member): Promise<void> {
    if (!this.#faults.isFree(member)) return
    const askedMs = performance.now()
    const faultsBefore = this.#faults.begunFor(member)
    // Asked again where a kept connection leads to a process that was killed.
    const asking = eventually('a reply', async () => (await member.get('/rest/system/ping')) !== undefined || undefined)
    const reply = await Promise.race([
      asking.then(() => 'replied', String),
      sleep(REPLY_MS_MAX, 'no reply', { ref: false }),
    ])
    if (this.#faults.begunFor(member) !== faultsBefore) return
    if (reply === 'replied') this.#slowestReplyMs = Math.max(this.#slowestReplyMs, performance.now() - askedMs)
    else this.#violation(`${member.name} does not reply: ${reply}`)
  }

  #check(): void {
    for (const member of this.#cluster.members) this.#checkTorn(member)
    const { lost, lostAtSyncthing, versionsOnly } = lossesAmong(this.#cluster.members, this.#ledger)
    for (const text of lost) this.#violation(text)
    this.#lostAtSyncthing += lostAtSyncthing
    this.#versionsOnly += versionsOnly
    if (this.#repository.commits === 0) return
    for (const { name, root } of this.#cluster.members) {
      const fault = repositoryFault(root, this.#options.directory)
      if (fault !== undefined) this.#violation(`the repository at ${name}: ${fault}`)
    }
  }

  #checkTorn(member: Member): void {
    for (const text of tornFiles(member, this.#ledger)) this.#violation(text)
  }

  /** Temporary files are kept for a day, for the next pull; at once where the setting is 0. */
  async #checkLeftovers(): Promise<void> {
    await eventually('no temporary files', async () => {
      for (const member of this.#cluster.members)
        await member.request('PATCH', '/rest/config/options', { keepTemporariesH: 0 })
      await scanAll(this.#cluster.members)
      const left = this.#cluster.twinfolds.flatMap(({ name, root }) =>
        temporaries(root).map((path) => `${name}: ${path}`),
      )
      if (left.length > 0) throw new Error(left.slice(0, 5).join(', '))
      return true
    })
  }
}

/** A cluster of its own for one seed. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  await using cluster = await Cluster.start(options.directory, options.seed % 2 === 0)
  return await new Chaos(options, cluster).run()
}
