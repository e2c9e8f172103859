import { ExtensionSettings } from '../config/extension-settings.ts'
import { Grants } from '../config/grants.ts'
import { Invitations } from '../config/invitations.ts'
import { Passwords } from '../config/password.ts'
import { openConfig, type OpenedConfig } from '../config/store.ts'
import type { JsonObject } from '../core/config/config-json.ts'
import type { Facility } from '../core/facilities.ts'
import { EventBus } from '../events/bus.ts'
import { Log } from '../events/log.ts'
import type { Logger } from '../events/types.ts'
import type { VersionFacts } from '../http/types.ts'
import type { LineSink } from '../platform/files/lines.ts'
import type { Platform } from '../platform/platform.ts'
import type { ServeOptions } from './args/options.ts'
import { loadOrMakeHttpsIdentity, loadOrMakeIdentity, type DeviceIdentity } from './home/identity.ts'
import { readStartSetup } from './home/start-setup.ts'
import { protectedHome } from './warnings.ts'
import { applyStartOptions } from './start-options.ts'
import { versionFacts } from './version.ts'

const LOG_SIZE_BYTES_MAX = 10 * 1024 * 1024
const LOG_OLD_FILES_MAX = 3

/** What every part of a device uses. */
export interface DeviceBase {
  readonly platform: Platform
  readonly options: ServeOptions
  readonly log: Log
  readonly events: EventBus
  readonly identity: DeviceIdentity
  readonly version: VersionFacts
  readonly passwords: Passwords
  readonly config: OpenedConfig
  readonly extensions: ExtensionSettings
  readonly grants: Grants
  readonly invitations: Invitations
  /** The set-up file of this start. */
  readonly startSetup: JsonObject | undefined
  logger(facility: Facility): Logger
}

export function openLogFile(platform: Platform, options: ServeOptions): LineSink {
  return platform.lines.open(options.locations.logFile, {
    sizeBytesMax: options.logMaxSizeBytes ?? LOG_SIZE_BYTES_MAX,
    oldFilesMax: options.logMaxOldFiles ?? LOG_OLD_FILES_MAX,
  })
}

/** Loads or creates identity and configuration of a home; the caller holds its lock. */
export async function openDeviceBase(
  platform: Platform,
  options: ServeOptions,
  sink: Pick<LineSink, 'write'>,
): Promise<DeviceBase> {
  const { locations } = options
  const { clock, random, disk, system } = platform
  const log = new Log(
    { clock, write: (line) => sink.write(line) },
    { level: options.logLevel, format: options.logFormat, trace: options.trace },
  )
  const logger = (facility: Facility) => log.logger(facility)
  const events = new EventBus({ clock, log: logger('events') })
  const startSetup = await readStartSetup(platform, options)
  const identity = await loadOrMakeIdentity({ disk, clock, random }, locations)
  // Scripts that set up a device expect it after the first start, also where the page does not use it yet.
  if (identity.created) await loadOrMakeHttpsIdentity({ disk, clock, random }, locations, system.hostName)
  const version = versionFacts(system, options.versionExtra)
  logger('main').info(`Twinfold ${version.version}, device ${identity.deviceId}`)
  logger('main').info(`home is ${locations.configDirectory}${identity.created ? ' (new)' : ''}`)
  const reason = system.platform === 'win32' ? undefined : system.whyNoNativeCalls()
  if (reason !== undefined) logger('main').info(`system calls by library are not available: ${reason}`)

  const passwords = new Passwords({ hasher: platform.passwords, random, clock, log: logger('config') })
  const config = await openConfig(
    { disk, clock, random, passwords, log: logger('config'), events },
    {
      path: locations.configFile,
      ownDevice: identity.deviceId,
      hostName: system.hostName,
      allowNewer: options.allowNewerConfig,
      home: protectedHome(locations),
    },
  )
  const extensions = await ExtensionSettings.open(disk, locations.extensionsFile)
  const grants = await Grants.open({ disk, clock, random, log: logger('config') }, locations.grantsFile)
  const invitations = await Invitations.open(
    { disk, clock, config, log: logger('config') },
    { path: locations.invitationsFile, ownDevice: identity.deviceId },
  )
  log.setDeviceNames((id) =>
    id === identity.deviceId ? undefined : config.current.devices.find(({ deviceID }) => deviceID === id)?.name,
  )
  await applyStartOptions(config, options, platform)
  return {
    platform,
    options,
    log,
    logger,
    events,
    identity,
    version,
    passwords,
    config,
    extensions,
    grants,
    invitations,
    startSetup,
  }
}
