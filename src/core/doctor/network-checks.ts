import { REFUSALS } from '../refusals.ts'
import { countText, DAY_MS, spanText, type DoctorCheck } from './check.ts'
import type { DeviceFacts } from './facts.ts'
import { shellName } from '../remedies/remedy-command.ts'

/** Devices of one network differ by less; the time of two edits is compared in seconds. */
const CLOCK_MS_MAX = 60_000
const AWAY_DAYS = 30

function nameOf({ config: { name, deviceID } }: DeviceFacts): string {
  return name === '' ? deviceID.slice(0, 7) : name
}

/** Checks of connections and of other devices. */
export const NETWORK_CHECKS: readonly DoctorCheck[] = [
  {
    code: 'settings-disagree',
    about: 'settings of two devices that keep them apart',
    find: ({ disagreements }) =>
      disagreements.map(({ device, folder, code }) => {
        const { reason, remedy } = REFUSALS[code]
        return {
          severity: 'error',
          message: `this device and "${device}" do not connect: ${reason}`,
          evidence: folder === undefined ? 'reported by the other device' : `folder "${folder}"`,
          remedy,
          command: `twinfold why ${shellName(device)}`,
          device,
          ...(folder !== undefined && { folder }),
        }
      }),
  },
  {
    code: 'clock-differs',
    about: 'the clock of this device differs from that of others',
    find: ({ devices }) => {
      const told = devices.filter(({ isConnected, clockAheadMs }) => isConnected && clockAheadMs !== undefined)
      const off = told.filter(({ clockAheadMs }) => Math.abs(clockAheadMs ?? 0) > CLOCK_MS_MAX)
      if (off.length === 0) return []
      const isOurs = off.length === told.length && off.length > 1
      const evidence = off.map((device) => {
        const ahead = device.clockAheadMs ?? 0
        return `${nameOf(device)} is ${spanText(Math.abs(ahead))} ${ahead > 0 ? 'ahead' : 'behind'}`
      })
      return [
        {
          severity: 'warning' as const,
          message: isOurs
            ? 'the clock of this device is wrong: the newer of two edits is chosen wrongly'
            : 'the clocks of two devices differ: the newer of two edits is chosen wrongly',
          evidence: `${evidence.slice(0, 5).join(', ')}; compared when they connected`,
          remedy: 'set the clock by a time server, here or there',
          command: 'timedatectl set-ntp true',
        },
      ]
    },
  },
  {
    code: 'clock-before-certificate',
    about: 'a clock that is before the certificate of this device',
    find: ({ certificates, nowMs }) =>
      certificates
        .filter(({ what, notBeforeMs }) => what === 'device' && notBeforeMs - nowMs > 2 * DAY_MS)
        .map(({ file, notBeforeMs }) => ({
          severity: 'warning',
          message: 'the clock of this machine is in the past',
          evidence: `it is ${spanText(notBeforeMs - nowMs)} before the certificate ${file} was made`,
          remedy: 'set the clock by a time server',
          command: 'timedatectl set-ntp true',
        })),
  },
  {
    code: 'listen-failed',
    about: 'an address on which this device cannot be reached',
    find: ({ listeners }) =>
      listeners
        .filter(({ address, error }) => error !== null && error !== '' && isTcp(address))
        .map(({ address, error }) => ({
          severity: 'error',
          message: `this device does not listen on ${address}, so others cannot connect to it there`,
          evidence: error ?? '',
          remedy: 'stop the other program that uses the port (perhaps a Syncthing), or choose another address',
          command: 'twinfold cli config options raw-listen-addresses 0 set tcp://0.0.0.0:22001',
        })),
  },
  {
    code: 'relay-failed',
    about: 'a relay server that cannot be used',
    find: ({ listeners, options }) =>
      !options.relaysEnabled
        ? []
        : listeners
            .filter(({ address, error }) => error !== null && error !== '' && isRelay(address))
            .map(({ address, error }) => ({
              severity: 'warning',
              message: `no relay of ${address} can be used`,
              evidence: error ?? '',
              remedy: 'check the connection to the Internet, choose another relay, or switch relays off',
              command: 'twinfold network servers relays',
            })),
  },
  {
    code: 'discovery-failed',
    about: 'discovery that does not work',
    find: ({ discovery }) =>
      discovery
        .filter(({ error }) => error !== null && error !== '')
        .map(({ name, error }) => ({
          severity: 'warning',
          message: `discovery by ${name} does not work: devices may not find each other`,
          evidence: error ?? '',
          remedy: 'check the connection, choose another server, or switch it off',
          command: 'twinfold network servers discovery',
        })),
  },
  {
    code: 'device-without-address',
    about: 'a device that cannot be found',
    find: ({ devices, options }) =>
      options.globalAnnounceEnabled || options.localAnnounceEnabled
        ? []
        : devices
            .filter(({ config, isConnected, hasAddress }) => !config.paused && !isConnected && !hasAddress)
            .map((device) => ({
              severity: 'warning',
              message: `"${nameOf(device)}" cannot be found: it has no address here, and discovery is off`,
              evidence:
                device.lastSeenMs === 0 ? 'it has never connected' : 'it can only connect to this device itself',
              remedy: 'switch discovery on, or give it an address',
              command: 'twinfold network on local',
              device: nameOf(device),
            })),
  },
  {
    code: 'device-never-seen',
    about: 'a device that has never connected',
    find: ({ devices, options }) =>
      devices
        .filter(({ config, isConnected, lastSeenMs }) => !config.paused && !isConnected && lastSeenMs === 0)
        .filter(({ hasAddress }) => hasAddress || options.globalAnnounceEnabled || options.localAnnounceEnabled)
        .map((device) => ({
          severity: 'warning',
          message: `"${nameOf(device)}" has never connected`,
          evidence: `${countText(device.folders, 'folder is', 'folders are')} shared with it`,
          remedy: 'add this device there, too; or remove it here',
          command: `twinfold why ${shellName(nameOf(device))}`,
          device: nameOf(device),
        })),
  },
  {
    code: 'device-away',
    about: 'a device that has not connected for a month',
    find: ({ devices, nowMs }) =>
      devices
        .filter(
          ({ isConnected, lastSeenMs }) => !isConnected && lastSeenMs > 0 && nowMs - lastSeenMs > AWAY_DAYS * DAY_MS,
        )
        .map((device) => ({
          severity: 'notice',
          message: `"${nameOf(device)}" has not connected for ${spanText(nowMs - device.lastSeenMs)}`,
          evidence: device.config.paused ? 'it is paused here' : 'it was switched off, or cannot be reached',
          remedy: 'switch it on, resume it, or remove it',
          command: `twinfold why ${shellName(nameOf(device))}`,
          device: nameOf(device),
        })),
  },
  {
    code: 'device-shares-nothing',
    about: 'a device that shares no folder',
    find: ({ devices }) =>
      devices
        .filter(({ folders, config }) => folders === 0 && !config.introducer)
        .map((device) => ({
          severity: 'notice',
          message: `no folder is shared with "${nameOf(device)}"`,
          evidence: 'it is configured, and has 0 folders',
          remedy: 'share a folder with it, or remove it',
          command: `twinfold folder share FOLDER ${shellName(nameOf(device))}`,
          device: nameOf(device),
        })),
  },
]

/** Without QUIC, which is never used: a configuration of Syncthing lists it beside TCP. */
function isTcp(address: string): boolean {
  return /^tcp[46]?:/.test(address)
}

/** `dynamic+https://…` is a list of relays. */
function isRelay(address: string): boolean {
  return /^(relay:|dynamic\+)/.test(address)
}
