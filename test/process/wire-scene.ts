import { mkdirSync } from 'node:fs'
import type { Device } from '../support/device-pair.ts'
import { HostilePeer, type HostileTalk } from '../support/hostile-peer.ts'
import { ResourceLaw, startWatched } from '../support/resource-law.ts'

const KIB = 1024
export const MIB = 1024 * KIB
export const BLOCK = 128 * KIB
/** Far above what an idle device takes, far below what any of the lies here ask for. */
export const RSS_MIB_MAX = 450

export interface Scene extends AsyncDisposable {
  readonly device: Device
  readonly peer: HostilePeer
  join(): Promise<HostileTalk>
}

/** A device that shares `docs` with a peer which does not play by the rules; its end checks the law of resources. */
export async function startScene(directory: string, prepare: (root: string) => void = () => {}): Promise<Scene> {
  const device = await startWatched(directory, 'a')
  const peer = await HostilePeer.make()
  mkdirSync(device.root)
  prepare(device.root)
  await peer.introduce(device, { docs: device.root })
  await device.scan()
  const law = new ResourceLaw(device, peer)
  const end = async (): Promise<void> => {
    try {
      law.check()
    } finally {
      await device.stop()
    }
  }
  return { device, peer, join: () => peer.join(device.port, device.id), [Symbol.asyncDispose]: end }
}
