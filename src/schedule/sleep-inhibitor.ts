import type { ExtensionStore } from '../config/types.ts'
import type { Event, EventType } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { System } from '../platform/platform.ts'
import { PRIVATE_VARIABLES, type ProgramEnd, type Programs } from '../platform/programs.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { SleepState } from './types.ts'

export interface SleepInhibitorDeps {
  readonly clock: Clock
  readonly programs: Programs
  readonly system: Pick<System, 'platform' | 'processId'>
  readonly extensions: ExtensionStore
  readonly events: {
    listen(types: ReadonlySet<EventType>, onEvent: (event: Event) => void, signal: AbortSignal): void
  }
  /** Bytes received and sent over all connections so far. */
  transferredBytes(): number
  report(line: string, kind: 'info' | 'problem'): void
}

/** How often it is checked whether bytes still move, while they do. */
const CHECK_MS = 30_000
/** What connections exchange in that time only to stay open is less. */
const MOVED_BYTES_MIN = 128 * 1_024
/** A program that ends earlier could not do its work. */
const HELD_MS_MAX = 24 * 3_600_000

/** Folders that pull, and devices that lack something of ours. */
const TRANSFER_EVENTS: readonly EventType[] = ['FolderCompletion', 'StateChanged']

/**
 * Keeps the machine awake while something is transferred, if that is switched on. Only systemd can be asked: the lock
 * is held by a program that ends with this process, even if it is killed.
 */
export class SleepInhibitor {
  readonly name = 'sleep inhibitor'
  readonly #deps: SleepInhibitorDeps
  readonly #woken = new Wakeup()
  #state: SleepState = { kind: 'off' }
  #hasTransfer = false

  constructor(deps: SleepInhibitorDeps) {
    this.#deps = deps
    deps.extensions.subscribe((from, to) => {
      if (from.inhibitSleep !== to.inhibitSleep) this.#woken.ring()
    })
  }

  get state(): SleepState {
    return this.#isOn && this.#state.kind === 'off' ? { kind: 'idle' } : this.#state
  }

  get #isOn(): boolean {
    return this.#deps.extensions.current.inhibitSleep
  }

  async run(signal: AbortSignal): Promise<void> {
    const { events } = this.#deps
    const onEvent = (event: Event): void => {
      if (!this.#isOn || !isTransfer(event)) return
      this.#hasTransfer = true
      this.#woken.ring()
    }
    events.listen(new Set(TRANSFER_EVENTS), onEvent, signal)
    while (!signal.aborted) {
      await this.#woken.wait(signal)
      if (this.#isOn && this.#hasTransfer) await this.#holdWhileTransferring(signal)
      this.#hasTransfer = false
      this.#state = { kind: this.#isOn ? 'idle' : 'off' }
    }
  }

  async #holdWhileTransferring(signal: AbortSignal): Promise<void> {
    const { clock, transferredBytes } = this.#deps
    const over = new AbortController()
    const held = this.#hold(AbortSignal.any([signal, over.signal]))
    try {
      for (let isMoving = true; isMoving && this.#isOn;) {
        const before = transferredBytes()
        const failure = await Promise.race([held, clock.sleep(CHECK_MS, signal)])
        if (failure !== undefined) return await this.#fail(failure, signal)
        isMoving = transferredBytes() - before >= MOVED_BYTES_MIN
      }
    } finally {
      over.abort()
      await held
    }
  }

  /** Resolves with why the machine may sleep nevertheless; never while it may not. */
  async #hold(signal: AbortSignal): Promise<string | undefined> {
    const { programs, system } = this.#deps
    if (system.platform !== 'linux') return 'only systems with systemd can be kept awake'
    const held = ['--what=sleep', '--mode=block', '--who=Twinfold', '--why=Files are being synchronized']
    // Ends with this process, so that the lock of a killed one is not left behind.
    const args = [...held, 'tail', `--pid=${system.processId}`, '-f', '/dev/null']
    const run = { program: 'systemd-inhibit', args, environment: {}, hidden: PRIVATE_VARIABLES }
    this.#state = { kind: 'held' }
    const end = await programs.run({ ...run, timeLimitMs: HELD_MS_MAX }, signal)
    return signal.aborted ? undefined : reasonOf(end)
  }

  async #fail(reason: string, signal: AbortSignal): Promise<void> {
    this.#deps.report(`the machine may sleep during transfers: ${reason}`, 'problem')
    this.#state = { kind: 'failed', reason }
    // Not again at each event: until it is switched off, or this process starts again.
    while (this.#isOn && !signal.aborted) await this.#woken.wait(signal)
  }
}

function isTransfer({ type, data }: Event): boolean {
  if (type === 'StateChanged') return data.to === 'syncing'
  return type === 'FolderCompletion' && data.needBytes > 0
}

function reasonOf(end: ProgramEnd): string {
  if (end.kind === 'exited')
    return end.output.trim() === '' ? `systemd-inhibit ended with ${end.code}` : end.output.trim()
  return end.kind === 'killed' ? end.reason : `systemd-inhibit cannot be started (${end.reason})`
}
