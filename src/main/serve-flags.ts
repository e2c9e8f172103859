import type { Flag } from './flags.ts'

/** Where the home is: understood by every command, before it or after it. */
export const DIRECTORY_FLAGS: readonly Flag[] = [
  { name: 'home', short: 'H', value: 'DIR', variable: 'STHOMEDIR', help: 'Directory of configuration and data' },
  {
    name: 'config',
    short: 'C',
    value: 'DIR',
    variable: 'STCONFDIR',
    help: 'Directory of configuration and keys; needs --data',
  },
  {
    name: 'data',
    short: 'D',
    value: 'DIR',
    variable: 'STDATADIR',
    help: 'Directory of index, log and lock; needs --config',
  },
]

/** How the daemon is reached: an override for `serve`, an address for the commands that talk to it. */
export const GUI_FLAGS: readonly Flag[] = [
  {
    name: 'gui-address',
    value: 'URL',
    variable: 'STGUIADDRESS',
    help: 'Address of GUI and REST instead of the configured one',
  },
  {
    name: 'gui-apikey',
    value: 'KEY',
    variable: 'STGUIAPIKEY',
    help: 'API key; for serve, in addition to the configured one',
  },
]

const PORT_PROBING: Flag = {
  name: 'no-port-probing',
  aliases: ['skip-port-probing'],
  variable: 'STNOPORTPROBING',
  help: 'Keep the default ports on the first start, free or not',
}

const NO_DEFAULT_FOLDER: Flag = { name: 'no-default-folder', variable: 'STNODEFAULTFOLDER' }

export const SERVE_FLAGS: readonly Flag[] = [
  ...DIRECTORY_FLAGS,
  ...GUI_FLAGS,
  { name: 'no-browser', variable: 'STNOBROWSER', help: 'Open no browser (the default; kept for scripts)' },
  { name: 'browser', help: 'Open the GUI in a browser once it answers' },
  { name: 'no-restart', variable: 'STNORESTART', help: 'Leave with code 3 instead of restarting in place' },
  { name: 'no-upgrade', variable: 'STNOUPGRADE', help: 'Never look for newer versions' },
  PORT_PROBING,
  { name: 'paused', variable: 'STPAUSED', help: 'Start with all devices and folders paused' },
  { name: 'unpaused', variable: 'STUNPAUSED', help: 'Start with all devices and folders running' },
  { name: 'allow-newer-config', variable: 'STALLOWNEWERCONFIG', help: 'Accept a config.xml of a newer version' },
  {
    name: 'log-file',
    aliases: ['logfile'],
    value: 'PATH',
    variable: 'STLOGFILE',
    help: 'Log here; - is standard output, default is in the data directory',
  },
  {
    name: 'log-max-size',
    value: 'BYTES',
    variable: 'STLOGMAXSIZE',
    help: 'Start a new log file beyond this size (10485760)',
  },
  { name: 'log-max-old-files', value: 'N', variable: 'STLOGMAXOLDFILES', help: 'Old log files to keep (3)' },
  { name: 'log-level', value: 'LEVEL', variable: 'STLOGLEVEL', help: 'DEBUG, INFO, WARN or ERROR (INFO)' },
  { name: 'log-format', value: 'FORMAT', variable: 'STLOGFORMAT', help: 'text or json (text)' },
  { name: 'audit', variable: 'STAUDIT', help: 'Write every event to a dated file in the data directory' },
  {
    name: 'audit-file',
    aliases: ['auditfile'],
    value: 'PATH',
    variable: 'STAUDITFILE',
    help: 'Write every event here; - is standard output, -- standard error',
  },
  { name: 'debug-gui-assets-dir', value: 'DIR', variable: 'STGUIASSETS', help: 'Serve the GUI from here' },
  { name: 'debug-reset-delta-idxs', aliases: ['reset-deltas'] },
  NO_DEFAULT_FOLDER,
  // Spellings of Syncthing that mean nothing here. Scripts and service files carry them, so they are not an error.
  { name: 'verbose' },
  { name: 'logflags', value: 'BITS' },
  { name: 'log-format-timestamp', value: 'FORMAT', variable: 'STLOGFORMATTIMESTAMP' },
  { name: 'log-format-level-string', variable: 'STLOGFORMATLEVELSTRING' },
  { name: 'log-format-level-syslog', variable: 'STLOGFORMATLEVELSYSLOG' },
  { name: 'db-maintenance-interval', value: 'DURATION', variable: 'STDBMAINTENANCEINTERVAL' },
  { name: 'db-delete-retention-interval', value: 'DURATION', variable: 'STDBDELETERETENTIONINTERVAL' },
  { name: 'debug-db-indirect-gc-interval', value: 'DURATION', variable: 'STGCINDIRECTEVERY' },
  { name: 'debug-db-recheck-interval', value: 'DURATION', variable: 'STRECHECKDBEVERY' },
  { name: 'debug-perf-stats', variable: 'STPERFSTATS' },
  { name: 'debug-profile-block', variable: 'STBLOCKPROFILE' },
  { name: 'debug-profile-cpu', variable: 'STCPUPROFILE' },
  { name: 'debug-profile-heap', variable: 'STHEAPPROFILE' },
  { name: 'debug-profiler-listen', value: 'ADDRESS', variable: 'STPROFILER' },
  { name: 'no-console', variable: 'STHIDECONSOLE' },
]

/** Flags of 1.x that are commands: they act and leave. */
export const ACTION_FLAGS: readonly Flag[] = [
  { name: 'help', short: 'h' },
  { name: 'version' },
  { name: 'device-id' },
  { name: 'paths' },
  { name: 'browser-only' },
  { name: 'generate', value: 'DIR' },
  { name: 'reset-database' },
  { name: 'upgrade' },
  { name: 'upgrade-check' },
  { name: 'upgrade-to', value: 'URL' },
]

export const GENERATE_FLAGS: readonly Flag[] = [
  ...DIRECTORY_FLAGS,
  { name: 'gui-user', value: 'NAME', variable: 'STGUIUSER', help: 'User name for GUI and REST' },
  {
    name: 'gui-password',
    value: 'PASSWORD',
    variable: 'STGUIPASSWORD',
    help: 'Password for it; - reads one line from standard input',
  },
  PORT_PROBING,
  NO_DEFAULT_FOLDER,
]

export const UPGRADE_FLAGS: readonly Flag[] = [
  ...DIRECTORY_FLAGS,
  { name: 'check-only', short: 'c', help: 'Only say whether there is a newer release' },
  { name: 'from', short: 'u', value: 'URL', help: 'Address of the package in an npm registry, instead of releasesURL' },
]
