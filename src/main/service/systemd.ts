import { posix } from 'node:path'
import type { ProgramEnd } from '../../platform/programs.ts'
import { markerLine } from './marker.ts'
import { isSingleFile, programWords } from './program.ts'
import { quotedArgument, quotedPath, quotedProgram } from './systemd-text.ts'
import type { Call, ServiceFacts, ServicePlan, ServiceState } from './types.ts'

/** Longer than the daemon's own limit (10 s), so that the daemon ends itself first. */
const STOP_S = 20

export function systemdPlan(facts: ServiceFacts): ServicePlan {
  const id = `${facts.name}.service`
  const scope = facts.scope === 'user' ? ['--user'] : []
  const control = (...args: string[]): Call => ({
    program: 'systemctl',
    args: [...scope, ...args],
  })
  const reload = control('daemon-reload')
  // A unit that failed too often does not start again without this.
  const reset = { ...control('reset-failed', id), optional: true }
  return {
    id,
    path: posix.join(unitDirectory(facts), id),
    content: unitText(facts),
    encoding: 'utf8',
    install: (changed) => [reload, control('enable', id), reset, control(changed ? 'restart' : 'start', id)],
    stop: [control('disable', '--now', id)],
    forget: [reload, reset],
    inspect: [control('show', id, `--property=${PROPERTIES.join(',')}`)],
    readState,
    logHint: `journalctl ${facts.scope === 'user' ? '--user ' : ''}-u ${id}`,
  }
}

function unitDirectory({ scope, configHome, userHome }: ServiceFacts): string {
  if (scope === 'system') return '/etc/systemd/system'
  return posix.join(configHome ?? posix.join(userHome, '.config'), 'systemd', 'user')
}

function unitText(facts: ServiceFacts): string {
  const { scope, name, serveFlags } = facts
  const [program, ...script] = programWords(facts)
  const args = [...script, 'serve', '--no-browser', '--no-restart', ...serveFlags]
  const body = unitBody({
    about: `# "twinfold service install" writes this file and "twinfold service uninstall" removes it.
# For changes of your own use "systemctl ${scope === 'user' ? '--user ' : ''}edit ${name}".`,
    start: [quotedProgram(program!), ...args.map(quotedArgument)].join(' '),
    ...(scope === 'system' && { system: { user: facts.user, fileSystem: systemLines(facts) } }),
  })
  return `# ${markerLine(facts, body)}\n${body}`
}

function systemLines(facts: ServiceFacts): string {
  return `${fileSystemLines(facts.writable)}${unpackLines(facts)}`
}

/**
 * A unit of a package of the system, which starts the program of the package: of a user's service manager, or the
 * template of a system service, whose instance is the name of a user.
 */
export function packagedUnit(kind: 'user' | 'template', program: string): string {
  const edit = kind === 'user' ? '--user edit twinfold' : 'edit twinfold@NAME'
  return unitBody({
    about: `# For changes of your own use "systemctl ${edit}".`,
    start: `${program} serve --no-browser --no-restart`,
    documentation: 'man:twinfold(1)',
    ...(kind === 'template' && { system: { user: '%i', fileSystem: fileSystemLines([]) } }),
  })
}

interface UnitParts {
  /** The comment at the top. */
  readonly about: string
  readonly start: string
  readonly documentation?: string
  /** Only of a system service: its user, and the settings of what it may write. */
  readonly system?: { readonly user: string; readonly fileSystem: string }
}

