import type { ConfigChange, ConfigStore } from '../../src/config/types.ts'
import type { Config, FolderConfig } from '../../src/core/config/config.ts'
import { DEVICE } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { simConfig, simFolder } from '../support/model.ts'
import { savePath } from '../support/saved-path.ts'

export const ROOT = '/data/docs'
const PORT = 22_000

/** One folder, shared by all these devices at static addresses. */
export function deviceConfig(
  all: readonly { readonly id: DeviceId; readonly name: string; readonly folderType: FolderConfig['type'] }[],
  changes: Partial<FolderConfig>,
): Config {
  const isHidden = changes.type !== 'receiveencrypted'
  const folder = simFolder('docs', {
    path: ROOT,
    rescanIntervalS: 60,
    pullerPauseS: 2,
    maxConflicts: -1,
    fsWatcherDelayS: 1,
    devices: all.map(({ id, folderType }) => ({
      deviceID: id,
      introducedBy: '',
      encryptionPassword: isHidden && folderType === 'receiveencrypted' ? 'a password' : '',
    })),
    ...changes,
  })
  const base = simConfig([folder])
  return {
    ...base,
    devices: all.map(({ id, name, folderType }) => ({
      ...defaultsOf(DEVICE),
      untrusted: isHidden && folderType === 'receiveencrypted',
      deviceID: id,
      name,
      addresses: [`tcp://${name}:${PORT}`],
      compression: 'never',
    })),
    options: {
      ...base.options,
      listenAddresses: [`tcp://:${PORT}`],
      globalAnnounceEnabled: false,
      localAnnounceEnabled: false,
      relaysEnabled: false,
      natEnabled: false,
      crashReportingEnabled: false,
      reconnectionIntervalS: 5,
      urAccepted: -1,
    },
  }
}

/** The settings of one run of a device. Of changes the path of the folder is saved. */
export class DeviceSettings implements ConfigStore {
  readonly restartRequired = false
  readonly #disk: Disk
  readonly #listeners: Parameters<ConfigStore['subscribe']>[0][] = []
  #current: Config

  constructor(disk: Disk, config: Config) {
    this.#disk = disk
    this.#current = config
  }

  get current(): Config {
    return this.#current
  }

  async change(make: ConfigChange): Promise<Config> {
    const from = this.#current
    const to = make(from)
    await savePath(this.#disk, to)
    this.#current = to
    for (const listener of this.#listeners) await listener(from, to)
    return to
  }

  subscribe(listener: Parameters<ConfigStore['subscribe']>[0]): void {
    this.#listeners.push(listener)
  }
}
