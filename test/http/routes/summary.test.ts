import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import { fakeRest, IDLE, LOCAL_ID } from '../fakes.ts'
import { NO_EXPLORER } from '../fake-hub.ts'
import { connected } from '../connected.ts'

// The fake checks replies against their declared schemas.

const BEN = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2' as DeviceId

const IMPORTING = { version: '1.x', folder: undefined, folderNumber: 0, folderCount: 2, items: 0, totalItems: 0 }

test('a summary contains the replies of the single routes', async () => {
  const completion = {
    completion: async () => ({
      completion: 95,
      globalBytes: 1,
      globalItems: 1,
      needBytes: 0,
      needDeletes: 1,
      needItems: 0,
      remoteState: 'valid' as const,
      sequence: 3,
    }),
    remoteNeed: async () => [],
  }
  const folder = {
    devices: [LOCAL_ID, BEN].map((deviceID) => ({ deviceID, introducedBy: '' as const, encryptionPassword: '' })),
  }
  const rest = fakeRest({
    peers: [BEN],
    folder,
    deps: {
      completion,
      warnings: async () => [{ code: 'gui-open', message: 'open', remedy: 'close' }],
      pauses: {
        all: () => [{ target: { kind: 'folder', id: 'share' }, untilMs: Date.UTC(2026, 10, 16) }],
        pause: async () => {},
      },
      disagreements: () => [{ device: BEN, folder: undefined, code: 'other-password', whenMs: 1_000 }],
      indexImport: () => IMPORTING,
      connections: { status: () => connected(BEN) },
      deviceStatistics: async () => new Map([[BEN, { lastSeenMs: 1_000, lastConnectionMs: 5 }]]),
    },
  })
  rest.log.reportError('something is wrong')
  rest.time.nowMs += 5_500
  const one = async (path: string): Promise<unknown> => JSON.parse((await rest.send('GET', path)).body)
  const all = await one('/rest/twinfold/summary')
  assert.deepEqual(all, {
    system: { myID: LOCAL_ID, version: 'v1.0.0', uptimeS: 5, startTime: '2026-11-18T11:06:40Z', trustedProxies: [] },
    access: { name: null, scope: 'admin', folders: null },
    folders: {
      share: {
        status: await one('/rest/db/status?folder=share'),
        completion: { [BEN]: await one(`/rest/db/completion?folder=share&device=${BEN}`) },
      },
    },
    connections: await one('/rest/system/connections'),
    warnings: await one('/rest/twinfold/warnings'),
    disagreements: await one('/rest/twinfold/disagreements'),
    indexImport: { ...IMPORTING, folder: '' },
    pauses: [{ kind: 'folder', id: 'share', until: '2026-11-16T00:00:00Z' }],
    scheduledPauses: [],
    pendingDevices: await one('/rest/cluster/pending/devices'),
    pendingFolders: await one('/rest/cluster/pending/folders'),
    errors: ((await one('/rest/system/error')) as { errors: unknown }).errors,
    deviceStats: await one('/rest/stats/device'),
    folderStats: await one('/rest/stats/folder'),
  })
  assert.deepEqual(await one('/rest/twinfold/index-import'), { progress: { ...IMPORTING, folder: '' } })
  assert.deepEqual(await one('/rest/twinfold/pulse'), {
    startTime: '2026-11-18T11:06:40Z',
    connections: await one('/rest/system/connections'),
    disagreements: await one('/rest/twinfold/disagreements'),
    indexImport: { ...IMPORTING, folder: '' },
  })
})

test('a summary omits a folder without status, and has no completion for a paused one', async () => {
  const failing = fakeRest({
    hub: { status: () => Promise.reject(new TwinfoldError('folder-not-running', 'not now')) },
  })
  assert.deepEqual(
    (JSON.parse((await failing.send('GET', '/rest/twinfold/summary')).body) as { folders: unknown }).folders,
    {},
  )
  const paused = fakeRest({
    folder: { paused: true, devices: [{ deviceID: BEN, introducedBy: '', encryptionPassword: '' }] },
    hub: { statusNow: () => IDLE },
  })
  const { folders } = JSON.parse((await paused.send('GET', '/rest/twinfold/summary')).body) as {
    folders: { share: { completion: unknown } }
  }
  assert.deepEqual(folders.share.completion, {})
})

test('a summary has the time of the last change of a folder, whoever made it', async () => {
  const entry = { atMs: Date.UTC(2026, 10, 16), kind: 'changed' } as never
  const explorer = async () => ({
    ...NO_EXPLORER,
    history: async () => ({ entries: [entry], next: undefined, completeSinceMs: 0 }),
  })
  const { send } = fakeRest({ deps: { explorer } })
  const { folders } = JSON.parse((await send('GET', '/rest/twinfold/summary')).body)
  assert.equal(folders.share.lastChange, '2026-11-16T00:00:00Z')
})