function unitBody({ about, start, documentation, system }: UnitParts): string {
  const whose = system?.user === '%i' ? ' for %i' : ''
  const more = [
    ...(documentation === undefined ? [] : [`Documentation=${documentation}`]),
    ...(system === undefined ? [] : ['After=network.target']),
  ]
  return `${about}

[Unit]
Description=Twinfold, continuous file synchronization${whose}
${more.map((line) => `${line}\n`).join('')}StartLimitIntervalSec=60
StartLimitBurst=4

[Service]
Type=simple
ExecStart=${start}
# Threads share free memory, so that less is kept at the peak of a scan or a pull.
Environment=MALLOC_ARENA_MAX=2
${system === undefined ? '' : `User=${system.user}\n`}Restart=on-failure
RestartSec=1
# 3: restart requested. 4: upgraded.
SuccessExitStatus=3 4
RestartForceExitStatus=3 4
TimeoutStopSec=${STOP_S}

${system === undefined ? USER_HARDENING : systemHardening(system.fileSystem)}
[Install]
WantedBy=${system === undefined ? 'default.target' : 'multi-user.target'}
`
}

/** System calls are filtered, which needs no privilege. Both kinds of unit have these. */
const FILTERS = `NoNewPrivileges=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
# Not set: MemoryDenyWriteExecute, because Node compiles code while it runs; RestrictSUIDSGID, because it refuses to
# change the permissions of a directory that has the set-group-ID bit.
`

const USER_HARDENING = `# What a unit of a user can have without PrivateUsers. ProtectSystem, PrivateTmp and
# similar need it in a user's service manager, and it would show files of other users and groups as owned by "nobody".
${FILTERS}`

function systemHardening(fileSystem: string): string {
  return `# Owners of files are only synchronized with these in a drop-in file:
#   CapabilityBoundingSet=CAP_CHOWN CAP_FOWNER
#   AmbientCapabilities=CAP_CHOWN CAP_FOWNER
CapabilityBoundingSet=
AmbientCapabilities=
${FILTERS}# Privileged calls are out, but for chown: the group of a file may be changed by its owner.
SystemCallFilter=~@privileged @debug @mount @cpu-emulation @obsolete @raw-io @reboot @swap @module @clock
SystemCallFilter=@chown
${fileSystem}PrivateTmp=yes
PrivateMounts=yes
PrivateDevices=yes
DevicePolicy=closed
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectProc=invisible
KeyringMode=private
# Not set: PrivateUsers, because owners must be visible; ProtectHome, because folders are there; RemoveIPC, because the
# user may be one who logs in.
`
}

/** Beside the home of the user, which may be read-only or missing. */
function unpackLines(facts: ServiceFacts): string {
  if (!isSingleFile(facts)) return ''
  return `# The executable unpacks its files here.
CacheDirectory=${facts.name}
CacheDirectoryMode=0700
Environment=TWINFOLD_CACHE_DIR=%C/${facts.name}
`
}

function fileSystemLines(writable: readonly string[]): string {
  if (writable.length === 0) {
    return `# Folders may be anywhere, so only the system itself is read-only. "twinfold service install --writable DIR"
# makes everything else read-only.
ProtectSystem=full
`
  }
  return `# A folder elsewhere cannot be written: name its directory here, too.
ProtectSystem=strict
${writable.map((path) => `ReadWritePaths=${quotedPath(path)}\n`).join('')}`
}

const PROPERTIES = ['UnitFileState', 'ActiveState', 'SubState', 'MainPID', 'Result', 'ExecMainStatus'] as const

function readState([end]: readonly ProgramEnd[]): ServiceState {
  if (end?.kind !== 'exited') return { enabled: false, running: false }
  const values = new Map(end.output.split('\n').map((line) => splitOnce(line)))
  const active = values.get('ActiveState') ?? 'unknown'
  const running = active === 'active' || active === 'reloading'
  const processId = Number(values.get('MainPID') ?? 0)
  return {
    enabled: ['enabled', 'enabled-runtime', 'linked'].includes(values.get('UnitFileState') ?? ''),
    running,
    ...(running && processId > 0 && { processId }),
    ...(!running && { detail: stateDetail(active, values) }),
  }
}

function stateDetail(active: string, values: ReadonlyMap<string, string>): string {
  const result = values.get('Result') ?? 'success'
  const failure = result === 'success' ? '' : `, ${result}, last exit code ${values.get('ExecMainStatus') ?? '?'}`
  return `${active} (${values.get('SubState') ?? '?'})${failure}`
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf('=')
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}
