import { X509Certificate } from 'node:crypto'
import type { Config } from '../core/config/config.ts'
import { checkChange } from '../core/config/config-check.ts'
import { prepareConfig } from '../core/config/config-prepare.ts'
import type { Json } from '../core/config/config-json.ts'
import type { ExtensionsPatch } from '../core/config/extensions.ts'
import { isHashedPassword } from '../core/config/password.ts'
import { deviceIdFromCertificate } from '../core/device-id.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import type { Hook, NewHook } from '../core/hooks/hook.ts'
import { exportSetup } from '../core/setup/setup-export.ts'
import { parseSetup, type Setup } from '../core/setup/setup-file.ts'
import { planSetup, type SetupPlan } from '../core/setup/setup-plan.ts'
import { folderPath, type SetupState } from '../core/setup/setup-values.ts'
import type { Logger } from '../events/types.ts'
import { Mutex } from '../sync/mutex.ts'
import type { AppliedSetupFile, SetupRecord } from './applied-setup.ts'
import { hashOfKey, type Grants } from './grants.ts'
import type { Passwords } from './password.ts'
import type { ConfigStore, ExtensionStore, SetupRequest, SetupView } from './types.ts'

/** Ignore patterns of folders. */
export interface SetupIgnores {
  /** Undefined where they cannot be read. */
  read(folder: FolderId): Promise<readonly string[] | undefined>
  /** The directory of a new folder may not exist yet. */
  write(folder: FolderId, lines: readonly string[], isNew: boolean): Promise<void>
}

/** The hooks of the device. */
export interface SetupHooks {
  all(): Promise<readonly Hook[]>
  /** In place of the one of its name, which is removed without a new one. */
  replace(name: string, hook: NewHook | undefined): Promise<void>
}

export interface SetupDeps {
  readonly config: ConfigStore
  readonly extensions: ExtensionStore
  readonly grants: Grants
  readonly passwords: Pick<Passwords, 'hash' | 'verify'>
  readonly record: Pick<AppliedSetupFile, 'read' | 'write'>
  readonly ignores: SetupIgnores
  readonly hooks: SetupHooks
  readonly log: Logger
}

interface SetupWork {
  readonly plan: SetupPlan
  /** The same for a configuration that was changed meanwhile. */
  planOn(config: Config): SetupPlan
  readonly before: SetupRecord
}

/** Applies set-up files to this device, one at a time. */
export class SetupApplier implements SetupView {
  readonly #deps: SetupDeps
  readonly #own: { readonly ownDevice: DeviceId; readonly hostName: string }
  readonly #lock = new Mutex()

  constructor(deps: SetupDeps, own: { readonly ownDevice: DeviceId; readonly hostName: string }) {
    this.#deps = deps
    this.#own = own
  }

