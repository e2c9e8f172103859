import { join } from 'node:path'
import { isMissing } from '../../core/errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'

const FILE = 'syncthing-import.json'
const FILE_BYTES_MAX = 4_096
const PRIVATE = 0o600

/** What was done with the index of Syncthing; beside our own databases, so that it goes with them. */
export interface ImportState {
  /** The fingerprint of that index. */
  readonly source: string
  /** `running` also after a part failed: the next start continues. `declined`: a new index was wanted instead. */
  readonly state: 'running' | 'done' | 'declined'
}

/** Undefined where there is none, and for anything else than a state. */
export async function readImportState(disk: Disk, directory: string): Promise<ImportState | undefined> {
  try {
    await using file = await disk.open(join(directory, FILE), 'read')
    const data = Buffer.alloc(FILE_BYTES_MAX)
    return parseState(JSON.parse(data.toString('utf8', 0, await file.read(data, 0))))
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined
    throw error
  }
}

function parseState(value: unknown): ImportState | undefined {
  if (typeof value !== 'object' || value === null || !('source' in value) || !('state' in value)) return undefined
  const { source, state } = value
  if (typeof source !== 'string' || (state !== 'running' && state !== 'done' && state !== 'declined')) return undefined
  return { source, state }
}

export async function writeImportState(disk: Disk, directory: string, state: ImportState): Promise<void> {
  await writeFileAtomically(disk, join(directory, FILE), Buffer.from(JSON.stringify(state)), PRIVATE, `${FILE}.tmp`)
}
