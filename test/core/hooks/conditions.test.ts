/** When hooks fire: only for a state that has settled, once, and never for what was so before. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkHook, type HookMemory } from '../../../src/core/hooks/conditions.ts'
import {
  diskState,
  ownSync,
  remoteSync,
  type DeviceStates,
  type FolderFacts,
  type RemoteDevice,
} from '../../../src/core/hooks/device-states.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import type { Hook, HookCondition } from '../../../src/core/hooks/hook.ts'

const CREATED_MS = 1_000_000_000_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const FOLDER: FolderFacts = {
  id: 'photos',
  label: 'Photos',
  sync: 'in-sync',
  needItems: 0,
  needBytes: 0,
  remoteSync: new Map(),
  error: '',
  receivedMs: 0,
  sequence: 7,
  space: undefined,
  conflicts: undefined,
  held: undefined,
}
const DEVICE: RemoteDevice = { id: 'DEVICE1', name: 'laptop', isConnected: true, isPaused: false, lastSeenMs: 0 }

function hookOn(on: HookCondition, afterMs: number, more: Partial<Hook> = {}): Hook {
  const target = { kind: 'url', url: 'https://a.test', format: 'json', secret: undefined, allowPrivate: false } as const
  return {
    id: 'h',
    name: 'h',
    on,
    folder: undefined,
    device: undefined,
    afterMs,
    target,
    createdMs: CREATED_MS,
    ...more,
  }
}

/** Steps through states; the memory goes through JSON, as over a restart. */
class Watched {
  readonly hook: Hook
  memory: HookMemory = {}
  nowMs = CREATED_MS
  nextMs: number | undefined

  constructor(hook: Hook) {
    this.hook = hook
  }

  /** The texts of what fires after this time. */
  see(states: Partial<DeviceStates>, elapsedMs = 0): readonly string[] {
    this.nowMs += elapsedMs
    const all = { nowMs: this.nowMs, elapsedMs, folders: [FOLDER], devices: [DEVICE], ...states }
    const { memory, occurrences, nextMs } = checkHook(this.hook, this.memory, all)
    this.memory = JSON.parse(JSON.stringify(memory))
    this.nextMs = nextMs
    return occurrences.map(({ text }) => text)
  }

  folder(facts: Partial<FolderFacts>, elapsedMs = 0): readonly string[] {
    return this.see({ folders: [{ ...FOLDER, ...facts }] }, elapsedMs)
  }
}

