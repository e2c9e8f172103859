import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentsOf, type Device } from '../support/device-pair.ts'
import { statusOf } from '../support/daemon-pair.ts'
import { HostilePeer, type HostileTalk } from '../support/hostile-peer.ts'
import { ResourceLaw, startWatched } from '../support/resource-law.ts'
import { DIRECTORY, fileRecord, response, SYMLINK, type WireRecord } from '../support/wire-frames.ts'
import { eventually } from '../support/scratch.ts'

/** A name as a peer may send it, and what becomes of the connection. */
export interface NameCase {
  readonly why: string
  readonly name: string | Uint8Array
  readonly reaction: 'closed' | 'kept'
}

export const NAMES: readonly NameCase[] = (
  JSON.parse(readFileSync(new URL('../fixtures/names.json', import.meta.url), 'utf8')) as RawName[]
).map(({ why, text = '', hex, times = 1, levels = 1, reaction }) => ({
  why,
  reaction,
  name: hex === undefined ? Array<string>(levels).fill(text.repeat(times)).join('/') : Buffer.from(hex, 'hex'),
}))

/** `times`: the text so often in a row; `levels`: the result so many directories deep. */
interface RawName {
  readonly why: string
  readonly text?: string
  readonly hex?: string
  readonly times?: number
  readonly levels?: number
  readonly reaction: 'closed' | 'kept'
}

export const SECRET = 'what no peer may read or change\n'
export const CONTENT = Buffer.from('from the peer\n')
export const TEMPORARY = /^(\.syncthing\.|~syncthing~)/

/** A device with a folder, a peer it trusts, and beside the folder a file that no peer may read. */
export class Scene implements AsyncDisposable {
  readonly device: Device
  readonly peer: HostilePeer
  readonly directory: string
  readonly canary: string
  readonly #before: ReadonlyMap<string, string>
  readonly #beside: readonly string[]
  readonly #law: ResourceLaw

  private constructor(device: Device, peer: HostilePeer, directory: string) {
    this.device = device
    this.peer = peer
    this.directory = directory
    this.canary = join(directory, 'canary')
    mkdirSync(join(this.canary, 'sub'), { recursive: true })
    writeFileSync(join(this.canary, 'secret'), SECRET)
    writeFileSync(join(this.canary, 'sub', 'deeper'), SECRET)
    mkdirSync(device.root)
    this.#before = contentsOf(this.canary)
    this.#beside = readdirSync(directory).sort()
    this.#law = new ResourceLaw(device, peer)
  }

  static async start(directory: string): Promise<Scene> {
    const device = await startWatched(directory, 'a')
    return new Scene(device, await HostilePeer.make(), directory)
  }

  async share(): Promise<void> {
    await this.peer.introduce(this.device, { docs: this.device.root })
    await this.device.scan()
  }

  async talk(): Promise<HostileTalk> {
    const talk = await this.peer.join(this.device.port, this.device.id)
    talk.serve = ({ id, size, offset }) => response(id, CONTENT.subarray(offset, offset + size))
    await talk.index([])
    return talk
  }

  /** How many things outside the folder are not as they were. */
  changedOutside(): number {
    const now = contentsOf(this.canary)
    const changed = [...new Set([...now.keys(), ...this.#before.keys()])].filter(
      (path) => now.get(path) !== this.#before.get(path),
    )
    const beside = new Set(readdirSync(this.directory)).symmetricDifference(new Set(this.#beside))
    return changed.length + beside.size
  }

  /** Resolves when the device has pulled what it can. */
  async settled(): Promise<void> {
    await eventually('the folder at rest', async () => {
      const status = await statusOf(this.device)
      if (status.state !== 'idle') throw new Error(JSON.stringify(status))
      return true
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#law.check()
    } finally {
      await this.device.stop()
    }
  }
}

/** The four things a name can be, each newer than the one before. */
export function recordsOf(name: string | Uint8Array, target: string): readonly WireRecord[] {
  return [
    fileRecord(name, CONTENT, { counter: 1 }),
    { name, type: DIRECTORY, counter: 2 },
    { name, type: SYMLINK, target, counter: 3 },
    { name, deleted: true, counter: 4 },
  ]
}
