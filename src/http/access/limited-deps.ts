import { isFolderVisible, type Grant } from '../../core/access.ts'
import type { Config } from '../../core/config/config.ts'
import { limitConfig } from '../../core/config/limit-config.ts'
import { secretsIn } from '../../core/config/redact.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { REDACTED } from '../../core/redact-address.ts'
import type { LogControl, LogLine } from '../../events/types.ts'
import type { DiskSpace, RestDeps, RestOptions } from '../types.ts'
import { LimitedEvents } from './limited-events.ts'

/** Shorter ones occur by chance in other text. */
const SECRET_LENGTH_MIN = 4
const NO_LINES: readonly LogLine[] = []

type LimitOptions = Pick<RestOptions, 'deviceId' | 'guiApiKey'>

/**
 * The parts that handlers use, as a grant sees them: without secrets, and without other folders. A request that names
 * another folder is refused before, so that what takes a folder needs no limit here.
 */
export function limitDeps(whole: RestDeps, grant: Grant, { deviceId: ownDevice, guiApiKey }: LimitOptions): RestDeps {
  if (grant.scope === 'admin') return { ...whole, grant }
  const { folders: limit } = grant
  const limited = (config: Config) => limitConfig(config, limit, ownDevice)
  const config = limitStore(whole, limited)
  const limitedEvents = new LimitedEvents({
    source: whole.events,
    clock: whole.clock,
    limit,
    config: () => config.current,
    limited,
  })
  const { emit } = whole.events
  const events: RestDeps['events'] = {
    sequence: () => limitedEvents.sequence(),
    buffer: (types) => limitedEvents.buffer(types),
    shown: limitedEvents.shown,
    emit: emit.bind(whole.events),
  }
  const parts = { ...whole, grant, config, events, log: limitLog(whole, guiApiKey, limit !== undefined) }
  return limit === undefined ? parts : { ...parts, ...limitFolders(whole, limit, config) }
}

/** A change is one that the scope allows: it is made to the whole configuration. */
function limitStore({ config }: RestDeps, limited: (config: Config) => Config): RestDeps['config'] {
  let seen: { readonly of: Config; readonly as: Config } | undefined
  return {
    get current() {
      const { current } = config
      if (seen?.of !== current) seen = { of: current, as: limited(current) }
      return seen.as
    },
    get restartRequired() {
      return config.restartRequired
    },
    change: (make) => config.change(make),
    subscribe: (listener) => config.subscribe(listener),
  }
}

/** Lines without secrets. Whether a line concerns a folder is not known: a grant for folders sees none. */
function limitLog({ log, config }: RestDeps, guiApiKey: string | undefined, isFolderOnly: boolean): LogControl {
  const clean = (lines: readonly LogLine[]) => {
    if (isFolderOnly || lines.length === 0) return NO_LINES
    const all = [...secretsIn(config.current), guiApiKey ?? '']
    const secrets = all.filter(({ length }) => length >= SECRET_LENGTH_MIN)
    return lines.map((line) => ({ ...line, message: withoutSecrets(line.message, secrets) }))
  }
  return {
    lines: (sinceMs) => clean(log.lines(sinceMs)),
    errors: () => clean(log.errors()),
    reportError: (message) => log.reportError(message),
    clearErrors: () => log.clearErrors(),
    level: (facility) => log.level(facility),
    setLevel: (facility, level) => log.setLevel(facility, level),
  }
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), text)
}

function limitFolders(
  whole: RestDeps,
  limit: ReadonlySet<string>,
  config: RestDeps['config'],
): Partial<RestDeps> & Pick<RestDeps, 'hub'> {
  const { connections, discovery, pending, completion, deviceStatistics, folderWork, indexWork } = whole
  const isVisible = (folder: string | undefined) => folder !== undefined && isFolderVisible(limit, folder)
  const devices = () => new Set(config.current.devices.map(({ deviceID }) => deviceID))
  return {
    hub: limitHub(whole, limit),
    extensions: limitExtensions(whole, limit),
    pauses: limitPauses(whole, limit),
    series: limitSeries(whole, (kind, subject) => (kind === 'behind' ? limit : devices()).has(subject)),
    disks: async () => limitDisks(await whole.disks(), limit),
    schedule: limitSchedule(whole, limit),
    ...(connections !== undefined && {
      connections: {
        status: () => {
          const status = connections.status()
          return { ...status, lastDials: new Map(), devices: only(status.devices, devices()) }
        },
      },
    }),
    ...(discovery !== undefined && {
      discovery: { status: () => discovery.status(), found: () => only(discovery.found(), devices()) },
    }),
    ...(pending !== undefined && {
      pending: {
        devices: [],
        get folders() {
          return pending.folders.filter(({ folder }) => isVisible(folder))
        },
        dismissDevice: refuse,
        dismissFolder: refuse,
      },
    }),
    ...(completion !== undefined && {
      completion: {
        completion: (folder, device) => completion.completion(folder, device, limit),
        remoteNeed: (folder, device, paging) => completion.remoteNeed(folder, device, paging),
      },
    }),
    ...(deviceStatistics !== undefined && {
      deviceStatistics: async () => only(await deviceStatistics(), devices()),
    }),
    ...(folderWork !== undefined && { folderWork: () => only(folderWork(), limit) }),
    ...(indexWork !== undefined && { indexWork: () => only(indexWork(), limit) }),
    disagreements: () => (whole.disagreements?.() ?? []).filter(({ folder }) => isVisible(folder)),
    // They name folders and addresses; who may only see some folders cannot follow the remedies.
    warnings: async () => [],
    indexImport: () => {
      const progress = whole.indexImport?.()
      return progress === undefined || isVisible(progress.folder) ? progress : { ...progress, folder: undefined }
    },
  }
}

