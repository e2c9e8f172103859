import { spawnSync, type ChildProcess } from 'node:child_process'
import { writeFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Network, type Member } from '../support/sync-pair.ts'

const LINES = join(import.meta.dirname, 'lines.mjs')
/** Small enough to be filled in a moment, and large enough for the versions of an hour. */
const DISK_MIB = 512
const CONFIGURATION = {
  fsWatcherEnabled: true,
  fsWatcherDelayS: 1,
  rescanIntervalS: 0,
  pullerPauseS: 1,
  maxConflicts: -1,
  minDiskFree: { value: 0, unit: '%' },
}

/** Two Twinfolds and a real Syncthing that share a folder, each connected to each by lines that can be cut. */
export class Cluster implements AsyncDisposable {
  readonly members: readonly Member[]
  readonly #network: Network
  readonly #lines: ChildProcess
  /** The member whose folder has a file system of its own. */
  readonly #small: Member | undefined

  private constructor(network: Network, members: readonly Member[], lines: ChildProcess, small: Member | undefined) {
    this.#network = network
    this.members = members
    this.#lines = lines
    this.#small = small
  }

  static async start(directory: string, versions: boolean): Promise<Cluster> {
    const network = await Network.open(directory)
    try {
      const [alpha, beta, gamma] = await Promise.all([
        network.add('twinfold', 'alpha'),
        network.add('twinfold', 'beta'),
        network.add('syncthing', 'gamma'),
      ])
      const members = [alpha, beta, gamma]
      const small = mount(beta.root) ? beta : undefined
      const { addresses, program } = await network.lines(members, LINES)
      for (const member of members) {
        for (const [index, peer] of members.entries())
          if (peer !== member) await member.introduce(peer, { addresses: [addresses[index]] })
      }
      for (const member of members) {
        const versioning = versions && member === beta ? { type: 'simple', params: { keep: '100' } } : { type: '' }
        const peers = members.filter((peer) => peer !== member)
        await member.share(peers, { ...CONFIGURATION, versioning })
      }
      return new Cluster(network, members, program, small)
    } catch (error) {
      await network[Symbol.asyncDispose]()
      throw error
    }
  }

  get twinfolds(): readonly Member[] {
    return this.members.filter(({ kind }) => kind === 'twinfold')
  }

  /** Undefined where no file system may be mounted. */
  get small(): Member | undefined {
    return this.#small
  }

  lines(command: 'cut' | 'off' | 'on'): void {
    this.#lines.stdin?.write(`${command}\n`)
  }

  /** Leaves no room on the disk of a member. */
  fill({ root }: Member): void {
    try {
      for (let number = 0; ; number++)
        writeFileSync(join(root, '.stfolder', 'filling'), Buffer.alloc(64 * 1024, number), { flag: 'a' })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }

  empty({ root }: Member): void {
    rmSync(join(root, '.stfolder', 'filling'), { force: true })
  }

  /** False while a file is open for writing there. */
  remount({ root }: Member, mode: 'ro' | 'rw'): boolean {
    return spawnSync('mount', ['-o', `remount,${mode}`, root], { stdio: 'ignore' }).status === 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const member of this.members) member.signal('SIGCONT')
    await this.#network[Symbol.asyncDispose]()
    if (this.#small !== undefined) spawnSync('umount', [this.#small.root], { stdio: 'ignore' })
  }
}

function mount(path: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', path], { stdio: 'ignore' }).status === 0
}
