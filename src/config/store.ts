import type { Config } from '../core/config/config.ts'
import { checkChange } from '../core/config/config-check.ts'
import { isResumeOnly, needsRestart } from '../core/config/config-diff.ts'
import { CONFIG_VERSION_MAX } from '../core/config/config-fields.ts'
import { configToJson } from '../core/config/config-json.ts'
import { prepareConfig } from '../core/config/config-prepare.ts'
import { redactConfig } from '../core/config/redact.ts'
import type { ConfigDocument, UnknownNodesByPlace } from '../core/config/config-document.ts'
import { TwinfoldError, messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import { hashFault } from '../core/config/password.ts'
import type { EventSink, Logger } from '../events/types.ts'
import { Mutex } from '../sync/mutex.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import { randomText, type Random } from '../platform/random.ts'
import { ConfigFile, readBounded, readConfig, type ReadConfig } from './config-file.ts'
import { defaultConfig } from './default-config.ts'
import { foldersAroundHome, type ProtectedHome } from './home-folders.ts'
import { PASSWORD_REMEDY, type Passwords } from './password.ts'
import type { ConfigChange, ConfigStore } from './types.ts'

/** Limit of pending changes; further ones are refused. */
const CHANGES_MAX = 1_000
const API_KEY_LENGTH = 32

export interface ConfigDeps {
  readonly disk: Disk
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Random
  readonly passwords: Pick<Passwords, 'hash'>
  readonly log: Logger
  readonly events?: EventSink
}

export interface ConfigOptions {
  /** The absolute path of `config.xml`. */
  readonly path: string
  readonly ownDevice: DeviceId
  /** Name of our device in a configuration that does not contain it yet. */
  readonly hostName: string
  readonly allowNewer: boolean
  /** No new folder may contain these directories. */
  readonly home?: ProtectedHome
}

export interface OpenedConfig extends ConfigStore {
  /** True when there was none and a default one was written: then free ports must be chosen. */
  readonly created: boolean
}

/**
 * Loads the configuration of a home, or creates one. A damaged file is refused and left unchanged; a missing one is
 * replaced by the newest kept copy, with a warning, or else by a default one. The home must be locked.
 */
export async function openConfig(deps: ConfigDeps, options: ConfigOptions): Promise<OpenedConfig> {
  const file = await ConfigFile.at(deps, options.path)
  const loaded = await load(deps, options, file)
  const store = new Store(deps, options, file, loaded)
  await store.start(loaded)
  await file.tidy().catch((error: unknown) => {
    deps.log.warn(`could not remove old copies of ${file.path}: ${messageOf(error)}`)
  })
  return store
}

async function load(deps: ConfigDeps, options: ConfigOptions, file: ConfigFile): Promise<ReadConfig | undefined> {
  const data = await file.read()
  if (data === undefined) return loadCopy(deps, options, file)
  try {
    return readConfig(data, options.allowNewer)
  } catch (error) {
    if (!(error instanceof TwinfoldError) || error.code !== 'config-invalid') throw error
    const copy = (await file.copies())[0]
    const advice = copy === undefined ? 'correct it' : `correct it, or put the kept copy ${copy} in its place`
    const message = `${file.path}: ${error.message}. Nothing was changed; ${advice}`
    throw new TwinfoldError('config-invalid', message, { cause: error })
  }
}

async function loadCopy(deps: ConfigDeps, options: ConfigOptions, file: ConfigFile): Promise<ReadConfig | undefined> {
  const copies = await file.copies()
  for (const path of copies) {
    try {
      const data = await readBounded(deps.disk, path)
      if (data === undefined) continue
      const read = readConfig(data, options.allowNewer)
      deps.log.warn(`${file.path} is missing; using the newest kept copy ${path}`)
      return read
    } catch (error) {
      deps.log.warn(`the kept copy ${path} cannot be used: ${messageOf(error)}`)
    }
  }
  if (copies.length === 0) return undefined
  throw new TwinfoldError(
    'config-invalid',
    `${file.path} is missing and none of its kept copies can be read; move them away to start with a new configuration`,
  )
}

class Store implements OpenedConfig {
  readonly created: boolean
  readonly #deps: ConfigDeps
  readonly #options: ConfigOptions
  readonly #file: ConfigFile
  readonly #unknowns: UnknownNodesByPlace
  readonly #lock = new Mutex()
  readonly #listeners: ((from: Config, to: Config) => void | Promise<void>)[] = []
  #current: Config
  #restartRequired = false
  #pending = 0

  constructor(deps: ConfigDeps, options: ConfigOptions, file: ConfigFile, loaded: ReadConfig | undefined) {
    this.#deps = deps
    this.#options = options
    this.#file = file
    this.#unknowns = loaded?.document.unknowns ?? new Map()
    this.#current = loaded?.document.config ?? defaultConfig()
    this.created = loaded === undefined
  }

  get current(): Config {
    return this.#current
  }

  get restartRequired(): boolean {
    return this.#restartRequired
  }

  /** Normalises the configuration and saves it when that, or the migration, changed it. */
  async start(read: ReadConfig | undefined): Promise<void> {
    const before = this.#current
    this.#current = await this.#normalise(before)
    this.#warnOfPassword()
    if (read === undefined) {
      await this.#file.write(this.#document(this.#current))
      this.#deps.log.info(`created a new configuration, ${this.#file.path}`)
      return
    }
    if (read.guessed) this.#deps.log.warn(`the configuration has the very old format ${read.from}; please check it`)
    if (read.from !== this.#current.version || (this.#options.allowNewer && isNewer(read))) {
      const path = await this.#file.archive(read.from, read.data)
      this.#deps.log.info(`kept the configuration of format ${read.from} as ${path}`)
    } else if (this.#file.exists && isEqual(before, this.#current)) {
      return
    }
    await this.#file.write(this.#document(this.#current))
  }

  async change(make: ConfigChange): Promise<Config> {
    if (this.#pending >= CHANGES_MAX) {
      throw new TwinfoldError('config-invalid', 'too many configuration changes are pending')
    }
    this.#pending++
    try {
      using _lock = await this.#lock.lock()
      return await this.#apply(make)
    } finally {
      this.#pending--
    }
  }

  subscribe(listener: (from: Config, to: Config) => void | Promise<void>): void {
    this.#listeners.push(listener)
  }

  async #apply(make: ConfigChange): Promise<Config> {
    const from = this.#current
    const wanted = make(from)
    const to = await this.#normalise(wanted)
    checkChange(from, to)
    checkPassword(from, to)
    await this.#checkRoots(from, to)
    const isCopied = replacesEverything(from, wanted) || removesItems(from, to) || from.version !== to.version
    if (isResumeOnly(from, to)) return await this.#publishWhileSaving(from, to)
    await this.#save(to, isCopied)
    await this.#publish(from, to)
    return to
  }

  /** A resumed device is dialled meanwhile: to connect takes less time than to save. */
  async #publishWhileSaving(from: Config, to: Config): Promise<Config> {
    const saving = this.#save(to, false).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    await this.#publish(from, to)
    const failure = await saving
    if (failure === undefined) return to
    await this.#publish(to, from)
    throw failure.error
  }

  async #save(config: Config, isCopied: boolean): Promise<void> {
    const copy = await this.#file.keepCopy(isCopied)
    if (copy?.foreign) {
      this.#deps.log.warn(`${this.#file.path} was changed by another program; that version is kept as ${copy.path}`)
    }
    await this.#file.write(this.#document(config))
    this.#deps.log.debug(() => `saved ${this.#file.path}`)
    this.#deps.events?.emit('ConfigSaved', redactConfig(config, { personal: false }))
  }

  async #publish(from: Config, to: Config): Promise<void> {
    this.#current = to
    this.#restartRequired ||= needsRestart(from, to)
    for (const listener of this.#listeners) await this.#notify(listener, from, to)
  }

  /** A folder that is as before is accepted, so that a home made by another program can be used. */
  async #checkRoots(from: Config, to: Config): Promise<void> {
    const { home } = this.#options
    if (home === undefined) return
    const known = new Map(from.folders.map(({ id, path }) => [id, path]))
    const added = to.folders.filter(({ id, path }) => known.get(id) !== path)
    const [first] = await foldersAroundHome(this.#deps.disk, added, home)
    if (first === undefined) return
    throw new TwinfoldError(
      'bad-request',
      `folder "${first.id}": ${first.path} contains the home of this device (${home.directories[0]}), ` +
        'whose private key no other device may receive; choose another directory, or move the home',
    )
  }

  /** The change is already saved and visible, so one failing listener must not keep the others from being notified. */
  async #notify(listener: (from: Config, to: Config) => void | Promise<void>, from: Config, to: Config): Promise<void> {
    try {
      await listener(from, to)
    } catch (error) {
      this.#deps.log.error(`a component failed to apply a configuration change: ${messageOf(error)}`)
    }
  }

  async #normalise(config: Config): Promise<Config> {
    const { ownDevice, hostName } = this.#options
    const newApiKey = randomText(this.#deps.random, API_KEY_LENGTH)
    const { config: prepared, notes } = prepareConfig(config, { ownDevice, hostName, newApiKey })
    for (const note of notes) this.#deps.log.warn(note)
    const password = await this.#deps.passwords.hash(prepared.gui.password)
    return { ...prepared, gui: { ...prepared.gui, password } }
  }

  /** Only a warning: the page stays closed, and the folders can still synchronize. */
  #warnOfPassword(): void {
    const fault = passwordFault(this.#current)
    if (fault === undefined) return
    this.#deps.log.warn(`${this.#file.path}: ${fault}, so logging in is impossible; ${PASSWORD_REMEDY}`)
  }

  #document(config: Config): ConfigDocument {
    return { config, unknowns: this.#unknowns }
  }
}

