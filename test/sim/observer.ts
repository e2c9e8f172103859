import type { Event } from '../../src/events/types.ts'
import type { SimChange } from '../../src/platform/sim/disk.ts'
import { ROOT, type SimDevice } from './device.ts'
import type { FaultInjector } from './faults.ts'
import type { Monitor } from './monitor.ts'
import { PullSources } from './pull-sources.ts'
import type { Reached } from './sometimes.ts'
import type { Trace } from './trace.ts'
import type { User } from './user.ts'

export interface ObserverDeps {
  readonly trace: Trace
  readonly reached: Reached
  readonly user: User
  readonly monitor: Monitor
  faults(): FaultInjector
}

/** Passes the events of devices and the changes of their disks on to all that follow the run. */
export class Observer {
  readonly #deps: ObserverDeps
  readonly #pullSources: PullSources

  constructor(deps: ObserverDeps) {
    this.#deps = deps
    this.#pullSources = new PullSources(deps.reached)
  }

  onEvent(device: SimDevice, event: Event): void {
    const { monitor, reached, trace, user } = this.#deps
    const faults = this.#deps.faults()
    trace.add(device.name, `${event.type} ${JSON.stringify(event.data, printable)}`)
    reached.noteEvent(event)
    this.#pullSources.onEvent(device, event)
    if (event.type === 'LocalIndexUpdated') user.removals.unrecorded.recorded(device.name, event.data.filenames)
    if (event.type === 'LocalChangeDetected' && event.data.action === 'deleted')
      monitor.checkDeletion(device, event.data.path)
    if (event.type === 'StateChanged') faults.stateChanged(device, event.data.to)
    if (event.type === 'ItemFinished' && event.data.error === null) monitor.onPulled(device, event.data.item)
    if (event.type === 'ItemStarted' && event.data.action !== 'metadata' && event.data.type !== 'dir')
      device.changing.set(event.data.item, event.data.action)
    if (event.type === 'ItemFinished') device.changing.delete(event.data.item)
    if (event.type === 'ItemStarted') faults.itemStarted(device)
  }

  onDiskChange(device: SimDevice, { kind, path }: SimChange): void {
    const { monitor, reached } = this.#deps
    if (kind !== 'changed') return monitor.onRemoved(device, path)
    monitor.onChanged(device, path)
    if (path.startsWith(`${ROOT}/.stversions/`)) reached.note('an old version was kept')
  }
}

function printable(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
