import { dirname, join } from 'node:path'
import type { FolderConfig } from '../core/config/config.ts'
import { folderRoot } from '../core/config/folder-root.ts'
import { isMissing, messageOf, systemCode } from '../core/errors.ts'
import { isPathWithin, pathKey } from '../core/paths.ts'
import type { Disk } from '../platform/disk.ts'
import { foldersAroundHome, realPathOf, type ProtectedHome } from './home-folders.ts'

/** Why a directory cannot become a folder. */
interface NewFolderProblem {
  readonly code:
    | 'empty'
    | 'contains-home'
    | 'user-home'
    | 'missing-parent'
    | 'not-a-directory'
    | 'unreadable'
    | 'read-only'
  readonly text: string
}

/** The result of the check of a directory before it is added as a folder. */
export interface NewFolderCheck {
  /** The absolute path. */
  readonly path: string
  readonly problem: NewFolderProblem | null
  /** What works, but is rarely intended. */
  readonly warnings: readonly string[]
  /** Whether the directory exists already. */
  readonly exists: boolean
  /** Free space on its disk, or on that of its parent; null if unknown. */
  readonly freeBytes: number | null
}

export interface NewFolderContext {
  readonly disk: Pick<Disk, 'realPath' | 'stat' | 'lstat' | 'list' | 'space' | 'makeDirectory' | 'removeDirectory'>
  readonly folders: readonly FolderConfig[]
  readonly home: ProtectedHome
}

const MARKER = '.stfolder'
/** Matches the pattern of temporary files, so no scan lists it. */
const PROBE = '.syncthing.probe.tmp'

/** Checks a directory that is to become a folder. Whether it can be written is tried with an empty directory. */
export async function checkNewFolder(context: NewFolderContext, folder: FolderConfig): Promise<NewFolderCheck> {
  const { home } = context
  const path = folderRoot(folder, home.userHome)
  const problem = (await placeProblem(context, folder, path)) ?? (await diskProblem(context, path))
  return {
    path,
    problem: problem ?? null,
    warnings: path === '' ? [] : await nestingWarnings(context, path),
    ...(path === '' ? { exists: false, freeBytes: null } : await placeFacts(context.disk, path)),
  }
}

async function placeProblem(
  { disk, home }: NewFolderContext,
  folder: FolderConfig,
  path: string,
): Promise<NewFolderProblem | undefined> {
  if (path === '') return { code: 'empty', text: 'the path is empty' }
  const [around] = await foldersAroundHome(disk, [folder], home)
  if (around !== undefined) {
    const text = `${path} contains the home of this device (${home.directories[0]}) with its private key`
    return { code: 'contains-home', text: `${text}; choose a smaller directory` }
  }
  if (pathKey(path) !== pathKey(folderRoot({ path: '~' }, home.userHome))) return undefined
  return { code: 'user-home', text: `${path} is the whole home directory of the user; choose a directory in it` }
}

async function placeFacts(
  disk: NewFolderContext['disk'],
  path: string,
): Promise<Pick<NewFolderCheck, 'exists' | 'freeBytes'>> {
  const exists = await disk.stat(path).then(
    ({ type }) => type === 'directory',
    () => false,
  )
  const space = await disk.space(exists ? path : dirname(path)).catch(() => undefined) // the problem tells why
  return { exists, freeBytes: space?.freeBytes ?? null }
}

async function diskProblem({ disk }: NewFolderContext, path: string): Promise<NewFolderProblem | undefined> {
  try {
    const { type } = await disk.stat(path)
    if (type !== 'directory') return { code: 'not-a-directory', text: `${path} is not a directory` }
  } catch (error) {
    return isMissing(error) ? missingProblem(disk, path) : unreadable(path, error)
  }
  try {
    await disk.list(path)
  } catch (error) {
    return unreadable(path, error)
  }
  const isMarked = await disk.lstat(join(path, MARKER)).then(
    () => true,
    () => false,
  )
  return isMarked ? undefined : writeProblem(disk, path, join(path, PROBE))
}

async function missingProblem(disk: NewFolderContext['disk'], path: string): Promise<NewFolderProblem | undefined> {
  const parent = dirname(path)
  try {
    const { type } = await disk.stat(parent)
    if (type !== 'directory') return { code: 'not-a-directory', text: `${parent} is not a directory` }
  } catch (error) {
    if (!isMissing(error)) return unreadable(parent, error)
    return { code: 'missing-parent', text: `${parent} does not exist; mount or create it first` }
  }
  return writeProblem(disk, parent, path)
}

async function writeProblem(
  disk: NewFolderContext['disk'],
  path: string,
  probe: string,
): Promise<NewFolderProblem | undefined> {
  try {
    await disk.makeDirectory(probe, 0o700)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined
    return { code: 'read-only', text: `${path} cannot be written: ${messageOf(error)}` }
  }
  await disk.removeDirectory(probe)
  return undefined
}

function unreadable(path: string, error: unknown): NewFolderProblem {
  return { code: 'unreadable', text: `${path} cannot be read: ${messageOf(error)}` }
}

/** Nested folders work, but their files are synchronized twice. */
async function nestingWarnings({ disk, folders, home }: NewFolderContext, path: string): Promise<readonly string[]> {
  const keyOf = async (root: string) => pathKey(await realPathOf(disk, root))
  const own = await keyOf(path)
  const warnings: string[] = []
  for (const folder of folders) {
    const root = folderRoot(folder, home.userHome)
    if (root === '') continue
    const other = await keyOf(root)
    if (isPathWithin(own, other)) warnings.push(`${path} is inside the folder "${folder.id}" (${root})`)
    else if (isPathWithin(other, own)) warnings.push(`${path} contains the folder "${folder.id}" (${root})`)
  }
  return warnings
}
