import type { EventMap, EventType } from './event-data.ts'

/** The folders and devices that an event is about. */
export interface EventSubjects {
  readonly folders: readonly string[]
  readonly devices: readonly string[]
}

/** Read from the data by the names of its fields, so that a new type needs no entry here. */
export function subjectsOf<K extends EventType>(type: K, data: EventMap[K]): EventSubjects {
  const fields: Readonly<Record<string, unknown>> = Object(data)
  switch (type) {
    case 'DeviceConnected':
    case 'DeviceDisconnected':
      return { folders: [], devices: texts(fields['id']) }
    case 'FolderPaused':
    case 'FolderResumed':
      return { folders: texts(fields['id']), devices: [] }
    case 'DownloadProgress':
      return { folders: Object.keys(fields), devices: [] }
    case 'PendingDevicesChanged':
    case 'PendingFoldersChanged': {
      const entries = [...list(fields['added']), ...list(fields['removed'])]
      return {
        folders: entries.flatMap((entry) => texts(entry['folderID'])),
        devices: entries.flatMap((entry) => texts(entry['deviceID'])),
      }
    }
    default:
      return { folders: texts(fields['folder']), devices: texts(fields['device']) }
  }
}

function texts(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : []
}

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value : []
}
