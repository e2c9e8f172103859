/** A whole device on the simulated platform: the production code on a simulated clock. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServeOptions } from '../../src/main/args/options.ts'
import { runDaemon } from '../../src/main/daemon.ts'
import type { System } from '../../src/platform/platform.ts'
import { createSimPlatform, type SimPlatform } from '../../src/platform/sim/platform.ts'

/** The settings of a device whose files and index are in memory. */
export const SIM_OPTIONS: ServeOptions = {
  locations: {
    configDirectory: '/home/sim/state',
    dataDirectory: '/home/sim/state',
    userHome: '/home/sim',
    configFile: '/home/sim/state/config.xml',
    extensionsFile: '/home/sim/state/twinfold-settings.json',
    grantsFile: '/home/sim/state/twinfold-keys.json',
    invitationsFile: '/home/sim/state/twinfold-invitations.json',
    appliedSetupFile: '/home/sim/state/twinfold-applied.json',
    addressFile: '/home/sim/state/twinfold-address.json',
    certificateFile: '/home/sim/state/cert.pem',
    keyFile: '/home/sim/state/key.pem',
    httpsCertificateFile: '/home/sim/state/https-cert.pem',
    httpsKeyFile: '/home/sim/state/https-key.pem',
    databaseDirectory: '/home/sim/state/index-twinfold',
    keptDirectory: '/home/sim/state/twinfold-kept',
    lockFile: '/home/sim/state/syncthing.lock',
    guiAssetsDirectory: '/home/sim/state/gui',
    defaultFolder: '/home/sim/Sync',
    logFile: '-',
  },
  allowNewerConfig: false,
  openBrowser: false,
  portProbing: true,
  paused: false,
  unpaused: false,
  upgradesAllowed: false,
  databaseInMemory: true,
  trace: '',
  logLevel: 'INFO',
  logFormat: 'text',
  versionExtra: '',
}

export const SIM_KEY = 'simulated-key-of-thirty-two-chars'

/** Lets every promise that is ready run. Key handling takes a few real turns of the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A simulated machine with an identity, and two files at `/data/docs`. */
export function simMachine(seed: number): SimPlatform {
  const platform = createSimPlatform(seed, { hostName: 'sim' })
  const { certificateFile, keyFile } = SIM_OPTIONS.locations
  const identity = join(import.meta.dirname, '..', 'fixtures', 'identity')
  platform.disk.put(certificateFile, readFileSync(join(identity, 'syncthing-1.x-cert.pem'), 'utf8'))
  platform.disk.put(keyFile, readFileSync(join(identity, 'syncthing-1.x-key.pem'), 'utf8'))
  platform.disk.put('/data/docs/letter.txt', 'Dear reader')
  platform.disk.put('/data/docs/more/notes.txt', 'Remember')
  return platform
}

export async function startDevice(seed: number, changes: Partial<ServeOptions> = {}, system: Partial<System> = {}) {
  const machine = simMachine(seed)
  const platform = { ...machine, system: { ...machine.system, ...system } }
  const stop = new AbortController()
  const done = runDaemon(platform, { ...SIM_OPTIONS, guiApiKey: SIM_KEY, ...changes }, stop.signal)
  await settle()
  return { platform, stop, done }
}

/** A reply with its status, from the device that listens on the address. */
export async function request(
  platform: SimPlatform,
  method: string,
  target: string,
  body = '',
  address = '127.0.0.1:8384',
): Promise<{ readonly status: number; readonly text: string }> {
  const reply = platform.http.call(address, { method, target, body, headers: { 'x-api-key': SIM_KEY } })
  for (let turn = 0; turn < 50; turn++) await settle()
  const { status, body: text } = await reply
  return { status, text }
}
