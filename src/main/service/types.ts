import type { ProgramEnd } from '../../platform/programs.ts'

export const SERVICE_PLATFORMS = ['systemd', 'launchd', 'windows'] as const
export type ServicePlatform = (typeof SERVICE_PLATFORMS)[number]

/** A service of one login, or one that the machine starts with. */
type ServiceScope = 'user' | 'system'

/** Everything a definition is made of. The texts depend on nothing else. */
export interface ServiceFacts {
  readonly platform: ServicePlatform
  readonly scope: ServiceScope
  /** Without the suffix that the service manager wants. */
  readonly name: string
  /** Who the daemon runs as. */
  readonly user: string
  readonly userId: number
  readonly userHome: string
  /** The Node binary and our entry script, absolute. */
  readonly node: string
  readonly script: string
  readonly version: string
  /** Flags for `serve`, one word each, besides those that the service manager needs. */
  readonly serveFlags: readonly string[]
  /** The only places the daemon may write to; empty is wherever its user may. */
  readonly writable: readonly string[]
  /** Where definitions of the user are, if the environment says so (`XDG_CONFIG_HOME`). */
  readonly configHome?: string
  /** For a definition that is only handed to a program. */
  readonly temporaryDirectory: string
}

/** A program with its arguments; no shell reads them. */
export interface Call {
  readonly program: string
  readonly args: readonly string[]
  /** A failure is of no consequence: there was nothing to be done. */
  readonly optional?: boolean
}

export interface ServiceState {
  readonly enabled: boolean
  readonly running: boolean
  readonly processId?: number
  /** The service manager's own words, where they say more. */
  readonly detail?: string
}

/** How one service manager is used for one service. */
export interface ServicePlan {
  /** As the service manager calls it. */
  readonly id: string
  readonly path: string
  readonly content: string
  readonly encoding: 'utf8' | 'utf16le'
  /** Prints the definition where the service manager keeps it itself; `path` is then a temporary file. */
  readonly query?: Call
  readonly install: (changed: boolean) => readonly Call[]
  /** Before the definition goes, and after. */
  readonly stop: readonly Call[]
  readonly forget: readonly Call[]
  readonly inspect: readonly Call[]
  readState(ends: readonly ProgramEnd[]): ServiceState
  /** What shows a person the log. */
  readonly logHint: string
}