describe('folder-in-sync', () => {
  it('does not fire for a folder that is in sync when the hook is made, nor after a restart', () => {
    const watched = new Watched(hookOn('folder-in-sync', 10_000))
    for (const sync of ['in-sync', 'unknown', 'in-sync', 'paused', 'in-sync'] as const) {
      assert.deepEqual(watched.folder({ sync }, MINUTE_MS), [])
    }
  })

  it('fires once when a folder that was behind has been in sync for the time', () => {
    const watched = new Watched(hookOn('folder-in-sync', 10_000))
    assert.deepEqual(watched.folder({ sync: 'behind', needItems: 3 }), [])
    assert.deepEqual(watched.folder({}, 5_000), [])
    assert.equal(watched.nextMs, watched.nowMs + 10_000)
    assert.deepEqual(watched.folder({}, 9_000), [])
    assert.deepEqual(watched.folder({}, 1_000), ['Folder "Photos" is in sync'])
    assert.deepEqual(watched.folder({}, DAY_MS), [])
    assert.deepEqual(
      [watched.folder({ sync: 'behind' }), watched.folder({}), watched.folder({}, 10_000)],
      [[], [], ['Folder "Photos" is in sync']],
    )
  })

  it('fires for files that came and were complete between two looks, and waits until no more come', () => {
    const watched = new Watched(hookOn('folder-in-sync', 10_000))
    const before = CREATED_MS - 1
    assert.deepEqual([watched.folder({ receivedMs: before }), watched.folder({ receivedMs: before }, DAY_MS)], [[], []])
    const first = watched.nowMs + 1
    assert.deepEqual(watched.folder({ receivedMs: first }), [])
    assert.deepEqual(watched.folder({ receivedMs: first + 9_000 }, 9_000), [])
    assert.deepEqual(watched.folder({ receivedMs: first + 9_000 }, 9_000), [])
    assert.deepEqual(watched.folder({ receivedMs: first + 9_000 }, 1_000), ['Folder "Photos" is in sync'])
    assert.deepEqual(watched.folder({ receivedMs: first + 9_000 }, DAY_MS), [])
  })

  it('of another device is about its state, and another folder does not count', () => {
    const watched = new Watched(hookOn('folder-in-sync', 0, { device: 'DEVICE1', folder: 'photos' }))
    const remote = (sync: 'in-sync' | 'behind') => ({ remoteSync: new Map([['DEVICE1', sync]]) })
    assert.deepEqual(watched.folder({ ...remote('behind'), receivedMs: CREATED_MS + 5 }), [])
    assert.deepEqual(watched.see({ folders: [{ ...FOLDER, id: 'other', ...remote('in-sync') }] }), [])
    assert.deepEqual(watched.folder(remote('behind')), [])
    assert.deepEqual(watched.folder(remote('in-sync')), ['Folder "Photos" is in sync on laptop'])
    // A change that was complete there between two looks, and an index that was lost.
    const text = ['Folder "Photos" is in sync on laptop']
    assert.deepEqual(watched.folder({ ...remote('in-sync'), sequence: 8 }), text)
    assert.deepEqual(watched.folder({ ...remote('in-sync'), sequence: 8 }), [])
    assert.deepEqual(watched.folder({ ...remote('in-sync'), sequence: 2 }), [])
    assert.deepEqual(watched.folder({ ...remote('in-sync'), sync: 'unknown', sequence: 0 }), [])
    assert.deepEqual(watched.folder({ ...remote('in-sync'), sequence: 2 }), [])
    const fresh = new Watched(watched.hook)
    assert.deepEqual([fresh.folder(remote('in-sync')), fresh.folder(remote('in-sync'), DAY_MS)], [[], []])
  })
})

describe('folder-behind', () => {
  it('fires when a folder was behind for the time that the process ran, once until it is in sync', () => {
    const watched = new Watched(hookOn('folder-behind', 60 * MINUTE_MS))
    assert.deepEqual(watched.folder({ sync: 'behind' }), [])
    assert.deepEqual(watched.folder({ sync: 'behind' }, 59 * MINUTE_MS), [])
    // Started again after a night: those hours do not count, the minutes before do.
    watched.nowMs += DAY_MS
    assert.deepEqual(watched.folder({ sync: 'unknown' }), [])
    assert.deepEqual(watched.folder({ sync: 'behind' }), [])
    assert.deepEqual(watched.folder({ sync: 'behind' }, MINUTE_MS), ['Folder "Photos" has been behind for 1h'])
    assert.deepEqual(watched.folder({ sync: 'behind' }, DAY_MS), [])
    watched.folder({})
    watched.folder({ sync: 'behind' })
    assert.equal(watched.folder({ sync: 'behind' }, 60 * MINUTE_MS).length, 1)
  })

  it('starts anew after a pause', () => {
    const watched = new Watched(hookOn('folder-behind', 10 * MINUTE_MS))
    watched.folder({ sync: 'behind' })
    watched.folder({ sync: 'behind' }, 9 * MINUTE_MS)
    watched.folder({ sync: 'paused' })
    watched.folder({ sync: 'behind' })
    assert.deepEqual(watched.folder({ sync: 'behind' }, 9 * MINUTE_MS), [])
  })
})

