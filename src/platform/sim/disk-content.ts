/** Decides which unsynced parts survive a power loss; called once for each of them. */
export type SurvivesPowerLoss = () => boolean

const PAGE_BYTES = 4096
/** Unit of an atomic disk write: a page can be torn at its boundary. */
const SECTOR_BYTES = 512
const SECTORS_PER_PAGE = PAGE_BYTES / SECTOR_BYTES

type Pages = Map<number, Uint8Array>

/**
 * The bytes of a file, as visible to programs and as stored durably. Unwritten pages are holes: they read as zeros and
 * take no space.
 */
export class SimContent {
  #pages: Pages = new Map()
  #sizeBytes = 0
  #durablePages: Pages = new Map()
  #durableSizeBytes = 0
  #dirtySectors = new Set<number>()
  /** Every size of the file since the last sync: any of them may survive. */
  #sizesBytes: number[] = []

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  get allocatedBytes(): number {
    return this.#pages.size * PAGE_BYTES
  }

  /** How much of a write fits: each hole that it fills takes a page. */
  fittingBytes(positionBytes: number, lengthBytes: number, roomBytes: number): number {
    const end = positionBytes + lengthBytes
    let at = positionBytes
    for (let left = roomBytes; at < end;) {
      const page = Math.floor(at / PAGE_BYTES)
      if (!this.#pages.has(page)) left -= PAGE_BYTES
      if (left < 0) break
      at = Math.min((page + 1) * PAGE_BYTES, end)
    }
    return at - positionBytes
  }

  read(into: Uint8Array, positionBytes: number): number {
    const lengthBytes = Math.max(0, Math.min(into.length, this.#sizeBytes - positionBytes))
    for (let done = 0; done < lengthBytes;) {
      const at = positionBytes + done
      const start = at % PAGE_BYTES
      const count = Math.min(PAGE_BYTES - start, lengthBytes - done)
      const page = this.#pages.get(Math.floor(at / PAGE_BYTES))
      if (page === undefined) into.fill(0, done, done + count)
      else into.set(page.subarray(start, start + count), done)
      done += count
    }
    return lengthBytes
  }

  write(data: Uint8Array, positionBytes: number): void {
    for (let done = 0; done < data.length;) {
      const at = positionBytes + done
      const start = at % PAGE_BYTES
      const count = Math.min(PAGE_BYTES - start, data.length - done)
      this.#ownPage(Math.floor(at / PAGE_BYTES)).set(data.subarray(done, done + count), start)
      this.#soil(at, count)
      done += count
    }
    if (data.length > 0 && positionBytes + data.length > this.#sizeBytes) this.#resize(positionBytes + data.length)
  }

  truncate(sizeBytes: number): void {
    if (sizeBytes < this.#sizeBytes) {
      for (const page of this.#pages.keys()) {
        const startBytes = page * PAGE_BYTES
        if (startBytes + PAGE_BYTES <= sizeBytes) continue
        const cutBytes = Math.max(0, sizeBytes - startBytes)
        if (cutBytes === 0) this.#pages.delete(page)
        else this.#ownPage(page).fill(0, cutBytes)
        this.#soil(startBytes + cutBytes, PAGE_BYTES - cutBytes)
      }
    }
    this.#resize(sizeBytes)
  }

  sync(): void {
    if (this.#dirtySectors.size === 0 && this.#sizesBytes.length === 0) return // whole trees are synced at once
    this.#durablePages = new Map(this.#pages)
    this.#durableSizeBytes = this.#sizeBytes
    this.#dirtySectors.clear()
    this.#sizesBytes = []
  }

  /** Restores the state after a power loss: synced data, and the unsynced parts that `keep` accepts. */
  crash(keep: SurvivesPowerLoss): void {
    let sizeBytes = this.#durableSizeBytes
    for (const candidate of this.#sizesBytes) if (keep()) sizeBytes = candidate
    const latest = this.#pages
    this.#pages = this.#durablePages
    this.#durablePages = new Map(this.#durablePages)
    for (const sector of this.#dirtySectors) if (keep()) this.#copySector(latest, sector)
    this.#sizeBytes = Number.POSITIVE_INFINITY // so that sectors kept beyond the end are cut off
    this.truncate(sizeBytes)
    this.sync()
  }

  #resize(sizeBytes: number): void {
    if (sizeBytes !== this.#sizeBytes) this.#sizesBytes.push(sizeBytes)
    this.#sizeBytes = sizeBytes
  }

  #soil(positionBytes: number, lengthBytes: number): void {
    const last = Math.floor((positionBytes + lengthBytes - 1) / SECTOR_BYTES)
    for (let sector = Math.floor(positionBytes / SECTOR_BYTES); sector <= last; sector++) this.#dirtySectors.add(sector)
  }

  #copySector(from: Pages, sector: number): void {
    const page = Math.floor(sector / SECTORS_PER_PAGE)
    const start = (sector % SECTORS_PER_PAGE) * SECTOR_BYTES
    const source = from.get(page)?.subarray(start, start + SECTOR_BYTES) ?? new Uint8Array(SECTOR_BYTES)
    this.#ownPage(page).set(source, start)
  }

  /** A writable copy of the page: the durable one must not change. */
  #ownPage(page: number): Uint8Array {
    const present = this.#pages.get(page)
    if (present !== undefined && present !== this.#durablePages.get(page)) return present
    const own = present === undefined ? new Uint8Array(PAGE_BYTES) : present.slice()
    this.#pages.set(page, own)
    return own
  }
}