function passwordFault({ gui }: Config): string | undefined {
  const fault = gui.password === '' ? undefined : hashFault(gui.password)
  return fault === undefined ? undefined : `the GUI password ${fault}`
}

/** An unchanged password is accepted, so that other settings can be changed. */
function checkPassword(from: Config, to: Config): void {
  const fault = from.gui.password === to.gui.password ? undefined : passwordFault(to)
  if (fault !== undefined) throw new TwinfoldError('config-invalid', fault)
}

function isNewer(read: ReadConfig): boolean {
  return read.from > CONFIG_VERSION_MAX
}

/** Configurations are never changed in place, so an unchanged part is the same object. */
function replacesEverything(from: Config, to: Config): boolean {
  return (['folders', 'devices', 'gui', 'options'] as const).every((part) => from[part] !== to[part])
}

/** Whether folders or devices are removed: then a copy is kept that the user can restore. */
function removesItems(from: Config, to: Config): boolean {
  const folders = new Set<string>(to.folders.map((folder) => folder.id))
  const devices = new Set<string>(to.devices.map((device) => device.deviceID))
  return (
    from.folders.some((folder) => !folders.has(folder.id)) ||
    from.devices.some((device) => !devices.has(device.deviceID))
  )
}

function isEqual(a: Config, b: Config): boolean {
  return JSON.stringify(configToJson(a)) === JSON.stringify(configToJson(b))
}
