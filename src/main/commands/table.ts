import { DIRECTORY_FLAGS, FINDING_FLAGS, JSON_FLAG } from '../../cli/args/shared-flags.ts'
import type { CommandSpec } from '../../cli/args/types.ts'
import { SHELLS } from '../../cli/completions.ts'
import { remoteCommands } from '../../cli/remote-commands.ts'
import { DEMO_FLAGS } from '../args/demo-flags.ts'
import { ACTION_FLAGS, GENERATE_FLAGS, SERVE_FLAGS, UPGRADE_FLAGS } from '../args/serve-flags.ts'
import { DECRYPT_FLAGS } from '../args/decrypt-flags.ts'
import { SERVICE_FLAGS, SERVICE_VERBS } from '../service/flags.ts'

const SERVE: CommandSpec = {
  name: 'serve',
  group: 'setup',
  isDefault: true,
  summary: 'run the daemon; the default command',
  description: 'Runs the daemon until it is stopped. The first start creates a home with keys and configuration.',
  flags: [...SERVE_FLAGS, ...ACTION_FLAGS],
  examples: ['serve --home ~/.twinfold', 'serve --gui-address https://127.0.0.1:8385 --log-level DEBUG'],
  sections: [
    [
      'Signals',
      'SIGTERM and SIGINT stop the daemon, a second one at once. SIGHUP restarts it. ' +
        'On Windows Ctrl+C, Ctrl+Break and closing the console stop it.',
    ],
    ['Exit codes', '0 stopped on request, 1 error, 3 restart requested (only with --no-restart)'],
  ],
  local: async (call) => (await import('./serve.ts')).serveCommand(call),
}

const RESET_DATABASE: CommandSpec = {
  name: 'reset-database',
  summary: 'remove the index; the daemon must be stopped',
  description: 'Removes the index. The next start scans everything again. The daemon must be stopped.',
  flags: [JSON_FLAG, ...DIRECTORY_FLAGS],
  examples: ['debug reset-database'],
  local: async (call) => (await import('./home.ts')).resetDatabaseCommand(call),
}

