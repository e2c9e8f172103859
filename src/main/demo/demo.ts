import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { upsertDevice, upsertFolder } from '../../core/config/config-edit.ts'
import type { Config } from '../../core/config/config.ts'
import type { JsonObject } from '../../core/config/config-json.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import { DemoDevice, makeDemoHome, type DemoHome } from './demo-device.ts'
import {
  CONFLICT_PATH,
  VERSIONED_PATH,
  deskDocuments,
  laptopDocuments,
  phonePictures,
  sampleMusic,
  samplePhotos,
  writeFiles,
} from './demo-files.ts'
import { simulateEdits } from './demo-edits.ts'

export interface DemoDeps {
  readonly platform: Platform
  /** Empty, closed to other users, and removed by the caller. */
  readonly directory: string
  /** Receives the addresses of the pages, the first one first, as soon as they respond. */
  onReady(pages: readonly DemoPage[]): void
}

export interface DemoPage {
  readonly name: string
  readonly url: string
}

/** Slow enough that the transfer of a large file is visible. */
const RECEIVE_KIB_PER_S = 1_024
const POLL_MS = 100
const POLLS_MAX = 600

/**
 * Three devices in one process: two that share photos and documents, and a third that is pending. Runs until the
 * signal aborts or the first device is shut down from its page. Rejects when a device cannot be started.
 */
export async function runDemo(deps: DemoDeps, port: number, signal: AbortSignal): Promise<void> {
  const { platform, directory } = deps
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const running: Promise<void>[] = []
  const start = (home: DemoHome, at: number) => {
    const device = new DemoDevice(platform, home, at)
    const ended = device.run(until)
    ended.catch(() => {}) // reported through the addresses while starting, and below afterwards
    running.push(ended)
    return { device, ended }
  }
  try {
    const [laptop, desk, phone] = await makeHomes(platform, directory)
    until.throwIfAborted()
    await introduceLaptop(laptop, desk)
    const first = start(laptop, port)
    const { page, sync } = await first.device.addresses()
    await Promise.all([introduceDesk(desk, laptop, sync), introducePhone(phone, laptop, sync)])
    until.throwIfAborted()
    const others = [start(desk, 0), start(phone, 0)]
    const pages = await Promise.all(
      others.map(async ({ device }) => ({ name: device.home.name, url: (await device.addresses()).page })),
    )
    until.throwIfAborted()
    deps.onReady([{ name: laptop.name, url: page }, ...pages])
    running.push(runScript(platform, laptop, desk, until))
    await Promise.race([first.ended, failureOf(running)])
  } finally {
    stop.abort(new TwinfoldError('stopped', 'the demonstration has ended'))
    await Promise.allSettled(running)
  }
}

/** Rejects with the first that fails; never resolves. */
async function failureOf(running: readonly Promise<void>[]): Promise<never> {
  const never = new Promise<never>(() => {})
  return Promise.race(running.map((one) => one.then(() => never)))
}

async function makeHomes(platform: Platform, directory: string): Promise<readonly [DemoHome, DemoHome, DemoHome]> {
  const make = (name: string) => makeDemoHome(platform, join(directory, name), name)
  const [laptop, desk, phone] = await Promise.all([make('Laptop'), make('Desk'), make('Phone')])
  const nowMs = platform.clock.nowMs()
  await writeFiles(join(laptop.directory, 'Photos'), samplePhotos(), nowMs)
  await writeFiles(join(laptop.directory, 'Documents'), laptopDocuments(), nowMs)
  await writeFiles(join(desk.directory, 'Documents'), deskDocuments(), nowMs)
  await writeFiles(join(desk.directory, 'Music'), sampleMusic(), nowMs)
  await writeFiles(join(phone.directory, 'Camera'), phonePictures(), nowMs)
  return [laptop, desk, phone]
}

