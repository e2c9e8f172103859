import { Passwords } from '../../src/config/password.ts'
import { openConfig, type OpenedConfig } from '../../src/config/store.ts'
import type { Config } from '../../src/core/config/config.ts'
import { upsertFolder } from '../../src/core/config/config-edit.ts'
import type { EventSink } from '../../src/events/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { simPasswords } from '../../src/platform/sim/passwords.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { LOCAL_ID, configFixture, newConfig, prepared, xmlOf } from '../support/config.ts'
import { quietLogger } from '../support/logger.ts'
export const HOME = '/home'
export const PATH = '/home/config.xml'
export const FULL = configFixture('full.xml')
/** A small configuration for hundreds of simulated crashes. */
export const SMALL = xmlOf({
  config: prepared(upsertFolder(newConfig(), { id: 'inbox', path: '/inbox' })),
  unknowns: new Map(),
})
export const DAY_MS = 24 * 3600 * 1000

interface Setup {
  readonly clock: SimClock
  readonly disk: SimDisk
  readonly log: ReturnType<typeof quietLogger>
  readonly saved: Config[]
  open(allowNewer?: boolean): Promise<OpenedConfig>
}

export function setup(content?: string, mode = 0o600): Setup {
  const clock = new SimClock()
  const disk = new SimDisk(clock, { umask: 0 })
  disk.put('/home/other', '')
  if (content !== undefined) disk.put(PATH, content, mode)
  const log = quietLogger('config')
  const saved: Config[] = []
  const events: EventSink = {
    emit: (type, data) => {
      if (type === 'ConfigSaved') saved.push(data as Config)
    },
  }
  const random = new SimRandom(7)
  const passwords = new Passwords({ hasher: simPasswords, random, clock, log })
  const options = { path: PATH, ownDevice: LOCAL_ID, hostName: 'host' }
  return {
    clock,
    disk,
    log,
    saved,
    open: (allowNewer = false) =>
      openConfig({ disk, clock, random, passwords, log, events }, { ...options, allowNewer }),
  }
}

export function read(disk: SimDisk, path = PATH): string {
  const into = Buffer.alloc(200_000)
  return into.toString('utf8', 0, disk.sync.read(path, into, 0))
}

export function names(disk: SimDisk): string[] {
  return disk.sync
    .list(HOME)
    .map(({ name }) => name)
    .filter((name) => name !== 'other')
    .sort()
}

export const addFolder = (id: string) => (config: Config) => upsertFolder(config, { id, path: `/data/${id}` })
