import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PAGE_EVENT_TYPES, pageEvent, type PageEvent } from '../../gui/live/event-types.ts'
import { applyConnections, applyEvent, reloadsFor } from '../../gui/live/reduce.ts'
import { INITIAL, type FolderLive, type LiveState } from '../../gui/live/state.ts'
import type { Config } from '../../src/core/config/config.ts'
import { EVENT_TYPES } from '../../src/events/types.ts'
import type { ConnectionsJson } from '../../src/rest/cluster.ts'
import type { FolderStatusJson } from '../../src/rest/db.ts'

const CONNECTED = { id: 'D', addr: '', deviceName: '', clientName: '', clientVersion: '', type: 'tcp-client' }
const PROGRESS = {
  total: 1,
  reused: 0,
  copiedFromOrigin: 0,
  copiedFromOriginShifted: 0,
  copiedFromElsewhere: 0,
  pulled: 0,
  pulling: 1,
  bytesDone: 1,
  bytesTotal: 2,
}

const status = (part: Partial<FolderStatusJson>) =>
  ({ state: 'idle', error: '', needTotalItems: 0, ...part }) as FolderStatusJson
const folder = (part: Partial<FolderLive> = {}): FolderLive => ({ status: status({}), completion: {}, ...part })
const withFolders = (folders: LiveState['folders']): LiveState => ({ ...INITIAL, folders })
const after = (state: LiveState, ...events: readonly PageEvent[]) => events.reduce(applyEvent, state)
const configOf = (...ids: readonly string[]) => ({ folders: ids.map((id) => ({ id })) }) as unknown as Config

describe('the state after an event', () => {
  it('follows the state of a folder, and discards the scan progress at its end', () => {
    const scanning = after(
      withFolders({ a: folder(), b: folder() }),
      { type: 'StateChanged', data: { folder: 'a', from: 'idle', duration: 1, to: 'scanning' } },
      { type: 'FolderScanProgress', data: { folder: 'a', current: 5, total: 10, rate: 1 } },
    )
    assert.equal(scanning.folders['a']?.status.state, 'scanning')
    assert.deepEqual(scanning.folders['a']?.scan, { current: 5, total: 10, rate: 1 })
    assert.equal(
      scanning.folders['b'],
      withFolders({ b: scanning.folders['b']! }).folders['b'],
      'others are the same object',
    )
    const idle = after(scanning, { type: 'StateChanged', data: { folder: 'a', from: 'idle', duration: 1, to: 'idle' } })
    assert.equal(idle.folders['a']?.scan, undefined)
    const broken = after(idle, {
      type: 'StateChanged',
      data: { folder: 'a', from: 'idle', to: 'error', error: 'folder marker missing' },
    })
    assert.equal(broken.folders['a']?.status.error, 'folder marker missing')
    assert.equal(
      after(broken, { type: 'StateChanged', data: { folder: 'a', from: 'idle', duration: 1, to: 'idle' } }).folders['a']
        ?.status.error,
      '',
    )
  })

  it('takes summaries, completions and progress', () => {
    const state = after(
      withFolders({ a: folder() }),
      { type: 'FolderSummary', data: { folder: 'a', summary: status({ needTotalItems: 3 }) } },
      {
        type: 'FolderCompletion',
        data: {
          folder: 'a',
          device: 'D',
          completion: 50,
          globalBytes: 2,
          needBytes: 1,
          globalItems: 2,
          needItems: 1,
          needDeletes: 0,
          remoteState: 'valid',
          sequence: 1,
        },
      },
      { type: 'DownloadProgress', data: { a: { 'x.txt': PROGRESS } } },
    )
    assert.equal(state.folders['a']?.status.needTotalItems, 3)
    assert.equal(state.folders['a']?.completion['D']?.needItems, 1)
    assert.deepEqual(state.progress, { a: { 'x.txt': PROGRESS } })
  })

  it('drops removed folders, and adds none', () => {
    const state = after(withFolders({ a: folder(), b: folder() }), { type: 'ConfigSaved', data: configOf('b', 'c') })
    assert.deepEqual(Object.keys(state.folders), ['b'])
    assert.deepEqual(
      after(state, { type: 'StateChanged', data: { folder: 'a', from: 'idle', duration: 1, to: 'idle' } }).folders,
      state.folders,
    )
  })

  it('takes the address of the page from the event, as the daemon may be gone from the old one', () => {
    const [from, to] = ['127.0.0.1:1', '127.0.0.1:2'].map((address) => {
      const gui = { address, useTLS: false, user: '' }
      return { ...configOf(), gui } as unknown as Config
    })
    assert.deepEqual(after({ ...INITIAL, config: from }, { type: 'ConfigSaved', data: to! }).config, to)
  })

  it('counts the events of each folder', () => {
    const state = after(
      INITIAL,
      { type: 'ItemFinished', data: { folder: 'a', item: 'x', type: 'file', action: 'update', error: null } },
      { type: 'LocalIndexUpdated', data: { folder: 'a', items: 0, filenames: [], sequence: 1, version: 1 } },
      { type: 'FolderErrors', data: { folder: 'b', errors: [] } },
    )
    assert.deepEqual(state.folderEvents, { a: 2, b: 1 })
  })

  it('does not change when events repeat what a response already contained', () => {
    const events: readonly PageEvent[] = [
      { type: 'StateChanged', data: { folder: 'a', from: 'idle', duration: 1, to: 'scanning' } },
      { type: 'FolderSummary', data: { folder: 'a', summary: status({ state: 'scanning', needTotalItems: 7 }) } },
      { type: 'StateChanged', data: { folder: 'a', from: 'idle', duration: 1, to: 'idle' } },
      { type: 'FolderSummary', data: { folder: 'a', summary: status({ needTotalItems: 2 }) } },
    ]
    const state = after(withFolders({ a: folder({ status: status({ needTotalItems: 2 }) }) }), ...events)
    assert.equal(state.folders['a']?.status.state, 'idle')
    assert.equal(state.folders['a']?.status.needTotalItems, 2)
  })
})

