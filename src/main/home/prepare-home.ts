import { isMissing } from '../../core/errors.ts'
import type { Locations } from '../../core/locations.ts'
import { NEVER } from '../../core/never.ts'
import {
  isInProfile,
  restrictAdvice,
  restrictCommand,
  userCommand,
  userSid,
  type SystemCommand,
} from '../../core/windows-programs.ts'
import type { Disk } from '../../platform/disk.ts'
import type { System } from '../../platform/platform.ts'
import { PRIVATE_VARIABLES, type ProgramEnd, type Programs } from '../../platform/programs.ts'
import { ensureHome } from './identity.ts'

export interface HomeDeps {
  readonly disk: Disk
  readonly programs: Programs
  readonly system: Pick<System, 'platform' | 'environment'>
}

type HomeLocations = Pick<Locations, 'configDirectory' | 'dataDirectory' | 'keyFile'>

const COMMAND_MS_MAX = 20_000

/** Creates what is missing of a home and closes it to other users. Resolves with a warning where that fails. */
export async function prepareHome(deps: HomeDeps, locations: HomeLocations): Promise<readonly string[]> {
  const { disk, system } = deps
  const { configDirectory, dataDirectory, keyFile } = locations
  const directories = [...new Set([configDirectory, dataDirectory])]
  const isWindows = system.platform === 'win32'
  const open = isWindows ? directories.filter((each) => !isInProfile(each, (name) => system.environment(name))) : []
  const isNew = open.length > 0 && (await isAbsent(disk, keyFile))
  const filled = new Set<string>()
  for (const directory of isNew ? open : []) if (!(await isEmpty(disk, directory))) filled.add(directory)
  await ensureHome(disk, locations)
  if (!isNew) return []
  const warnings: string[] = []
  for (const directory of open) {
    // Rights are inherited: those of files that are there already would change, too.
    const reason = filled.has(directory) ? 'it has other files' : await restrict(deps, directory)
    if (reason !== undefined) warnings.push(warning(directory, reason))
  }
  return warnings
}

async function isAbsent(disk: Disk, path: string): Promise<boolean> {
  return disk.lstat(path).then(() => false, isMissing)
}

/** Also where it is missing. */
async function isEmpty(disk: Disk, directory: string): Promise<boolean> {
  return disk.list(directory).then(({ length }) => length === 0, isMissing)
}

function warning(directory: string, reason: string): string {
  const remedy = `run ${restrictAdvice(directory)}, or use a home below %LOCALAPPDATA%`
  return `other users may read the keys in ${directory}: its rights were not changed (${reason}); ${remedy}`
}

async function restrict({ programs, system }: HomeDeps, directory: string): Promise<string | undefined> {
  const run = async ({ program, args }: SystemCommand): Promise<ProgramEnd> =>
    await programs.run(
      { program, args, environment: {}, hidden: PRIVATE_VARIABLES, timeLimitMs: COMMAND_MS_MAX },
      NEVER,
    )
  const systemRoot = system.environment('SystemRoot')
  const user = await run(userCommand(systemRoot))
  const sid = user.kind === 'exited' && user.code === 0 ? userSid(user.output) : undefined
  if (sid === undefined) return `the user is not known: ${failureOf(user)}`
  const done = await run(restrictCommand(systemRoot, directory, sid))
  return done.kind === 'exited' && done.code === 0 ? undefined : failureOf(done)
}

function failureOf(end: ProgramEnd): string {
  if (end.kind !== 'exited') return end.reason
  return end.output.trim().split(/\r?\n/)[0] || `exit code ${end.code}`
}
