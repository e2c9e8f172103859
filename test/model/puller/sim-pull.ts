import { scanScope } from '../../../src/core/paths.ts'
import assert from 'node:assert/strict'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import type { SimDisk, SimDiskOptions } from '../../../src/platform/sim/disk.ts'
import { createSimPlatform } from '../../../src/platform/sim/platform.ts'
import { DOCS, SimHub, simConfig, simFolder } from '../../support/model.ts'
import { SimPeer } from './sim-peer.ts'

export const ROOT = '/data/docs'

export interface Setup {
  readonly folder?: Partial<FolderConfig>
  /** IDs of further folders below /data, whose directories are created by `arrange`. */
  readonly others?: readonly string[]
  /** Settings of the further folders. */
  readonly otherFolder?: Partial<FolderConfig>
  readonly disk?: SimDiskOptions
  readonly seed?: number
  /** The system that the device runs on, as `process.platform`; default: Linux. */
  readonly system?: string
  /** Files that other devices delete stay here. */
  readonly collect?: boolean
  readonly arrange?: (disk: SimDisk) => void | Promise<void>
}

/** A hub with one folder and one other device with files for it. */
export class SimPull implements AsyncDisposable {
  readonly hub: SimHub
  readonly peer: SimPeer
  readonly index: FolderIndex

  private constructor(hub: SimHub, peer: SimPeer, index: FolderIndex) {
    this.hub = hub
    this.peer = peer
    this.index = index
  }

  /** Scanned once, nothing pulled yet. */
  static async start(setup: Setup = {}): Promise<SimPull> {
    const peer = new SimPeer()
    const made = createSimPlatform(setup.seed ?? 1, { ...(setup.disk && { disk: setup.disk }) })
    const platform = { ...made, system: { ...made.system, platform: setup.system ?? made.system.platform } }
    await platform.disk.makeDirectories(`${ROOT}/.stfolder`, 0o755)
    await setup.arrange?.(platform.disk)
    const hub = await SimHub.open(
      simConfig([
        simFolder('docs', setup.folder),
        ...(setup.others ?? []).map((id) => simFolder(id, setup.otherFolder)),
      ]),
      { sources: peer, platform },
    )
    hub.extensions = { ...hub.extensions, collect: setup.collect ?? false }
    hub.run()
    await hub.while(hub.model.scan(DOCS))
    return new SimPull(hub, peer, await hub.store.folder(DOCS))
  }

  get disk(): SimDisk {
    return this.hub.platform.disk
  }

  /** The other device announces its files; resolves when the folder is idle. */
  async sync(): Promise<void> {
    await this.announce()
    await this.rest()
  }

  async announce(): Promise<void> {
    await this.peer.announce(this.index)
    this.hub.pullSoon(DOCS)
  }

  /** Resolves when the folder has been idle for a while, with little simulated time passed. */
  async rest(): Promise<void> {
    for (let quiet = 0, tick = 0; quiet < 25; tick++) {
      assert.ok(tick < 50_000, `the folder does not become idle: ${this.hub.states().slice(-8).join(' ')}`)
      await this.hub.pass(tick % 100 === 99 ? 1 : 0)
      const { state } = await this.hub.model.status(DOCS)
      quiet = state === 'idle' || state === 'error' ? quiet + 1 : 0
    }
  }

  async scan(...subs: string[]): Promise<void> {
    await this.hub.while(this.hub.model.scan(DOCS, scanScope(subs)))
    await this.rest()
  }

  async read(name: string): Promise<string> {
    await using file = await this.disk.open(`${ROOT}/${name}`, 'read')
    const { sizeBytes } = await file.stat()
    const data = Buffer.alloc(sizeBytes)
    for (let done = 0; done < sizeBytes;) done += await file.read(data.subarray(done), done)
    return data.toString('latin1')
  }

  /** Creates a file as a user would. */
  async write(name: string, content: string): Promise<void> {
    await using file = await this.disk.open(`${ROOT}/${name}`, 'create')
    await file.write(Buffer.from(content, 'latin1'), 0)
  }

  /** Everything below the root except the marker: directories end in a slash, symlinks show their target. */
  async tree(directory = ''): Promise<readonly string[]> {
    const found: string[] = []
    for (const { name } of await this.disk.list(`${ROOT}${directory === '' ? '' : `/${directory}`}`)) {
      const path = directory === '' ? name : `${directory}/${name}`
      if (path === '.stfolder') continue
      const { type } = await this.disk.lstat(`${ROOT}/${path}`)
      if (type === 'directory') found.push(`${path}/`, ...(await this.tree(path)))
      else found.push(type === 'symlink' ? `${path} -> ${await this.disk.readSymlink(`${ROOT}/${path}`)}` : path)
    }
    return found.sort()
  }

  async errors(): Promise<readonly string[]> {
    return (await this.hub.model.folderErrors(DOCS, { page: 1, perPage: 100 })).map(
      ({ path, error }) => `${path}: ${error}`,
    )
  }

  async needed(): Promise<readonly string[]> {
    return (await this.index.needs.need({ offset: 0, limit: 1_000 })).map(({ name }) => name)
  }

  /** Nothing is needed, nothing failed, and a full scan finds no change. */
  async assertSettled(): Promise<void> {
    assert.deepEqual(await this.errors(), [])
    assert.deepEqual(await this.needed(), [])
    const before = await this.index.exchange.sequence('local')
    await this.scan()
    assert.equal(await this.index.exchange.sequence('local'), before, 'a rescan found a change')
    assert.deepEqual(
      (await this.tree()).filter((path) => path.includes('.syncthing.')),
      [],
      'temporary files are left',
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]()
  }
}
