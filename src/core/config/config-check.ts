import type { Config, FolderConfig } from './config.ts'
import { TwinfoldError } from '../errors.ts'

export interface FolderProblem {
  readonly index: number
  readonly message: string
}

const VERSIONING_TYPES: ReadonlySet<string> = new Set(['', 'trashcan', 'simple', 'staggered', 'external'])

/** The first problem of a list of folders, with its index; undefined when there is none. */
export function checkFolders(folders: readonly FolderConfig[]): FolderProblem | undefined {
  const seen = new Set<string>()
  for (const [index, folder] of folders.entries()) {
    if (folder.id === '') return { index, message: 'folder has empty ID' }
    if (folder.path === '') return { index, message: `folder "${folder.id}": folder has empty path` }
    if (seen.has(folder.id)) return { index, message: `folder "${folder.id}": folder has duplicate ID` }
    seen.add(folder.id)
  }
  return undefined
}

/** Throws `config-invalid` for a change that a running daemon cannot apply. */
export function checkChange(from: Config, to: Config): void {
  const before = new Map(from.folders.map((folder) => [folder.id, folder]))
  for (const folder of to.folders) {
    const old = before.get(folder.id)
    if (old !== undefined && (old.type === 'receiveencrypted') !== (folder.type === 'receiveencrypted')) {
      throw invalid(`folder "${folder.id}": the type cannot change from or to receiveencrypted; add the folder anew`)
    }
    if (!VERSIONING_TYPES.has(folder.versioning.type)) {
      throw invalid(`folder "${folder.id}": requested versioning type "${folder.versioning.type}" does not exist`)
    }
  }
  if (to.gui.address !== from.gui.address || to.gui.enabled !== from.gui.enabled) {
    const problem = to.gui.enabled ? guiAddressProblem(to.gui.address) : undefined
    if (problem !== undefined) throw invalid(problem)
  }
}

/** Why listening on the address is impossible; undefined for `host:port` and for the absolute path of a UNIX socket. */
export function guiAddressProblem(address: string): string | undefined {
  if (address.startsWith('/') || /^unixs?:\/\//.test(address)) return undefined
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):([^:]*)$/.exec(address)
  if (match === null) {
    const colons = address.split(':').length - 1
    return `address ${address}: ${colons === 0 ? 'missing port in address' : 'too many colons in address'}`
  }
  const port = match[3] ?? ''
  return /^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? undefined : `address ${address}: invalid port`
}

function invalid(message: string): TwinfoldError {
  return new TwinfoldError('config-invalid', message)
}
