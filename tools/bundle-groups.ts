import { join } from 'node:path'
import type { OutputOptions } from 'rolldown'
import { root } from './manifest.ts'

interface Imports {
  /** Of a module when it is loaded. */
  readonly importedIds: readonly string[]
  /** Of its functions when they are called. */
  readonly dynamicallyImportedIds: readonly string[]
}

const main = (name: string) => join(root, 'src', 'main', name)
const SERVE = main('commands/serve.ts')
/** Commands that run daemons in their own process. */
const DAEMONS = [SERVE, main('commands/demo.ts')]
const COMMANDS = main('commands/dispatch.ts')
/** What every command loads, and the quickest one. */
const EVERY_COMMAND = [
  COMMANDS,
  ...['start.ts', 'commands/version.ts', 'home/find-daemon.ts', '../cli/terminal.ts', '../cli/tree.ts'].map(main),
]

/** Loaded by a daemon with folders: their loops and their indexes. */
const FOLDERS = ['../model/folder/open-folder.ts', '../db/folder/folder-index.ts'].map(main)

/** Loaded by a daemon with the first request that is not a ping. */
const ROUTES = main('../http/served.ts')

/** What the daemon loads, and most of what commands do. None imports one after it. */
export const CACHED_GROUPS = ['base', 'shared', 'daemon', 'rest-shared', 'folders', 'rest'] as const

/**
 * Joins modules into one file that only the daemon loads, one each for its folders and its routes, one that every
 * command loads, and two that daemon and routes share with some commands. Else there is a file for each set of
 * commands: eighty, which take the start of the daemon a third more processor time and 7 MiB more memory.
 */
export function daemonGroups(): NonNullable<OutputOptions['codeSplitting']> {
  let groupOf: ((id: string) => string | null) | undefined
  const name = (id: string, context: { getModuleInfo(id: string): Imports | null }) => {
    groupOf ??= decideGroups((module) => context.getModuleInfo(module))
    return groupOf(id)
  }
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'daemon' }] }
}

function decideGroups(importsOf: (id: string) => Imports | null): (id: string) => string | null {
  const linked = (id: string) => importsOf(id)?.importedIds ?? []
  const daemon = reachable([SERVE], linked)
  const folders = reachable(FOLDERS, linked)
  const routes = reachable([ROUTES], linked)
  const everyCommand = reachable(EVERY_COMMAND, linked)
  const commands = reachable([COMMANDS], (id) =>
    [...linked(id), ...(importsOf(id)?.dynamicallyImportedIds ?? [])].filter((imported) => !DAEMONS.includes(imported)),
  )
  return (id) => {
    const isEarly = daemon.has(id) || (folders.has(id) && routes.has(id))
    if (everyCommand.has(id) && (isEarly || routes.has(id))) return 'base'
    if (isEarly) return commands.has(id) ? 'shared' : 'daemon'
    if (routes.has(id)) return commands.has(id) ? 'rest-shared' : 'rest'
    return folders.has(id) && !commands.has(id) ? 'folders' : null
  }
}

function reachable(from: readonly string[], importsOf: (id: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set(from)
  for (const id of found) for (const imported of importsOf(id)) found.add(imported)
  return found
}
