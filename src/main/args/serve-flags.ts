import type { FlagSpec } from '../../cli/args/flag-spec.ts'
import { DIRECTORY_FLAGS, GUI_FLAGS } from '../../cli/args/shared-flags.ts'

const PORT_PROBING: FlagSpec = {
  name: 'no-port-probing',
  aliases: ['skip-port-probing'],
  env: 'STNOPORTPROBING',
  description: 'Keep the default ports on the first start, even if they are taken',
}

const NO_DEFAULT_FOLDER: FlagSpec = { name: 'no-default-folder', env: 'STNODEFAULTFOLDER' }

export const SERVE_FLAGS: readonly FlagSpec[] = [
  ...DIRECTORY_FLAGS,
  ...GUI_FLAGS,
  {
    name: 'allow-open-gui',
    env: 'TWINFOLD_ALLOW_OPEN_GUI',
    description: 'Let a new home listen beyond loopback without a password',
  },
  {
    name: 'trusted-proxies',
    value: 'LIST',
    env: 'TWINFOLD_TRUSTED_PROXIES',
    description: 'Reverse proxies whose X-Forwarded-For is believed: addresses, networks, or unix for a UNIX socket',
  },
  {
    name: 'apply',
    value: 'FILE',
    env: 'TWINFOLD_APPLY',
    description: 'Apply this set-up file before the interface listens, as the command apply does',
  },
  { name: 'no-browser', env: 'STNOBROWSER', description: 'Open no browser (the default; kept for scripts)' },
  { name: 'browser', description: 'Open the GUI in a browser when it is ready' },
  { name: 'no-restart', env: 'STNORESTART', description: 'Exit with code 3 instead of restarting in place' },
  { name: 'no-upgrade', env: 'STNOUPGRADE', description: 'Never check for newer versions' },
  PORT_PROBING,
  { name: 'paused', env: 'STPAUSED', description: 'Start with all devices and folders paused' },
  { name: 'unpaused', env: 'STUNPAUSED', description: 'Start with all devices and folders running' },
  { name: 'allow-newer-config', env: 'STALLOWNEWERCONFIG', description: 'Accept a config.xml of a newer version' },
  {
    name: 'log-file',
    aliases: ['logfile'],
    value: 'PATH',
    env: 'STLOGFILE',
    description: 'File for the log (default: standard output); the word default is one in the data directory',
  },
  {
    name: 'log-max-size',
    value: 'BYTES',
    env: 'STLOGMAXSIZE',
    default: '10485760',
    description: 'Start a new log file beyond this size',
  },
  {
    name: 'log-max-old-files',
    value: 'N',
    env: 'STLOGMAXOLDFILES',
    default: '3',
    description: 'Old log files to keep',
  },
  { name: 'log-level', value: 'LEVEL', env: 'STLOGLEVEL', default: 'INFO', description: 'DEBUG, INFO, WARN or ERROR' },
  { name: 'log-format', value: 'FORMAT', env: 'STLOGFORMAT', default: 'text', description: 'text or json' },
  { name: 'audit', env: 'STAUDIT', description: 'Write every event to a dated file in the data directory' },
  {
    name: 'audit-file',
    aliases: ['auditfile'],
    value: 'PATH',
    env: 'STAUDITFILE',
    description: 'Write every event to this file; - is standard output, -- standard error',
  },
  { name: 'debug-gui-assets-dir', value: 'DIR', env: 'STGUIASSETS', description: 'Serve the GUI from this directory' },
  { name: 'debug-reset-delta-idxs', aliases: ['reset-deltas'] },
  NO_DEFAULT_FOLDER,
  // Flags of Syncthing without effect here; existing scripts and service files use them.
  { name: 'verbose' },
  { name: 'logflags', value: 'BITS' },
  { name: 'log-format-timestamp', value: 'FORMAT', env: 'STLOGFORMATTIMESTAMP' },
  { name: 'log-format-level-string', env: 'STLOGFORMATLEVELSTRING' },
  { name: 'log-format-level-syslog', env: 'STLOGFORMATLEVELSYSLOG' },
  { name: 'db-maintenance-interval', value: 'DURATION', env: 'STDBMAINTENANCEINTERVAL' },
  { name: 'db-delete-retention-interval', value: 'DURATION', env: 'STDBDELETERETENTIONINTERVAL' },
  { name: 'debug-db-indirect-gc-interval', value: 'DURATION', env: 'STGCINDIRECTEVERY' },
  { name: 'debug-db-recheck-interval', value: 'DURATION', env: 'STRECHECKDBEVERY' },
  { name: 'debug-perf-stats', env: 'STPERFSTATS' },
  { name: 'debug-profile-block', env: 'STBLOCKPROFILE' },
  { name: 'debug-profile-cpu', env: 'STCPUPROFILE' },
  { name: 'debug-profile-heap', env: 'STHEAPPROFILE' },
  { name: 'debug-profiler-listen', value: 'ADDRESS', env: 'STPROFILER' },
  { name: 'no-console', env: 'STHIDECONSOLE' },
]

/** Flags of 1.x that run a command, in the order of precedence when two are given. */
export const ACTION_FLAGS: readonly FlagSpec[] = [
  { name: 'version', runs: { command: 'version' } },
  { name: 'paths', runs: { command: 'paths' } },
  { name: 'device-id', runs: { command: 'device-id' } },
  { name: 'browser-only', runs: { command: 'browser' } },
  { name: 'generate', value: 'DIR', runs: { command: 'generate', valueAs: 'home', replaces: ['config', 'data'] } },
  { name: 'upgrade', runs: { command: 'upgrade' } },
  { name: 'upgrade-check', runs: { command: 'upgrade', flags: { 'check-only': 'true' } } },
  { name: 'upgrade-to', value: 'URL', runs: { command: 'upgrade', valueAs: 'from' } },
  { name: 'reset-database', runs: { command: 'debug reset-database' } },
]

export const GENERATE_FLAGS: readonly FlagSpec[] = [
  ...DIRECTORY_FLAGS,
  { name: 'gui-user', value: 'NAME', env: 'STGUIUSER', description: 'User name for GUI and REST' },
  {
    name: 'gui-password',
    value: 'PASSWORD',
    env: 'STGUIPASSWORD',
    description: 'Password for it; - reads one line from standard input',
  },
  PORT_PROBING,
  NO_DEFAULT_FOLDER,
]

export const UPGRADE_FLAGS: readonly FlagSpec[] = [
  ...DIRECTORY_FLAGS,
  { name: 'check-only', short: 'c', description: 'Only report whether there is a newer release' },
  {
    name: 'from',
    short: 'u',
    value: 'URL',
    description: 'Address of the package in an npm registry, instead of releasesURL',
  },
  {
    name: 'install',
    value: 'FILE',
    description: 'Replace this single-file executable by the one in an archive of a release, with SHA256SUMS beside it',
  },
]