/** The commands that need no running daemon, in the order of `--help`. */
const LOCAL_COMMANDS: readonly CommandSpec[] = [
  SERVE,
  {
    name: 'demo',
    group: 'setup',
    summary: 'run three devices with sample files in a temporary directory',
    description:
      'Runs three devices with sample files in a temporary directory and opens the page of the first. They ' +
      'connect to each other and to no other host. Ctrl+C stops them and removes everything.',
    flags: DEMO_FLAGS,
    examples: ['demo', 'demo --port 8400 --no-browser'],
    local: async (call) => (await import('./demo.ts')).demoCommand(call),
  },
  {
    name: 'generate',
    group: 'setup',
    summary: 'create keys and configuration, then exit',
    description: 'Creates keys and configuration where they are missing. Existing ones are kept.',
    flags: [...GENERATE_FLAGS, JSON_FLAG],
    examples: ['generate --home ~/.twinfold --gui-user me --gui-password - <password.txt'],
    local: async (call) => (await import('./home.ts')).generateCommand(call),
  },
  {
    name: 'device-id',
    group: 'setup',
    summary: 'print the ID of this device',
    flags: [JSON_FLAG, ...DIRECTORY_FLAGS],
    examples: ['device-id --home ~/.twinfold'],
    local: async (call) => (await import('./home.ts')).deviceIdCommand(call),
  },
  {
    name: 'paths',
    group: 'setup',
    summary: 'print the paths of all files, whether they exist or not',
    flags: [JSON_FLAG, ...DIRECTORY_FLAGS],
    examples: ['paths', 'paths --json'],
    local: async (call) => (await import('./home.ts')).pathsCommand(call),
  },
  {
    name: 'browser',
    group: 'setup',
    summary: 'open the GUI of the running daemon in a browser',
    description: 'Opens the GUI of the running daemon in a browser, or prints its address without a browser.',
    flags: [JSON_FLAG, ...FINDING_FLAGS],
    examples: ['browser'],
    local: async (call) => (await import('./browser.ts')).browserCommand(call),
  },
  {
    name: 'version',
    group: 'setup',
    summary: 'print the version',
    flags: [JSON_FLAG, ...DIRECTORY_FLAGS],
    examples: ['version', 'version --json'],
    local: async (call) => (await import('./version.ts')).versionCommand(call),
  },
  {
    name: 'service',
    group: 'setup',
    summary: 'start the daemon with the machine or the login',
    description:
      'Makes the daemon a service: a systemd unit, a launchd agent on macOS, a scheduled task on Windows. Flags of ' +
      '"serve", such as --home, are carried into it.',
    arguments: [{ name: 'action', text: SERVICE_VERBS.join('|'), choices: SERVICE_VERBS }],
    flags: [...SERVICE_FLAGS, JSON_FLAG, ...SERVE_FLAGS],
    examples: [
      'service install --home ~/.twinfold',
      'service install --system --user me',
      'service install --print --platform launchd',
    ],
    sections: [['Exit codes', '0 done, or running; 1 error; "status" also 3 not running, 4 not installed']],
    local: async (call) => (await import('../service/service.ts')).serviceCommand(call),
  },
  {
    name: 'decrypt',
    group: 'diagnostics',
    summary: 'restore or verify the files of an encrypted folder, with its password',
    description:
      'Restores plain files from the directory of an encrypted folder and its password, without a daemon. Damaged ' +
      'files are reported and passed over. Nothing is overwritten: a file that was restored before is kept, so that ' +
      'the same command continues an interrupted run.',
    arguments: [{ name: 'path' }],
    flags: [...DECRYPT_FLAGS, JSON_FLAG],
    examples: [
      'decrypt ~/docs-encrypted --to ~/docs-restored --password-file docs-password.txt',
      'decrypt ~/docs-encrypted --verify-only --password-file docs-password.txt',
    ],
    sections: [['Exit codes', '0 all files restored or verified; 1 error, or some files could not be']],
    local: async (call) => (await import('./decrypt.ts')).decryptCommand(call),
  },
  {
    name: 'upgrade',
    group: 'setup',
    summary: 'show whether there is a newer release, and the command that installs it',
    description:
      'Queries the npm registry for a newer release, and prints its changes and the command that upgrades ' +
      'this installation. Installs nothing, but with --install, which only a single-file executable has. Uses ' +
      'releasesURL of the home, also while upgrade checks are off.',
    flags: [...UPGRADE_FLAGS, JSON_FLAG],
    examples: [
      'upgrade',
      'upgrade --check-only',
      'upgrade --json',
      'upgrade --install twinfold-1.1.0-linux-x64.tar.xz',
    ],
    sections: [['Exit codes', '0 there is a newer release, or it is installed; 1 error; 2 there is none']],
    local: async (call) => (await import('./upgrade.ts')).upgradeCommand(call),
  },
  {
    name: 'install-completions',
    group: 'setup',
    summary: 'print a script for completion of commands and flags',
    description: 'Prints a script for completion of commands and flags; without a name, for the shell in $SHELL.',
    arguments: [{ name: 'shell', optional: true, choices: SHELLS }],
    examples: [
      'install-completions bash >> ~/.bashrc',
      'install-completions fish > ~/.config/fish/completions/twinfold.fish',
    ],
    local: async (call) => (await import('./documentation.ts')).installCompletionsCommand(call),
  },
  {
    name: 'help',
    group: 'setup',
    summary: 'describe a command, or print the man page',
    arguments: [{ name: 'command', optional: true, repeatable: true }],
    flags: [{ name: 'man', description: 'Print the man page of all commands, in roff' }],
    examples: ['help folder add', 'help --man > twinfold.1'],
    local: async (call) => (await import('./documentation.ts')).helpCommand(call),
  },
]

/**
 * Every command of the program. Parsing, `--help`, completions, the man page and docs/cli.md come from this table. To
 * add a command that needs no daemon, add an entry to LOCAL_COMMANDS and write its handler, a function from LocalCall
 * to the exit code, in a file of this folder, imported only when it runs.
 */
export const COMMANDS: readonly CommandSpec[] = [...LOCAL_COMMANDS, ...remoteCommands([RESET_DATABASE])]

/** Environment variables that belong to no flag. */
export const VARIABLES: readonly (readonly [name: string, description: string])[] = [
  ['STTRACE', 'Facilities that log debug lines from the start of serve, separated by commas, semicolons or blanks.'],
  ['STVERSIONEXTRA', 'Text that a wrapping program adds to the version.'],
  [
    'TWINFOLD_CACHE_DIR',
    'Where a single-file executable unpacks its files; below the cache directory of the user without it.',
  ],
]
