import { posix } from 'node:path'
import { TwinfoldError } from '../../core/errors.ts'
import { run, type ServicePorts } from './definition.ts'
import type { ServicePlatform } from './types.ts'

export interface Account {
  readonly user: string
  readonly userId: number
  readonly userHome: string
}

/** User names that systemd and launchd accept, not numbers or specifiers. */
const USER_NAME = /^[A-Za-z_][\w.-]{0,63}\$?$/

const HOMES: Readonly<Record<ServicePlatform, string>> = {
  systemd: '/home/',
  launchd: '/Users/',
  windows: 'C:\\Users\\',
}

export function checkUserName(user: string, platform: ServicePlatform): void {
  if (platform === 'windows' ? !/[\x00-\x1f"]/.test(user) && user !== '' : USER_NAME.test(user)) return
  throw new TwinfoldError('usage', `--user: "${user}" is not a user name`)
}

/** An account of this machine, also of a directory service; undefined without one of that name. */
export async function findAccount(
  ports: ServicePorts,
  platform: ServicePlatform,
  user: string,
): Promise<Account | undefined> {
  if (platform === 'windows') return assumedAccount(platform, user)
  const call =
    platform === 'launchd' ? { program: 'id', args: ['-P', user] } : { program: 'getent', args: ['passwd', user] }
  const end = await run(ports, call)
  if (end.kind !== 'exited' || end.code !== 0) return undefined
  const fields = end.output.split('\n')[0]!.split(':')
  // "id -P" prints the longer line of BSD.
  const userHome = platform === 'launchd' ? fields[8] : fields[5]
  if (userHome === undefined || !posix.isAbsolute(userHome)) return undefined
  return { user, userId: Number(fields[2]), userHome }
}

/** For showing a definition of another machine. */
export function assumedAccount(platform: ServicePlatform, user: string): Account {
  return { user, userId: 1000, userHome: `${HOMES[platform]}${user}` }
}

/** The first of the paths, or of their parent directories, that the account may not read by its permission bits. */
export async function firstUnreadable(
  { disk }: ServicePorts,
  { userId }: Account,
  paths: readonly string[],
): Promise<string | undefined> {
  if (userId === 0) return undefined
  for (const path of paths) {
    for (let at = path; at !== posix.dirname(at); at = posix.dirname(at)) {
      const stat = await disk.stat(at).catch(() => undefined)
      if (stat !== undefined && stat.userId !== userId && (stat.mode & 0o001) === 0 && (stat.mode & 0o004) === 0)
        return at
    }
  }
  return undefined
}
