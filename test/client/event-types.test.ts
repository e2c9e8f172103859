import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../src/client/client.ts'
import type { Config } from '../../src/core/config/config.ts'
import { EVENT_TYPES } from '../../src/events/types.ts'
import { EVENT_DATA, type EventJson } from '../../src/rest/event-data.ts'
import type { FolderStatusJson } from '../../src/rest/db.ts'

// The types of events; this file is checked by `npm run check`.

/** Never called, only compiled. */
export async function typed(client: Client, signal: AbortSignal): Promise<void> {
  for await (const event of client.events({ types: ['FolderSummary'] }, signal)) {
    const id: number = event.id
    const time: string = event.time
    const folder: string = event.data.folder
    void [id, time, folder]
    read(event)
    // @ts-expect-error there is no such event
    if (event.type === 'FolderSummry') return
  }
  // @ts-expect-error there is no such event
  void client.events({ types: ['FolderSummry'] }, signal)
  for await (const event of client.events({}, signal)) {
    // @ts-expect-error the data of no particular event
    void event.data.folder
  }
}

function read(event: EventJson): unknown {
  switch (event.type) {
    case 'FolderSummary': {
      const summary: FolderStatusJson = event.data.summary
      // @ts-expect-error there is no such field
      return [summary, event.data.summary.needBites]
    }
    case 'ConfigSaved':
      return event.data satisfies Config
    case 'Failure':
      return event.data satisfies string
    case 'ItemFinished':
      // @ts-expect-error it may be null
      return event.data.error satisfies string
    case 'StateChanged':
      // @ts-expect-error it may be missing
      return event.data.duration satisfies number
    case 'DownloadProgress':
      return event.data['folder']?.['file']?.bytesDone satisfies number | undefined
    default:
      return undefined
  }
}

test('every declared event can be requested by its name', () => {
  assert.deepEqual(EVENT_TYPES.toSorted(), Object.keys(EVENT_DATA).sort())
})
