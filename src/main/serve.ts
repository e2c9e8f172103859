import type { Clock } from '../platform/clock.ts'
import { EXIT, type ExitCode, type ServeOptions } from './args/options.ts'

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGBREAK'

/** The part of the process that the loop below uses. */
interface ServeProcess {
  onSignal(signal: StopSignal, listener: () => void): Disposable
  /** Ends the process immediately. */
  leave(code: ExitCode): void
  printError(line: string): void
}

export interface ServeDeps {
  readonly clock: Pick<Clock, 'sleep'>
  readonly process: ServeProcess
  /** As of `System`. */
  readonly platform: string
  /** Runs one daemon until it ends or the signal aborts. */
  runDaemon(options: ServeOptions, signal: AbortSignal): Promise<ExitCode>
}

/** Work that has not ended by then is abandoned: a shutdown of the machine must not be delayed. */
const STOP_MS_MAX = 10_000

/**
 * Runs daemons one after the other in this process until one ends without a restart request. An interrupt stops it in
 * order, a second one at once; a hang-up restarts it, except on Windows, which reports a closed console as one and ends
 * the process seconds later. Without `restarts` a restart request ends the process with its code.
 */
export async function serve(deps: ServeDeps, first: ServeOptions, restarts: boolean): Promise<ExitCode> {
  const state = { stopping: false, hangUp: false, stop: new AbortController() }
  const interrupt = () => {
    if (state.stopping) return deps.process.leave(EXIT.error)
    state.stopping = true
    state.stop.abort()
  }
  const hangUp = () => {
    state.hangUp = true
    state.stop.abort()
  }
  using _interrupt = deps.process.onSignal('SIGINT', interrupt)
  using _terminate = deps.process.onSignal('SIGTERM', interrupt)
  using _hangUp = deps.process.onSignal('SIGHUP', deps.platform === 'win32' ? interrupt : hangUp)
  // Ctrl+Break. Other systems have no such signal.
  using _break = deps.process.onSignal('SIGBREAK', interrupt)
  let options = first
  for (;;) {
    const code = await runBounded(deps, options, state.stop.signal)
    if (state.stopping) return code
    const exitCode = state.hangUp && code === EXIT.success ? EXIT.restart : code
    if (!restarts || (exitCode !== EXIT.restart && exitCode !== EXIT.upgrade)) return exitCode
    state.hangUp = false
    state.stop = new AbortController()
    options = afterRestart(options)
  }
}

/** One daemon, which has a limited time to stop after the signal. */
async function runBounded(deps: ServeDeps, options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const ended = new AbortController()
  const limit = () => {
    deps.clock.sleep(STOP_MS_MAX, ended.signal).then(
      () => {
        deps.process.printError(`not everything ended within ${STOP_MS_MAX / 1_000} s; leaving anyway`)
        deps.process.leave(EXIT.error)
      },
      () => {}, // it ended in time
    )
  }
  signal.addEventListener('abort', limit, { once: true })
  try {
    return await deps.runDaemon(options, signal)
  } finally {
    signal.removeEventListener('abort', limit)
    ended.abort()
  }
}

/** Options of the first start are not applied again: a restart must not undo settings changed since. */
function afterRestart(options: ServeOptions): ServeOptions {
  const { applyFile: _, ...rest } = options
  return { ...rest, openBrowser: false, paused: false, unpaused: false }
}
