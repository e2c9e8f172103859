import type { FolderId } from '../../core/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import { RateLimiter } from '../../sync/rate-limiter.ts'
import type { Sources } from './sources.ts'

const KIB = 1_024

/** In KiB/s; 0 is unlimited. */
export interface FolderRate {
  readonly sendKbps: number
  readonly receiveKbps: number
}

interface Limiters {
  readonly send: RateLimiter
  readonly receive: RateLimiter
}

/** Limits how fast contents of folders are sent and received, beside the limits of connections. */
export class FolderRates {
  readonly #clock: Clock
  readonly #rateOf: (folder: string) => FolderRate
  /** Only folders that had a limit. */
  readonly #limiters = new Map<string, Limiters>()

  constructor(clock: Clock, rateOf: (folder: string) => FolderRate) {
    this.#clock = clock
    this.#rateOf = rateOf
  }

  /** Rates have changed: those that wait go on with the new ones. */
  update(): void {
    for (const [folder, limiters] of this.#limiters) setRates(limiters, this.#rateOf(folder))
  }

  /** Undefined where there is no limit. Rejects with the reason of the signal when it aborts. */
  pass(folder: string, direction: keyof Limiters, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const rate = this.#rateOf(folder)
    const known = this.#limiters.get(folder)
    if (known === undefined && rate.sendKbps === 0 && rate.receiveKbps === 0) return undefined
    const limiters = known ?? { send: new RateLimiter(this.#clock), receive: new RateLimiter(this.#clock) }
    this.#limiters.set(folder, limiters)
    setRates(limiters, rate)
    return limiters[direction].pass(bytes, signal)
  }

  /** The sources of a folder, whose requests are sent no faster than its limit. */
  limit(folder: FolderId, sources: Sources): Sources {
    return {
      sourcesOf: (id, file, blockNumber) => sources.sourcesOf(id, file, blockNumber),
      onlySource: (id, file, holders) => sources.onlySource(id, file, holders),
      expectHolders: (id) => sources.expectHolders(id),
      hasConnectedDevice: (id) => sources.hasConnectedDevice(id),
      connectedDevices: (id) => sources.connectedDevices(id),
      shareFiles: (id, listener) => sources.shareFiles(id, listener),
      sendDownloadProgress: (...args) => sources.sendDownloadProgress(...args),
      request: (device, request, signal) => {
        const passing = this.pass(folder, 'receive', request.sizeBytes, signal)
        if (passing === undefined) return sources.request(device, request, signal)
        return passing.then(() => sources.request(device, request, signal))
      },
    }
  }
}

function setRates({ send, receive }: Limiters, { sendKbps, receiveKbps }: FolderRate): void {
  send.setRate(sendKbps * KIB)
  receive.setRate(receiveKbps * KIB)
}
