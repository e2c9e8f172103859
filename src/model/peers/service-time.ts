/** A small request takes a round trip, however small it is. */
const REQUEST_BYTES_MIN = 128 * 1_024
/** Of a device without measurements: optimistic, so that it is measured. */
const UNKNOWN_MS_PER_BYTE = 1_000 / (100 * 1_024 * 1_024)
/** Part of the newest measurement in the mean. */
const NEWEST_PART = 0.2
/** A measurement counts half after this time, so that a device that was slow once is measured again. */
const HALF_LIFE_MS = 10_000

/** A request that is under way. */
export interface OpenRequest {
  readonly sinceMs: number
  readonly sizeBytes: number
  /** Of all requests that were under way then, and of this one. */
  readonly openBytes: number
}

/** How long a device takes to serve a request, by its requests under way and the rate of those it has served. */
export class ServiceTime {
  #openBytes = 0
  /** Oldest first. */
  readonly #open = new Set<OpenRequest>()
  #msPerByte = UNKNOWN_MS_PER_BYTE
  #measuredMs = 0

  opened(requestedBytes: number, nowMs: number): OpenRequest {
    const sizeBytes = Math.max(requestedBytes, REQUEST_BYTES_MIN)
    this.#openBytes += sizeBytes
    const request = { sinceMs: nowMs, sizeBytes, openBytes: this.#openBytes }
    this.#open.add(request)
    return request
  }

  /** A refusal or an abort says nothing about the rate. */
  failed(request: OpenRequest): void {
    this.#openBytes -= request.sizeBytes
    this.#open.delete(request)
  }

  served(request: OpenRequest, nowMs: number): void {
    this.#openBytes -= request.sizeBytes
    this.#open.delete(request)
    const measured = (nowMs - request.sinceMs) / request.openBytes
    this.#msPerByte = this.#msPerByteAt(nowMs) * (1 - NEWEST_PART) + measured * NEWEST_PART
    this.#measuredMs = nowMs
  }

  /** Of one more request; a device that does not reply has taken this long already. */
  expectedMs(nowMs: number): number {
    const [oldest] = this.#open
    const openMs = oldest === undefined ? 0 : nowMs - oldest.sinceMs
    return Math.max(openMs, this.#msPerByteAt(nowMs) * (this.#openBytes + REQUEST_BYTES_MIN))
  }

  #msPerByteAt(nowMs: number): number {
    const old = 0.5 ** ((nowMs - this.#measuredMs) / HALF_LIFE_MS)
    return UNKNOWN_MS_PER_BYTE + (this.#msPerByte - UNKNOWN_MS_PER_BYTE) * old
  }
}