/** Without a folder those of the grant are meant. */
function limitHub({ hub }: RestDeps, limit: ReadonlySet<string>): RestDeps['hub'] {
  const overridden: Pick<RestDeps['hub'], 'scanAll' | 'folderStatistics'> = {
    scanAll: async () => {
      const failures = new Map<FolderId, string>()
      for (const folder of limit as ReadonlySet<FolderId>) {
        try {
          await hub.scan(folder)
        } catch (error) {
          if (!(error instanceof TwinfoldError)) throw error
          failures.set(folder, error.message)
        }
      }
      return failures
    },
    folderStatistics: async () => only(await hub.folderStatistics(), limit),
  }
  // The other members take a folder, which was checked; they are methods of an object with private fields.
  return new Proxy(hub, {
    get: (target, name) => {
      if (Object.hasOwn(overridden, name)) return Reflect.get(overridden, name)
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

function limitExtensions({ extensions }: RestDeps, limit: ReadonlySet<string>): RestDeps['extensions'] {
  return {
    get current() {
      const { current } = extensions
      const folders = Object.entries(current.folders).filter(([id]) => limit.has(id))
      return { ...current, folders: Object.fromEntries(folders) }
    },
    change: refuse,
    subscribe: (listener) => extensions.subscribe(listener),
  }
}

/** Without the traffic of all devices, and without other disks. */
function limitSeries({ series }: RestDeps, isVisible: (kind: string, subject: string) => boolean): RestDeps['series'] {
  const kinds: readonly string[] = ['behind', 'connected']
  return {
    read: (query) =>
      series.read({
        ...query,
        isWanted: (kind, subject) => kinds.includes(kind) && isVisible(kind, subject) && query.isWanted(kind, subject),
      }),
  }
}

function limitDisks(disks: readonly DiskSpace[], limit: ReadonlySet<string>): readonly DiskSpace[] {
  return disks.flatMap((disk) => {
    const folders = disk.folders.filter((id) => limit.has(id))
    return folders.length === 0 ? [] : [{ ...disk, folders }]
  })
}

function limitPauses({ pauses }: RestDeps, limit: ReadonlySet<string>): RestDeps['pauses'] {
  return {
    all: () => pauses.all().filter(({ target: { kind, id } }) => kind === 'folder' && limit.has(id)),
    pause: async (target, forMs) => {
      if (target.kind !== 'folder' || !limit.has(target.id)) refuse()
      await pauses.pause(target, forMs)
    },
  }
}

/** Rules about other folders and about devices are not shown; a rule about all is. */
function limitSchedule({ schedule }: RestDeps, limit: ReadonlySet<string>): RestDeps['schedule'] {
  const isVisible = ({ kind, id }: { readonly kind: string; readonly id: string }) => kind === 'folder' && limit.has(id)
  return {
    status: () => {
      const status = schedule.status()
      const rules = status.rules.filter(
        ({ rule: { folder, device } }) => device === null && (folder === null || limit.has(folder)),
      )
      return { ...status, rules, pauses: status.pauses.filter(isVisible) }
    },
    set: refuse,
    remove: refuse,
    resume: async (targets) => (targets.every(isVisible) ? await schedule.resume(targets) : refuse()),
  }
}

function refuse(): never {
  throw new TwinfoldError('forbidden', 'this key is limited to folders; this acts on the whole device')
}

function only<K extends string, V>(all: ReadonlyMap<K, V>, visible: ReadonlySet<string>): Map<K, V> {
  return new Map([...all].filter(([id]) => visible.has(id)))
}