  async apply(document: Json, request: SetupRequest): Promise<SetupPlan> {
    using _lock = await this.#lock.lock()
    const record = await this.#deps.record.read()
    const current = this.#deps.config.current
    const setup = await this.#withHash(parseSetup(document, current.devices), current, record)
    this.#checkIdentity(setup)
    const state = await this.#state(setup)
    const options = {
      ...request,
      normalise: (config: Config) => prepareConfig(config, { ...this.#own, newApiKey: current.gui.apiKey }).config,
      hashOf: hashOfKey,
    }
    const planOn = (config: Config) => planSetup(setup, { ...state, config }, record, options)
    const plan = planOn(current)
    checkChange(current, plan.next.config)
    refuseEncrypted(setup, plan.next.config)
    refuseMissing(setup, plan.next.config)
    if (!request.check) await this.#carryOut(setup, { plan, planOn, before: record })
    return plan
  }

  /** The file of a start. Its drift is logged: there is no reply. */
  async applyAtStart(document: Json): Promise<void> {
    const { log } = this.#deps
    try {
      const { drift } = await this.apply(document, { check: false, prune: false, resetDrift: false })
      for (const { object, field } of drift)
        log.warn(`${object} ${field} was changed here since the set-up file set it, and is left as it is`)
    } catch (error) {
      // The rest was applied: one directory that cannot be written is no reason to have no device.
      if (!(error instanceof TwinfoldError) || error.code !== 'folder-error') throw error
      log.warn(error.message)
    }
  }

  async export(): Promise<Json> {
    const { config, extensions } = this.#deps
    const ignores = await this.#ignoresOf(config.current.folders.map(({ id }) => id))
    const hooks = await this.#deps.hooks.all()
    return exportSetup({ config: config.current, extensions: extensions.current, ignores, hooks }, this.#own.ownDevice)
  }

  #checkIdentity({ certificate }: Setup): void {
    if (certificate === undefined) return
    const wanted = deviceIdOfPem(certificate)
    if (wanted === this.#own.ownDevice) return
    const message = `this device is ${this.#own.ownDevice}; the certificate of the file is that of ${wanted}`
    throw new TwinfoldError('refused', `${message}. A device keeps its identity: use another home`)
  }

  /** The password as the hash that it has here, or had when it was applied: so it compares as any other value. */
  async #withHash(setup: Setup, { gui }: Config, { values }: SetupRecord): Promise<Setup> {
    const password = setup.gui['password']
    if (typeof password !== 'string' || password === '' || isHashedPassword(password)) return setup
    const applied: unknown = JSON.parse(values['gui/password.hash'] ?? '""')
    for (const hash of [gui.password, applied])
      if (typeof hash === 'string' && hash !== '' && (await this.#deps.passwords.verify(password, hash)))
        return { ...setup, gui: { ...setup.gui, password: hash } }
    return { ...setup, gui: { ...setup.gui, password: await this.#deps.passwords.hash(password) } }
  }

  async #state(setup: Setup): Promise<SetupState> {
    const { config, extensions, grants } = this.#deps
    const known = new Set<string>(config.current.folders.map(({ id }) => id))
    const asked = setup.folders.filter(({ id, ignores }) => ignores !== undefined && known.has(id)).map(({ id }) => id)
    return {
      config: config.current,
      extensions: extensions.current,
      ignores: await this.#ignoresOf(asked),
      keys: grants.all,
      hooks: await this.#deps.hooks.all(),
    }
  }

  async #ignoresOf(folders: readonly FolderId[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>()
    for (const folder of folders) {
      const lines = await this.#deps.ignores.read(folder)
      if (lines !== undefined) found.set(folder, lines)
    }
    return found
  }

  /** What a file makes is recorded before it is made, its values after: a repetition after a kill does the rest. */
  async #carryOut(setup: Setup, { plan, planOn, before }: SetupWork): Promise<void> {
    const { config, extensions, record, ignores, log } = this.#deps
    const isChanged = (path: string) => plan.changes.some((change) => change.path === path)
    const patterns = setup.folders.filter(({ id }) => isChanged(`${folderPath(id)}/ignores`))
    const known = new Set<string>(config.current.folders.map(({ id }) => id))
    const waiting = patterns.filter(({ id }) => !known.has(id) && !isPaused(plan.next.config, id)).map(({ id }) => id)
    const resume = [...new Set<string>([...before.resume, ...waiting])]
    await record.write({ made: plan.applied.made, values: before.values, resume })
    if (plan.changes.length > 0) {
      await config.change((current) => withPaused(planOn(current).next.config, waiting, true))
      await extensions.change({ ...settingsPatch(setup, isChanged), ...schedulePatch(plan) })
    }
    const failed = await writePatterns(patterns, ignores, (id) => !known.has(id))
    const ready = resume.filter((id) => !failed.has(id))
    if (ready.length > 0) await config.change((current) => withPaused(current, ready, false))
    await this.#changeKeys(setup, plan)
    await this.#changeHooks(setup, plan)
    const { password } = setup.gui
    const hash = { 'gui/password.hash': JSON.stringify(password) }
    const notSet = patterns.filter(({ id }) => failed.has(id)).map(({ id }) => `${folderPath(id)}/ignores`)
    const set = Object.entries(plan.applied.values).filter(([path]) => !notSet.includes(path))
    const values = { ...Object.fromEntries(set), ...(password !== undefined && hash) }
    await record.write({ made: plan.applied.made, values, resume: resume.filter((id) => failed.has(id)) })
    if (plan.changes.length > 0) log.info(`changes of a set-up file applied: ${plan.changes.length}`)
    if (failed.size > 0) throw patternsError(failed, resume)
  }

  async #changeHooks(setup: Setup, { changes }: SetupPlan): Promise<void> {
    for (const { path } of changes.filter((change) => change.path.startsWith('hooks/'))) {
      const name = path.slice('hooks/'.length)
      await this.#deps.hooks.replace(
        name,
        setup.hooks.find((hook) => hook.name === name),
      )
    }
  }

  async #changeKeys(setup: Setup, { changes }: SetupPlan): Promise<void> {
    for (const { path } of changes.filter((change) => change.path.startsWith('keys/'))) {
      const name = path.slice('keys/'.length)
      await this.#deps.grants.revoke('key', name)
      const key = setup.keys.find((each) => each.name === name)
      if (key === undefined) continue
      const folders = key.folders === undefined ? undefined : new Set(key.folders)
      const expiresMs = key.expires === undefined ? undefined : Date.parse(key.expires)
      await this.#deps.grants.addKey({ name, scope: key.scope, folders, expiresMs }, key.key)
    }
  }
}

