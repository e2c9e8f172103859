import { DiskBlockReader } from '../files/disk-block-reader.ts'
import type { Platform } from '../platform.ts'
import { SimAttributes } from './attributes.ts'
import { SimClock } from './clock.ts'
import { SimDisk, type SimDiskOptions } from './disk.ts'
import { PlainFileMaker } from '../files/plain-file-maker.ts'
import { simFolderKeys } from './folder-keys.ts'
import { SimHasher } from './hasher.ts'
import { NetError } from '../net-error.ts'
import type { SimHttpClient } from './http-client.ts'
import { SimHttpServer } from './http.ts'
import { SimLines } from './lines.ts'
import { SimNetwork } from './net.ts'
import { simPasswords } from './passwords.ts'
import { SimPrograms } from './programs.ts'
import { SimRandom } from './random.ts'
import { simSystem } from './system.ts'
import { SimWalker } from './walker.ts'
import { SimWatcher } from './watcher.ts'

/** A simulated machine, controlled by the test. */
export interface SimPlatform extends Platform {
  readonly clock: SimClock
  readonly random: SimRandom
  readonly disk: SimDisk
  readonly attributes: SimAttributes
  readonly http: SimHttpServer
  readonly httpClient: SimHttpClient
  readonly lines: SimLines
  readonly programs: SimPrograms
  readonly watcher: SimWatcher
  readonly network: SimNetwork
}

export interface SimPlatformOptions {
  /** Unique within a run: network address and name of the random stream. */
  readonly hostName?: string
  readonly disk?: SimDiskOptions
  /** Given, the machine shares clock and network with others. */
  readonly clock?: SimClock
  readonly network?: SimNetwork
}

/** Equal seeds and options yield equal platforms. */
export function createSimPlatform(seed: number, options: SimPlatformOptions = {}): SimPlatform {
  const hostName = options.hostName ?? 'sim'
  const clock = options.clock ?? new SimClock()
  const network = options.network ?? new SimNetwork(clock)
  const disk = new SimDisk(clock, options.disk)
  return { clock, random: new SimRandom(seed).stream(hostName), network, ...simPorts(disk, network, hostName) }
}

/** The ports that derive from the disk and the network address of a machine. */
export function simPorts(
  disk: SimDisk,
  network: SimNetwork,
  hostName: string,
): Omit<SimPlatform, 'clock' | 'random' | 'network'> {
  return {
    disk,
    attributes: new SimAttributes(disk),
    walker: new SimWalker(disk),
    hasher: new SimHasher(disk),
    fileMaker: new PlainFileMaker(disk),
    blocks: new DiskBlockReader(disk),
    watcher: new SimWatcher(disk),
    http: new SimHttpServer(),
    httpClient: network.web,
    dialDirectory: async () => {
      throw new NetError('ECONNREFUSED', 'there are no directory servers')
    },
    net: network.host(hostName),
    udp: network.datagrams.host(hostName),
    passwords: simPasswords,
    folderKeys: simFolderKeys,
    lines: new SimLines(),
    programs: new SimPrograms(),
    system: simSystem(hostName),
  }
}
