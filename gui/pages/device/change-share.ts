import { changeConfig } from '../../app/run-action.ts'
import { sharingWith } from '../../view-model/pending.ts'
import { client } from '../../live/client.ts'

/** Shares a folder with a device, or ends that. Reads the settings first: those of the page may be outdated. */
export function changeShare(folderId: string, deviceId: string, shared: boolean, done: string): Promise<boolean> {
  return changeConfig(async () => {
    const config = await client.config()
    await client.changeFolder(folderId, sharingWith(config, folderId, deviceId, shared))
  }, done)
}
