import { basename, extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { messageOf, systemCode, TwinfoldError } from '../../../core/errors.ts'
import type { PasswordHasher } from '../../passwords.ts'
import type { PasswordReport, PasswordTask } from './password-worker.ts'

/** Idle timeout: the thread takes 7 MB; a second login within this time reuses it. */
const IDLE_MS = 2_000
/** Seven seconds of work at the usual cost. */
const TASKS_MAX = 64
/** Of one task. The highest cost takes 2 s, and some machines are ten times slower. */
const TASK_MS_MAX = 60_000
/** What bcrypt needs is small: a table of 4 KiB and short texts. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }

/** The worker file has the same extension as this one, from source and compiled. */
const ENTRY = new URL(`./password-worker${extname(import.meta.url)}`, import.meta.url)

type NewTask = PasswordTask extends infer Each ? (Each extends PasswordTask ? Omit<Each, 'id'> : never) : never

interface Waiting {
  readonly resolve: (result: string | boolean) => void
  readonly reject: (reason: TwinfoldError) => void
}

export interface PasswordThreadOptions {
  /** The worker file, for tests of failing threads. */
  readonly entry?: URL
  readonly taskMsMax?: number
  /** Called when a thread has ended. */
  readonly onEnded?: () => void
}

/** One thread for passwords, one task after the other: started by the first task, ended soon after the last. */
export class PasswordThread implements PasswordHasher, AsyncDisposable {
  readonly #entry: URL
  readonly #taskMsMax: number
  readonly #onEnded: () => void
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #ending: Promise<unknown> = Promise.resolve()
  #nextId = 1
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor({ entry = ENTRY, taskMsMax = TASK_MS_MAX, onEnded = () => {} }: PasswordThreadOptions = {}) {
    this.#entry = entry
    this.#taskMsMax = taskMsMax
    this.#onEnded = onEnded
  }

  /** Whether the thread runs. */
  get isStarted(): boolean {
    return this.#worker !== undefined
  }

  async hash(password: string, salt: Uint8Array): Promise<string> {
    const result = await this.#run({ kind: 'hash', password, salt })
    if (typeof result !== 'string') throw unavailable('the password thread returned a wrong result')
    return result
  }

  async verify(password: string, hash: string): Promise<boolean> {
    const result = await this.#run({ kind: 'verify', password, hash })
    if (typeof result !== 'boolean') throw unavailable('the password thread returned a wrong result')
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#end(unavailable('Twinfold is stopping'))
    await this.#ending
  }

  #run(task: NewTask): Promise<string | boolean> {
    if (this.#closed) throw unavailable('Twinfold is stopping')
    if (this.#waiting.size >= TASKS_MAX) throw unavailable('too many passwords are waiting; try again in some seconds')
    const { promise, resolve, reject } = Promise.withResolvers<string | boolean>()
    const id = this.#nextId++
    const worker = (this.#worker ??= this.#start())
    this.#waiting.set(id, { resolve, reject })
    worker.ref()
    worker.postMessage({ ...task, id } satisfies PasswordTask, [])
    if (this.#waiting.size === 1) this.#watch()
    return promise
  }

  #start(): Worker {
    try {
      const { Worker: NodeWorker } = process.getBuiltinModule('node:worker_threads') // not at the start
      const worker = new NodeWorker(this.#entry, { name: 'passwords', resourceLimits: RESOURCE_LIMITS })
      worker.on('message', (report: PasswordReport) => this.#take(report))
      worker.on('error', (error) => this.#lose(worker, error))
      worker.on('exit', () => this.#lose(worker, new Error('it ended')))
      worker.once('exit', this.#onEnded)
      return worker
    } catch (error) {
      throw failed(error)
    }
  }

  #take({ id, result }: PasswordReport): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (result === undefined) waiting?.reject(unavailable('bcrypt failed'))
    else waiting?.resolve(result)
    this.#watch()
  }

  /** Starts the timeout of the next task or of the idle thread. */
  #watch(): void {
    clearTimeout(this.#timer)
    const isIdle = this.#waiting.size === 0
    if (isIdle) this.#worker?.unref()
    const reason = `no result within ${this.#taskMsMax / 1_000} s`
    this.#timer = setTimeout(() => this.#end(unavailable(reason)), isIdle ? IDLE_MS : this.#taskMsMax)
    this.#timer.unref()
  }

  #lose(worker: Worker, error: unknown): void {
    if (this.#worker === worker) this.#end(failed(error))
  }

  /** Rejects all pending tasks. The next task starts a new thread. */
  #end(reason: TwinfoldError): void {
    clearTimeout(this.#timer)
    const worker = this.#worker
    this.#worker = undefined
    if (worker !== undefined) this.#ending = worker.terminate()
    for (const waiting of this.#waiting.values()) waiting.reject(reason)
    this.#waiting.clear()
  }
}

function unavailable(reason: string, cause?: unknown): TwinfoldError {
  const options = cause === undefined ? undefined : { cause }
  return new TwinfoldError('password-unavailable', `passwords cannot be checked or set: ${reason}`, options)
}

/**
 * The message contains no paths: anyone who tries to log in may read it. The cause is for the log, and only if it is a
 * system error: other texts may contain a password.
 */
function failed(error: unknown): TwinfoldError {
  // Of a missing module Node gives only texts.
  const [, kind, path = ''] = /^Cannot find (package|module) '([^']+)'/.exec(messageOf(error)) ?? []
  const missing = kind === undefined ? undefined : `the ${kind} ${basename(path)} is missing; reinstall Twinfold`
  const code = systemCode(error)
  const name = error instanceof Error ? error.name : 'no reason given'
  const reason = missing ?? `the thread for passwords failed (${code ?? name}); restart Twinfold`
  return unavailable(reason, code === undefined ? undefined : error)
}