describe('error and error-gone', () => {
  it('fire for an error that appears and for its end, not for one that was there', () => {
    const error = new Watched(hookOn('error', 10_000))
    const gone = new Watched(hookOn('error-gone', 10_000))
    const see = (text: string | undefined, elapsedMs: number) => [
      error.folder({ error: text }, elapsedMs),
      gone.folder({ error: text }, elapsedMs),
    ]
    assert.deepEqual(
      [see('disk gone', 0), see('disk gone', MINUTE_MS)],
      [
        [[], []],
        [[], []],
      ],
    )
    assert.deepEqual(
      [see('', 0), see('', 10_000)],
      [
        [[], []],
        [[], ['Folder "Photos" has no error any more']],
      ],
    )
    assert.deepEqual(see('full', 0), [[], []])
    assert.deepEqual(see(undefined, DAY_MS), [[], []])
    assert.deepEqual(see('full', 10_000), [['Folder "Photos" has an error: full'], []])
    assert.deepEqual(see('full', DAY_MS), [[], []])
  })

  it('do not fire for an error that passes at once', () => {
    const watched = new Watched(hookOn('error', 10_000))
    watched.folder({})
    assert.deepEqual([watched.folder({ error: 'x' }), watched.folder({}, 5_000)], [[], []])
    assert.deepEqual([watched.folder({ error: 'x' }, 5_000), watched.folder({ error: 'x' }, 9_999)], [[], []])
  })
})

describe('conflict', () => {
  it('fires for new conflict copies, not for those that are there, were lost with the index, or are gone', () => {
    const watched = new Watched(hookOn('conflict', 0))
    const see = (conflicts: readonly string[] | undefined) => watched.folder({ conflicts })
    assert.deepEqual([see(undefined), see(['old']), see(undefined), see(['old'])], [[], [], [], []])
    assert.deepEqual(see(['new', 'old']), ['Folder "Photos" has a new conflict copy: new'])
    assert.deepEqual([see([]), see(['new', 'old'])], [[], []])
    assert.deepEqual(see(['a', 'b', 'c', 'new']), ['Folder "Photos" has a new conflict copy: a (and 2 more)'])
  })
})

describe('guard-held', () => {
  const held = (sinceMs: number, ...origins: readonly DeviceId[]) => ({
    held: origins.map((origin) => ({ deletions: 7, truncations: 1, sinceMs, origin })),
  })
  const [D, E] = ['D', 'E'] as [DeviceId, DeviceId]

  it('fires once for what the guard holds since the hook was made, however it grows', () => {
    const watched = new Watched(hookOn('guard-held', 0))
    const later = CREATED_MS + 1
    const text = 'The guard of folder "Photos" holds 7 deletions and 1 emptied files'
    assert.deepEqual([watched.folder(held(CREATED_MS - 1, D)), watched.folder({})], [[], []])
    assert.deepEqual(watched.folder(held(later, D)), [text])
    assert.deepEqual([watched.folder(held(later, D)), watched.folder({}), watched.folder(held(later, D))], [[], [], []])
    assert.equal(watched.folder(held(later, D, E)).length, 1)
    assert.equal(watched.folder(held(later + 1, D)).length, 1)
  })
})

describe('device-away', () => {
  const device = (more: Partial<RemoteDevice>) => ({ devices: [{ ...DEVICE, isConnected: false, ...more }] })

  it('fires after the days, once until it was connected, also for days that this device did not run', () => {
    const watched = new Watched(hookOn('device-away', 3 * DAY_MS))
    watched.see({})
    assert.deepEqual(watched.see(device({ lastSeenMs: CREATED_MS })), [])
    assert.equal(watched.nextMs, CREATED_MS + 3 * DAY_MS)
    watched.nowMs += 4 * DAY_MS
    assert.deepEqual(watched.see(device({ lastSeenMs: CREATED_MS })), ['Device "laptop" was last seen 4 days ago'])
    assert.deepEqual(watched.see(device({ lastSeenMs: CREATED_MS }), DAY_MS), [])
    watched.see({})
    assert.equal(watched.see(device({ lastSeenMs: watched.nowMs }), 3 * DAY_MS).length, 1)
  })

  it('does not fire for a device that was away already, or is paused', () => {
    const away = new Watched(hookOn('device-away', DAY_MS))
    assert.deepEqual(away.see(device({ lastSeenMs: CREATED_MS - 9 * DAY_MS })), [])
    assert.deepEqual(away.see(device({ lastSeenMs: CREATED_MS - 9 * DAY_MS }), DAY_MS), [])
    const paused = new Watched(hookOn('device-away', DAY_MS))
    paused.see({})
    assert.deepEqual(paused.see(device({ lastSeenMs: CREATED_MS, isPaused: true }), 9 * DAY_MS), [])
  })

  it('counts from the hook for a device that never connected', () => {
    const watched = new Watched(hookOn('device-away', DAY_MS))
    assert.deepEqual([watched.see(device({})), watched.see(device({}), DAY_MS - 1)], [[], []])
    assert.deepEqual(watched.see(device({}), 1), ['Device "laptop" has never connected'])
  })
})

