import assert from 'node:assert/strict'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Device } from './device-pair.ts'
import type { HostilePeer } from './hostile-peer.ts'
import { eventually } from './scratch.ts'

const MIB = 1024 * 1024
/** Far above what an idle device takes. */
const RESIDENT_BASE_BYTES = 400 * MIB
const RESIDENT_PER_BYTE = 8
/** The log, and the journal of the index, which is emptied now and then. */
const DISK_BASE_BYTES = 64 * MIB
const DISK_PER_BYTE = 8
const SECTOR_BYTES = 512
/** Processor time of one turn of the event loop, garbage collection included. */
const TURN_MS_MAX = 500
const LONG_TURNS = join(import.meta.dirname, 'long-turns.mjs')
const TURNS_FILE = 'long-turns'

/** A device that records long turns of its event loop. */
export function startWatched(directory: string, name: string): Promise<Device> {
  const file = join(directory, `${name}-home`, TURNS_FILE)
  return Device.start(directory, name, { nodeArgs: ['--import', LONG_TURNS], env: { TWINFOLD_TURNS: file } })
}

/**
 * Whatever a peer sends: the memory of the device, its home and its folder stay within a bound computed from the bytes
 * that it has sent, and no turn of its event loop takes long. To be checked while the device runs.
 */
export class ResourceLaw {
  readonly #device: Device
  readonly #peer: HostilePeer
  readonly #diskBytesBefore: number
  readonly #sinceMs = Date.now()

  /** Counts from now on. */
  constructor(device: Device, peer: HostilePeer) {
    this.#device = device
    this.#peer = peer
    this.#diskBytesBefore = this.#diskBytes()
  }

  check(): void {
    const { sentBytes } = this.#peer
    const residentBytes = this.#device.peakRssMib() * MIB
    const residentMax = RESIDENT_BASE_BYTES + RESIDENT_PER_BYTE * sentBytes
    assert.ok(residentBytes <= residentMax, `${residentBytes} bytes resident after ${sentBytes} were sent`)
    const addedBytes = this.#diskBytes() - this.#diskBytesBefore
    const addedMax = DISK_BASE_BYTES + DISK_PER_BYTE * sentBytes
    assert.ok(addedBytes <= addedMax, `${addedBytes} bytes added to the disk after ${sentBytes} were sent`)
    const turnMs = this.#longestTurnMs()
    assert.ok(turnMs <= TURN_MS_MAX, `a turn of the event loop took ${turnMs} ms of processor time`)
  }

  /** The processor time of the longest turn that was recorded, in milliseconds. */
  #longestTurnMs(): number {
    const lines = readLines(join(this.#device.home, TURNS_FILE)).map((line) => line.split(' ').map(Number))
    return Math.max(0, ...lines.filter(([atMs = 0]) => atMs > this.#sinceMs).map(([, tookMs = 0]) => tookMs))
  }

  #diskBytes(): number {
    return allocatedBytes(this.#device.home) + allocatedBytes(this.#device.root)
  }
}

/** What traffic may leave behind, however much there was. */
const KEPT_MIB_MAX = 50
/** An idle device collects its garbage once a minute. */
const COLLECTED_MS_MAX = 180_000

/**
 * Traffic of any amount leaves no memory behind once the device is idle. The resident memory is measured, because what
 * a native library keeps is not in the heap.
 */
export class ResidentLaw {
  readonly #device: Device
  readonly beforeMib: number

  /** Compares with now. */
  constructor(device: Device) {
    this.#device = device
    this.beforeMib = device.rssMib()
  }

  /** What is kept, in MiB; fails if it stays too much. */
  async check(): Promise<number> {
    const { keptMib } = await eventually(
      `at most ${KEPT_MIB_MAX} MiB more than ${this.beforeMib} MiB`,
      () => {
        const more = this.#device.rssMib() - this.beforeMib
        if (more > KEPT_MIB_MAX) throw new Error(`${more} MiB are kept`)
        return { keptMib: more }
      },
      COLLECTED_MS_MAX,
    )
    return keptMib
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n')
  } catch {
    return [] // no turn was long
  }
}

/** As allocated, so that holes in files do not count. */
function allocatedBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 0 // removed meanwhile
  const own = stat.blocks * SECTOR_BYTES
  if (!stat.isDirectory()) return own
  return readdirSync(path, { encoding: 'buffer' }).reduce(
    (sum, name) => sum + allocatedBytes(join(path, name.toString())),
    own,
  )
}
