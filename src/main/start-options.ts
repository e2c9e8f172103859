import type { Config } from '../core/config/config.ts'
import type { OpenedConfig } from '../config/store.ts'
import type { Platform } from '../platform/platform.ts'
import type { ServeOptions } from './args/options.ts'
import { withFreePorts } from './home/first-start.ts'

/** The changes that the start options make in the saved configuration. */
export async function applyStartOptions(
  config: OpenedConfig,
  options: ServeOptions,
  platform: Pick<Platform, 'http'>,
): Promise<void> {
  if (config.created && options.portProbing) {
    const chosen = await withFreePorts(config.current, platform.http)
    await config.change(() => chosen)
  }
  if (options.paused) await config.change((current) => withPause(current, true))
  if (options.unpaused) await config.change((current) => withPause(current, false))
}

function withPause(config: Config, paused: boolean): Config {
  return {
    ...config,
    folders: config.folders.map((folder) => ({ ...folder, paused })),
    devices: config.devices.map((device) => ({ ...device, paused })),
  }
}
