import type { ProgramEnd } from '../../platform/programs.ts'

export const SERVICE_PLATFORMS = ['systemd', 'launchd', 'windows'] as const
export type ServicePlatform = (typeof SERVICE_PLATFORMS)[number]

/** A service of one login, or one that starts at boot. */
type ServiceScope = 'user' | 'system'

/** All data of a definition. The texts depend on nothing else. */
export interface ServiceFacts {
  readonly platform: ServicePlatform
  readonly scope: ServiceScope
  /** Without the suffix that the service manager requires. */
  readonly name: string
  /** The user the daemon runs as. */
  readonly user: string
  readonly userId: number
  readonly userHome: string
  /** The Node binary and our entry script, absolute; the same path twice where one file contains both. */
  readonly node: string
  readonly script: string
  readonly version: string
  /** Arguments for `serve`, besides those that the service manager needs. */
  readonly serveFlags: readonly string[]
  /** The only directories the daemon may write to; empty is no restriction. */
  readonly writable: readonly string[]
  /** The directory of the user's definitions, if the environment sets it (`XDG_CONFIG_HOME`). */
  readonly configHome?: string
  /** For a definition that is only passed to a program. */
  readonly temporaryDirectory: string
}

/** A program with its arguments; no shell reads them. */
export interface Call {
  readonly program: string
  readonly args: readonly string[]
  /** A failure is ignored: there was nothing to do. */
  readonly optional?: boolean
}

export interface ServiceState {
  readonly enabled: boolean
  readonly running: boolean
  readonly processId?: number
  /** Additional text of the service manager. */
  readonly detail?: string
}

/** How one service manager is used for one service. */
export interface ServicePlan {
  /** Its name in the service manager. */
  readonly id: string
  readonly path: string
  readonly content: string
  readonly encoding: 'utf8' | 'utf16le'
  /** Prints the definition where the service manager keeps it itself; `path` is then a temporary file. */
  readonly query?: Call
  readonly install: (changed: boolean) => readonly Call[]
  /** Before the definition is removed, and after. */
  readonly stop: readonly Call[]
  readonly forget: readonly Call[]
  readonly inspect: readonly Call[]
  readState(ends: readonly ProgramEnd[]): ServiceState
  /** The command that shows the log. */
  readonly logHint: string
}
