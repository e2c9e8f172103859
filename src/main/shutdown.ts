import { TwinfoldError } from '../core/errors.ts'
import { EXIT, type ExitCode } from './args/options.ts'

/** Ends the daemon on a signal or on a REST request; the first request sets the exit code. */
export class Shutdown {
  readonly #stop = new AbortController()
  readonly signal: AbortSignal
  #code: ExitCode | undefined

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#stop.signal])
  }

  get code(): ExitCode {
    return this.#code ?? EXIT.success
  }

  end(code: ExitCode): void {
    this.#code ??= code
    this.#stop.abort(new TwinfoldError('stopped', 'the daemon is stopping'))
  }
}