describe('disk-low', () => {
  const low = diskState({ freeBytes: 9, totalBytes: 1_000 }, { value: 1, unit: '%' })
  const close = diskState({ freeBytes: 10, totalBytes: 1_000 }, { value: 1, unit: '%' })
  const enough = diskState({ freeBytes: 12, totalBytes: 1_000 }, { value: 1, unit: '%' })

  it('fires below the minimum, and again only after clearly more was free', () => {
    assert.deepEqual([low.is, close.is, enough.is], ['low', 'nearly-low', 'enough'])
    const watched = new Watched(hookOn('disk-low', 0))
    const see = (space: typeof low) => watched.folder({ space })
    assert.deepEqual([see(low), see(enough)], [[], []])
    assert.deepEqual(see(low), ['The disk of folder "Photos" is low: current 0.90 % < required 1 %'])
    assert.deepEqual([see(close), see(low), see(enough), see(low).length], [[], [], [], 1])
  })
})

describe('all-in-sync', () => {
  it('calls once per interval while every folder that is not paused is in sync and has no error', () => {
    const watched = new Watched(hookOn('all-in-sync', 5 * MINUTE_MS))
    assert.deepEqual(watched.folder({}), ['All folders are in sync'])
    assert.equal(watched.nextMs, watched.nowMs + 5 * MINUTE_MS)
    assert.deepEqual(watched.folder({}, 5 * MINUTE_MS - 1), [])
    assert.equal(watched.folder({}, 1).length, 1)
    const bad = [{ sync: 'behind' }, { sync: 'unknown' }, { error: 'full' }, { error: undefined }] as const
    for (const facts of bad) assert.deepEqual(watched.folder(facts, 5 * MINUTE_MS), [])
    assert.deepEqual(watched.see({ folders: [] }, 5 * MINUTE_MS), [])
    assert.deepEqual(watched.folder({ sync: 'paused' }, 5 * MINUTE_MS), [])
    assert.equal(watched.see({ folders: [FOLDER, { ...FOLDER, id: 'b', sync: 'paused' }] }).length, 1)
  })

  it('with a device needs that device to be in sync, too', () => {
    const watched = new Watched(hookOn('all-in-sync', 5 * MINUTE_MS, { device: 'DEVICE1' }))
    assert.deepEqual(watched.folder({ remoteSync: new Map([['DEVICE1', 'behind']]) }), [])
    assert.equal(watched.folder({ remoteSync: new Map([['DEVICE1', 'in-sync']]) }).length, 1)
  })

  it('goes on when the clock was set back', () => {
    const watched = new Watched(hookOn('all-in-sync', 5 * MINUTE_MS))
    watched.folder({})
    watched.nowMs -= DAY_MS
    assert.equal(watched.folder({}).length, 1)
  })
})

it('the state of a folder: a folder that stopped or starts is not in sync', () => {
  const own = (state: string, needItems = 0, isPaused = false) => ownSync({ isPaused, state, needItems })
  assert.deepEqual(
    [own('idle'), own('scanning'), own('idle', 1), own('error'), own('error', 1), own(''), own('', 0, true)],
    ['in-sync', 'in-sync', 'behind', 'unknown', 'behind', 'unknown', 'paused'],
  )
  const remote = (remoteState: string, needItems = 0, needDeletes = 0) =>
    remoteSync({ remoteState, needItems, needDeletes })
  assert.deepEqual(
    [remote('valid'), remote('unknown'), remote('valid', 1), remote('unknown', 0, 1), remote('paused', 1)],
    ['in-sync', 'unknown', 'behind', 'behind', 'paused'],
  )
})
