import type { Config } from '../../core/config/config.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { ClusterConfig } from '../../protocol/types.ts'
import type { FolderEncryption, FolderTokens } from '../encryption/folder-encryption.ts'
import { isIndexUnusable } from '../state/exchange-failure.ts'
import {
  clusterConfigFor,
  fingerprintsFor,
  foldersSharedWith,
  judgeClusterConfig,
  type ClusterVerdict,
  type ConnectionEnds,
  type FolderPositions,
  type RefusedFolder,
} from './cluster-config.ts'
import type { PeersDeps } from './peer-deps.ts'
import { Refusal } from './refusal.ts'

export interface AgreementDeps extends Pick<PeersDeps, 'store' | 'roots' | 'signals'> {
  config(): Config
  readonly encryption: FolderEncryption
  /** Both ends configured the encryption of a folder differently; undefined: they agree. */
  onDisagreement(device: DeviceId, refused: RefusedFolder | undefined): void
}

/** What follows from the cluster config of a device. Throws a `Refusal` where the connection has to be closed. */
export async function judgeReceived(
  deps: AgreementDeps,
  ends: ConnectionEnds,
  received: ClusterConfig,
): Promise<Extract<ClusterVerdict, { kind: 'accept' }>> {
  const { config, encryption, signals } = deps
  const verdict = judgeClusterConfig(config(), ends, received, await encryption.tokensFor(ends.peer))
  if (verdict.kind === 'close') {
    if (verdict.refused !== undefined) deps.onDisagreement(ends.peer, verdict.refused)
    throw new Refusal(verdict.reason)
  }
  deps.onDisagreement(ends.peer, verdict.refused)
  const folders = new Map(verdict.folders)
  for (const [folder, decision] of folders) {
    if (decision.kind !== 'exchange' || decision.newToken === undefined) continue
    // Other devices get a cluster config with the folder in it.
    if (await encryption.store(folder, decision.newToken)) signals.usabilityChanged.emit(folder)
    else folders.set(folder, { kind: 'refused' })
  }
  return { ...verdict, folders }
}

/** Folders that are encrypted for the device, which does not announce them: it may lack the token. */
export async function lacksTokens(
  { encryption }: Pick<AgreementDeps, 'encryption'>,
  { peer }: ConnectionEnds,
  announced: ReadonlyMap<FolderId, unknown>,
): Promise<boolean> {
  return (await encryption.tokensFor(peer)).ciphers.keys().some((folder) => !announced.has(folder))
}

/** The cluster config to be sent to a device, and the text that identifies it. */
export async function configToSend(
  deps: AgreementDeps,
  ends: ConnectionEnds,
): Promise<{ readonly config: ClusterConfig; readonly fingerprint: string }> {
  const config = deps.config()
  const positions = await announcedPositions(deps, ends)
  const tokens = await deps.encryption.tokensFor(ends.peer)
  return {
    config: clusterConfigFor(config, ends, positions, tokens),
    fingerprint: clusterConfigFingerprint(deps, ends, tokens),
  }
}

export async function currentFingerprint(deps: AgreementDeps, ends: ConnectionEnds): Promise<string> {
  return clusterConfigFingerprint(deps, ends, await deps.encryption.tokensFor(ends.peer))
}

/**
 * Positions of all indexes of the folders shared with a device, without those that are paused or whose index cannot be
 * used. These are announced as paused, not left out: the device would take a missing folder as no longer shared, and,
 * if this device is its introducer, stop sharing it with the devices that were introduced for it.
 */
async function announcedPositions(
  { config, store, roots, signals }: AgreementDeps,
  { peer }: ConnectionEnds,
): Promise<ReadonlyMap<FolderId, FolderPositions>> {
  const positions = new Map<FolderId, FolderPositions>()
  for (const folder of foldersSharedWith(config(), peer)) {
    if (folder.paused || roots.get(folder.id) === undefined) continue
    try {
      positions.set(folder.id, await (await store.folder(folder.id)).exchange.positions())
    } catch (error) {
      if (!isIndexUnusable(error)) throw error
      signals.exchangeFailed.emit({ folder: folder.id, error })
    }
  }
  return positions
}

/** The cluster config for a device without index positions, in short: an equal text need not be sent again. */
function clusterConfigFingerprint(
  { config, roots }: AgreementDeps,
  ends: ConnectionEnds,
  tokens: FolderTokens,
): string {
  const running = foldersSharedWith(config(), ends.peer).map(({ id }) => roots.get(id) !== undefined)
  return JSON.stringify([running, fingerprintsFor(config(), ends, tokens)])
}
