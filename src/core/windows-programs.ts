import { win32 } from 'node:path'

/** A program of Windows, by its full path: the working directory may have another one of the same name. */
export interface SystemCommand {
  readonly program: string
  readonly args: readonly string[]
}

type Environment = (name: string) => string | undefined

/** They have all rights on every file anyway. */
const SYSTEM_SID = 'S-1-5-18'
const ADMINISTRATORS_SID = 'S-1-5-32-544'
const SID = /\bS-1-\d+(?:-\d+)+\b/g

/** Hides an item from file managers. */
export function hideCommand(systemRoot: string | undefined, path: string): SystemCommand {
  return systemCommand(systemRoot, 'attrib.exe', ['+H', path])
}

/** Prints the security identifier of the user of this process; `userSid` finds it in the output. */
export function userCommand(systemRoot: string | undefined): SystemCommand {
  return systemCommand(systemRoot, 'whoami.exe', ['/user', '/fo', 'csv', '/nh'])
}

/** The last one: a name before it may look like one. */
export function userSid(output: string): string | undefined {
  return output.match(SID)?.at(-1)
}

/** Gives a directory and all that is made in it to one user and to administrators, with no other rights. */
export function restrictCommand(systemRoot: string | undefined, directory: string, sid: string): SystemCommand {
  const grants = [sid, SYSTEM_SID, ADMINISTRATORS_SID].map((each) => `*${each}:(OI)(CI)F`)
  return systemCommand(systemRoot, 'icacls.exe', [directory, '/inheritance:r', '/grant:r', ...grants, '/q'])
}

/** What a user may type in place of `restrictCommand`. */
export function restrictAdvice(directory: string): string {
  return `icacls "${directory}" /inheritance:r /grant:r "%USERNAME%:(OI)(CI)F" "*${SYSTEM_SID}:(OI)(CI)F"`
}

/** Whether a directory is in the profile of the user, which Windows closes to others. */
export function isInProfile(directory: string, environment: Environment): boolean {
  return ['USERPROFILE', 'LOCALAPPDATA', 'APPDATA'].some((name) => {
    const place = environment(name) ?? ''
    if (place === '') return false
    const below = win32.relative(place, directory) // ignores case, as Windows does
    return below !== '..' && !below.startsWith('..\\') && !win32.isAbsolute(below)
  })
}

function systemCommand(systemRoot: string | undefined, name: string, args: readonly string[]): SystemCommand {
  return { program: win32.join(systemRoot || 'C:\\Windows', 'System32', name), args }
}
