import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { ClusterConfig } from '../../protocol/types.ts'
import type { FolderEncryption } from '../encryption/folder-encryption.ts'
import { announcedPositions, clusterConfigFingerprint, type ClusterConfigDeps } from './cluster-config-fingerprint.ts'
import {
  clusterConfigFor,
  judgeClusterConfig,
  type ClusterVerdict,
  type Ends,
  type RefusedFolder,
} from './cluster-config.ts'
import { Refusal } from './refusal.ts'

export interface AgreementDeps extends ClusterConfigDeps {
  readonly encryption: FolderEncryption
  /** Both ends configured the encryption of a folder differently; undefined: they agree. */
  onDisagreement(device: DeviceId, refused: RefusedFolder | undefined): void
}

/** What follows from the cluster config of a device. Throws a `Refusal` where the connection has to be closed. */
export async function judgeReceived(
  deps: AgreementDeps,
  ends: Ends,
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
  { peer }: Ends,
  announced: ReadonlyMap<FolderId, unknown>,
): Promise<boolean> {
  return (await encryption.tokensFor(peer)).ciphers.keys().some((folder) => !announced.has(folder))
}

/** The cluster config to be sent to a device, and the text that identifies it. */
export async function configToSend(
  deps: AgreementDeps,
  ends: Ends,
): Promise<{ readonly config: ClusterConfig; readonly fingerprint: string }> {
  const config = deps.config()
  const positions = await announcedPositions(deps, ends)
  const tokens = await deps.encryption.tokensFor(ends.peer)
  return {
    config: clusterConfigFor(config, ends, positions, tokens),
    fingerprint: clusterConfigFingerprint(deps, ends, tokens),
  }
}

export async function currentFingerprint(deps: AgreementDeps, ends: Ends): Promise<string> {
  return clusterConfigFingerprint(deps, ends, await deps.encryption.tokensFor(ends.peer))
}