/** Has the desk as a device, but not the phone, which becomes pending. */
async function introduceLaptop(laptop: DemoHome, desk: DemoHome): Promise<void> {
  await complete(
    laptop,
    { limitBandwidthInLan: true },
    [{ deviceID: desk.id, name: desk.name, maxRecvKbps: RECEIVE_KIB_PER_S }],
    [
      folderOf(laptop, 'Photos', [desk]),
      folderOf(laptop, 'Documents', [desk], { versioning: { type: 'simple', params: { keep: '5' } } }),
    ],
  )
}

/** Shares the folders of the laptop, and offers one more. */
async function introduceDesk(desk: DemoHome, laptop: DemoHome, laptopAddress: string): Promise<void> {
  await complete(
    desk,
    {},
    [{ deviceID: laptop.id, name: laptop.name, addresses: [laptopAddress] }],
    [folderOf(desk, 'Photos', [laptop]), folderOf(desk, 'Documents', [laptop]), folderOf(desk, 'Music', [laptop])],
  )
}

async function introducePhone(phone: DemoHome, laptop: DemoHome, laptopAddress: string): Promise<void> {
  await complete(
    phone,
    {},
    [{ deviceID: laptop.id, name: laptop.name, addresses: [laptopAddress] }],
    [folderOf(phone, 'Camera', [laptop])],
  )
}

function folderOf(home: DemoHome, label: string, others: readonly DemoHome[], more: JsonObject = {}): JsonObject {
  return {
    id: `${label.toLowerCase()}-demo`,
    label,
    path: join(home.directory, label),
    devices: others.map(({ id }) => ({ deviceID: id })),
    fsWatcherDelayS: 1,
    pullerPauseS: 1,
    ...more,
  }
}

/** Only the loopback address, without announcements. */
async function complete(
  home: DemoHome,
  options: Partial<Config['options']>,
  devices: readonly JsonObject[],
  folders: readonly JsonObject[],
): Promise<void> {
  await home.config.change((config) => {
    const quiet = {
      listenAddresses: ['tcp://127.0.0.1:0'],
      reconnectionIntervalS: 5,
      progressUpdateIntervalS: 1,
      unackedNotificationIDs: [],
      ...options,
    }
    const base: Config = { ...config, options: { ...config.options, ...quiet } }
    return folders.reduce<Config>(upsertFolder, devices.reduce<Config>(upsertDevice, base))
  })
}

/** The course of the demonstration: the devices connect and find a conflict, a plan is changed, then edits continue. */
async function runScript(platform: Platform, laptop: DemoHome, desk: DemoHome, signal: AbortSignal): Promise<void> {
  const at = (home: DemoHome, path: string) => join(home.directory, 'Documents', path)
  await until(platform, signal, async () => (await readdir(join(laptop.directory, 'Documents'))).some(isConflict))
  const plan = '# Plan\n\n- paint the kitchen yellow\n- call the electrician on Monday\n- buy brushes\n'
  await until(platform, signal, () => readFile(at(laptop, VERSIONED_PATH), 'utf8').then(() => true))
  await writeFiles(
    join(desk.directory, 'Documents'),
    [{ path: VERSIONED_PATH, content: plan, ageMinutes: 0 }],
    platform.clock.nowMs(),
  )
  await until(platform, signal, async () => (await readFile(at(laptop, VERSIONED_PATH), 'utf8')) === plan)
  await simulateEdits(platform, { laptop: laptop.directory, desk: desk.directory }, signal)
}

function isConflict(name: string): boolean {
  return name.startsWith(`${CONFLICT_PATH.slice(0, CONFLICT_PATH.lastIndexOf('.'))}.sync-conflict-`)
}

/** Waits for a condition, with a limit: the demonstration continues if the user has already changed the state. */
async function until({ clock }: Platform, signal: AbortSignal, isFulfilled: () => Promise<boolean>): Promise<void> {
  for (let poll = 0; poll < POLLS_MAX && !signal.aborted; poll++) {
    if (await isFulfilled().catch(() => false)) return // an error counts as not fulfilled yet
    await clock.sleep(POLL_MS, signal).catch(() => {}) // the loop ends with the signal
  }
}
