import { ClientError } from './errors.ts'

/** Answers of the daemon, as far as clients look into them. Field names are those of the wire. */
export interface VersionAnswer {
  readonly version: string
  readonly longVersion: string
  readonly os: string
  readonly arch: string
}

export interface SystemStatusAnswer {
  readonly myID: string
  readonly uptime: number
  readonly startTime: string
  readonly alloc: number
  readonly sys: number
  readonly guiAddressUsed: string
  readonly guiAddressOverridden: boolean
  readonly tilde: string
}

export interface FolderStatusAnswer {
  readonly state: string
  readonly stateChanged: string
  readonly error: string
  readonly errors: number
  readonly watchError: string
  readonly globalFiles: number
  readonly globalDirectories: number
  readonly globalBytes: number
  readonly localFiles: number
  readonly localDirectories: number
  readonly localSymlinks: number
  readonly localBytes: number
  readonly localDeleted: number
  readonly needFiles: number
  readonly needTotalItems: number
  readonly needBytes: number
  readonly receiveOnlyTotalItems: number
  readonly sequence: number
}

export interface FolderErrorsAnswer {
  readonly folder: string
  readonly errors: readonly { readonly path: string; readonly error: string }[] | null
}

export interface NeededFile {
  readonly name: string
  readonly size: number
}

export interface NeedAnswer {
  readonly progress: readonly NeededFile[]
  readonly queued: readonly NeededFile[]
  readonly rest: readonly NeededFile[]
  readonly page: number
  readonly perpage: number
}

export interface DebugAnswer {
  readonly enabled: readonly string[]
  readonly facilities: Readonly<Record<string, string>>
}

export interface LogMessage {
  readonly when: string
  readonly message: string
  readonly level: number | string
  readonly facility?: string
}

export interface EventAnswer {
  readonly id: number
  readonly globalID: number
  readonly time: string
  readonly type: string
  readonly data: unknown
}

/**
 * The only door from the text of an answer into its type. It checks that the text is JSON of the right kind, which
 * tells another program at the same address from a daemon; the fields are the daemon's promise.
 */
export function parseAnswer<T>(text: string, kind: 'object' | 'array', path: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ClientError('malformed', `${path} did not answer in JSON: is it another program?`, { text: text.slice(0, 200), cause })
  }
  const fits = kind === 'array' ? Array.isArray(value) : typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!fits) throw new ClientError('malformed', `${path} answered with something else than an ${kind}`, { text: text.slice(0, 200) })
  return value as T
}