describe('what has to be reloaded after an event', () => {
  it('is the config after a change of it, and everything about folders and devices in one request', () => {
    assert.deepEqual(reloadsFor({ type: 'ConfigSaved', data: configOf('a', 'b', 'c') }), [
      'config',
      'summary',
      'restart',
    ])
  })

  it('is what the event does not contain', () => {
    assert.deepEqual(reloadsFor({ type: 'DeviceConnected', data: CONNECTED }), [
      'connections',
      'statistics',
      'warnings',
    ])
    assert.deepEqual(reloadsFor({ type: 'PendingDevicesChanged', data: {} }), ['pending'])
    assert.deepEqual(reloadsFor({ type: 'FolderResumed', data: { id: 'a', label: '' } }), ['folder:a'])
    assert.deepEqual(
      reloadsFor({ type: 'DownloadProgress', data: { a: {}, b: {} } }),
      ['folder:a', 'folder:b'],
      'their status reports what is left',
    )
    assert.deepEqual(
      reloadsFor({ type: 'StateChanged', data: { folder: 'a', from: 'idle', duration: 1, to: 'scanning' } }),
      [],
    )
    assert.deepEqual(
      reloadsFor({
        type: 'ItemFinished',
        data: { folder: 'a', item: 'x', type: 'file', action: 'update', error: null },
      }),
      [],
    )
  })
})

describe('rates', () => {
  const counted = (second: number, inBytesTotal: number): ConnectionsJson => {
    const at = new Date(second * 1_000).toISOString()
    const connection = { at, inBytesTotal, outBytesTotal: 0 } as ConnectionsJson['connections'][string]
    return { connections: { D: connection }, total: { at, inBytesTotal, outBytesTotal: 0 } }
  }

  it('are the difference of two counts by the time between', () => {
    const state = [counted(1, 1_000), counted(3, 5_000)].reduce(applyConnections, INITIAL)
    assert.deepEqual(state.rates['D'], { inBps: 2_000, outBps: 0 })
    assert.deepEqual(
      state.history.map(({ inBps }) => inBps),
      [0, 2_000],
    )
    assert.deepEqual(
      state.deviceHistory['D']?.map(({ inBps }) => inBps),
      [0, 2_000],
    )
  })

  it('are never negative: a restarted daemon counts from zero', () => {
    assert.equal([counted(1, 9_000), counted(3, 10)].reduce(applyConnections, INITIAL).rates['D']?.inBps, 0)
  })

  it('of ten minutes are kept', () => {
    const counts = Array.from({ length: 400 }, (_, index) => counted(1 + index * 2, index * 2_000))
    const state = counts.reduce(applyConnections, INITIAL)
    assert.equal(state.history.length, 300)
    assert.equal(
      [...counts, counts.at(-1)!].reduce(applyConnections, INITIAL).history.length,
      300,
      'the same count is no new point',
    )
  })
})

describe('the events that the page requests', () => {
  it('exist', () => {
    const known: ReadonlySet<string> = new Set(EVENT_TYPES)
    assert.deepEqual(
      PAGE_EVENT_TYPES.filter((type) => !known.has(type)),
      [],
    )
    assert.equal(
      [{ type: 'LoginAttempt', data: {} }, { type: 'toString', data: {} }, { type: 'FolderPaused' }].find(pageEvent),
      undefined,
    )
  })

  it('are applied without a browser', () => {
    for (const file of ['reduce', 'state', 'event-types']) {
      assert.doesNotMatch(
        readFileSync(new URL(`../../gui/live/${file}.ts`, import.meta.url), 'utf8'),
        /preact|document\.|window\./,
      )
    }
  })
})