type FailedPatterns = ReadonlyMap<string, unknown>

/** Writes the patterns of every folder, and returns the failures. */
async function writePatterns(
  folders: Setup['folders'],
  ignores: SetupIgnores,
  isNew: (folder: FolderId) => boolean,
): Promise<FailedPatterns> {
  const failed = new Map<string, unknown>()
  for (const { id, ignores: lines } of folders) {
    try {
      await ignores.write(id, lines ?? [], isNew(id))
    } catch (error) {
      failed.set(id, error)
    }
  }
  return failed
}

function patternsError(failed: FailedPatterns, paused: readonly string[]): TwinfoldError {
  const texts = Array.from(failed, ([id, error]) => {
    const effect = paused.includes(id) ? ' and stays paused' : ''
    return `folder ${id} did not get its ignore patterns${effect}: ${messageOf(error)}`
  })
  const message = `${texts.join('; ')}. The rest was applied; repair this and apply the file again`
  return new TwinfoldError('folder-error', message, { cause: [...failed.values()][0] })
}

function schedulePatch({ changes, next }: SetupPlan): ExtensionsPatch {
  const isChanged = changes.some(({ path }) => path.startsWith('schedule/'))
  return isChanged ? { schedule: next.extensions.schedule } : {}
}

/** A rule or a hook about a folder or a device that is not there would never do anything. */
function refuseMissing({ schedule, hooks }: Setup, { folders, devices }: Config): void {
  const all = [
    ...schedule.map((rule) => ({ ...rule, kind: 'rule' })),
    ...hooks.map((hook) => ({ ...hook, kind: 'hook' })),
  ]
  for (const { kind, name, folder, device } of all) {
    const isFolder = (folder ?? '') === '' || folders.some(({ id }) => id === folder)
    if (!isFolder) throw new TwinfoldError('bad-request', `${kind} ${name}: there is no folder ${folder}`)
    const isDevice = (device ?? '') === '' || devices.some(({ deviceID }) => deviceID === device)
    if (!isDevice) throw new TwinfoldError('bad-request', `${kind} ${name}: there is no device ${device}`)
  }
}

/** Only what changes: other settings may be changed at the same time. */
function settingsPatch({ switches, folders }: Setup, isChanged: (path: string) => boolean): ExtensionsPatch {
  const changed = folders.flatMap(({ id, settings }) => {
    const fields = Object.entries(settings).filter(([name]) => isChanged(`${folderPath(id)}/${name}`))
    return fields.length === 0 ? [] : [[id, Object.fromEntries(fields)] as const]
  })
  const changedSwitches = Object.entries(switches).filter(([name]) => isChanged(name))
  return { ...Object.fromEntries(changedSwitches), folders: Object.fromEntries(changed) }
}

function deviceIdOfPem(pem: string): DeviceId {
  try {
    return deviceIdFromCertificate(new X509Certificate(pem).raw)
  } catch (error) {
    throw new TwinfoldError('bad-request', `identity.certificate: ${messageOf(error)}`, { cause: error })
  }
}

function isPaused({ folders }: Config, id: FolderId): boolean {
  return folders.find((folder) => folder.id === id)?.paused ?? false
}

function withPaused(config: Config, ids: readonly string[], paused: boolean): Config {
  const folders = config.folders.map((folder) => (ids.includes(folder.id) ? { ...folder, paused } : folder))
  return { ...config, folders }
}

function refuseEncrypted(setup: Setup, { folders }: Config): void {
  for (const { id, ignores, settings } of setup.folders) {
    const folder = folders.find((each) => each.id === id)
    if (folder?.type !== 'receiveencrypted') continue
    const { priority: _, pauseOnBattery: _battery, ...others } = settings
    const hasSetting = Object.values(others).some(Boolean)
    if (ignores !== undefined || hasSetting)
      throw new TwinfoldError(
        'bad-request',
        `folder ${id} is encrypted: it has neither ignore patterns nor such settings`,
      )
  }
}
