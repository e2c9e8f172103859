import { DEMO_FLAGS } from './demo-flags.ts'
import { describeFlags } from './flags.ts'
import { SERVICE_FLAGS } from './service/flags.ts'
import { DIRECTORY_FLAGS, GENERATE_FLAGS, GUI_FLAGS, SERVE_FLAGS, UPGRADE_FLAGS } from './serve-flags.ts'
import type { LocalCommand } from './command-line.ts'

/** What `twinfold --help` prints: all commands in one screen. */
export function overview(program: string): string {
  return `Usage: ${program} [COMMAND] [FLAGS]

Continuous file synchronization, compatible with Syncthing.

Run and set up:
  serve              run the daemon; what happens without a command
  demo               show what this is: three devices in a temporary directory
  generate           make keys and configuration, then leave
  device-id          print the ID of this device
  paths              print where all files are
  browser            open the GUI of the running daemon
  service install|uninstall|status
                     start it with the machine or the login
  version            print the version
  upgrade            show whether there is a newer release, and how to install it
  install-completions [bash|zsh|fish]
                     print what makes a shell complete commands and flags

Use the running daemon:
  folder add|list|remove|pause|resume
                           what is kept in sync
  device add|list|remove|pause|resume
                           with whom
  pending [accept|ignore]  what others offer
  status [FOLDER]          how it goes
  why FOLDER FILE          why a file is here or not
  scan FOLDER [SUB…]       look for changes now
  prio FOLDER FILE         download this file first
  network                  with whom the device talks by itself
  events, logs             what happened
  support                  save what helps others to help, without secrets
  debug                    switch debug lines; "debug reset-database" forgets the index
  cli                      Syncthing's own command line, for scripts: every setting, show, operations

Everywhere:
${describeFlags([...DIRECTORY_FLAGS, ...GUI_FLAGS])}
Example:
  ${program} serve --home ~/.twinfold
  ${program} folder add ~/Photos --home ~/.twinfold

"${program} COMMAND --help" says more about a command.`
}

/** The help of one command that needs no daemon. */
export function commandHelp(program: string, command: LocalCommand | 'reset-database'): string {
  switch (command) {
    case 'serve':
      return page(
        `${program} serve [FLAGS]`,
        'Runs the daemon until it is told to stop. Makes a home with keys and configuration on the first start.',
        SERVE_FLAGS,
        [
          `${program} serve --home ~/.twinfold`,
          `${program} serve --gui-address https://127.0.0.1:8385 --log-level DEBUG`,
        ],
        `Signals: SIGTERM and SIGINT stop it, a second one at once; SIGHUP restarts it.
Exit codes: 0 stopped as asked, 1 error, 3 restart wanted (only with --no-restart)`,
      )
    case 'demo':
      return page(
        `${program} demo [FLAGS]`,
        `Runs three devices with sample files in a temporary directory and opens the page of the first. They talk to each
other and to nobody else. Ctrl+C ends it and removes everything.`,
        DEMO_FLAGS,
        [`${program} demo`, `${program} demo --port 8400 --no-browser`],
      )
    case 'generate':
      return page(
        `${program} generate [FLAGS]`,
        'Makes keys and configuration where they are missing. What is there stays.',
        GENERATE_FLAGS,
        [`${program} generate --home ~/.twinfold --gui-user me --gui-password - <password.txt`],
      )
    case 'device-id':
      return page(`${program} device-id [FLAGS]`, 'Prints the ID of this device.', DIRECTORY_FLAGS, [
        `${program} device-id --home ~/.twinfold`,
      ])
    case 'paths':
      return page(
        `${program} paths [FLAGS]`,
        'Prints where all files are, whether they exist or not.',
        DIRECTORY_FLAGS,
        [`${program} paths`, `${program} paths --json`],
      )
    case 'browser':
      return page(
        `${program} browser [FLAGS]`,
        'Opens the GUI of the running daemon in a browser, or prints its address where there is none.',
        [...DIRECTORY_FLAGS, ...GUI_FLAGS],
        [`${program} browser`],
      )
    case 'upgrade':
      return page(
        `${program} upgrade [FLAGS]`,
        `Asks the npm registry whether there is a newer release, and prints what changed and the command that upgrades this
installation. Installs nothing. Asks the address in releasesURL of the home, also while upgrade checks are off.`,
        UPGRADE_FLAGS,
        [`${program} upgrade`, `${program} upgrade --check-only`, `${program} upgrade --json`],
        'Exit codes: 0 there is a newer release, 1 error, 2 there is none',
      )
    case 'reset-database':
      return page(
        `${program} debug reset-database [FLAGS]`,
        'Forgets the index; the next start scans everything again. The daemon must be stopped.',
        DIRECTORY_FLAGS,
        [`${program} debug reset-database`],
      )
    case 'service':
      return page(
        `${program} service install|uninstall|status [FLAGS] [FLAGS OF serve]`,
        `Makes the daemon a service: a systemd unit, a launchd agent on macOS, a scheduled task on Windows. Flags of
"serve", such as --home, are carried into it.`,
        SERVICE_FLAGS,
        [
          `${program} service install --home ~/.twinfold`,
          `sudo ${program} service install --system --user me`,
          `${program} service install --print --platform launchd`,
        ],
        `Exit codes: 0 done, or running; 1 error; "status" also 3 not running, 4 not installed`,
      )
    case 'version':
      return page(`${program} version [--json]`, 'Prints the version.', [], [`${program} version`])
    case 'install-completions':
      return page(
        `${program} install-completions [bash|zsh|fish]`,
        'Prints what makes a shell complete commands and flags; without a name, for the shell in $SHELL.',
        [],
        [
          `${program} install-completions bash >> ~/.bashrc`,
          `${program} install-completions fish > ~/.config/fish/completions/${program}.fish`,
        ],
      )
    case 'help':
      return overview(program)
  }
}

function page(
  usage: string,
  description: string,
  flags: Parameters<typeof describeFlags>[0],
  examples: readonly string[],
  more?: string,
): string {
  const flagText = flags.length === 0 ? '' : `\nFlags:\n${describeFlags(flags)}`
  const end = more === undefined ? '' : `\n\n${more}`
  return `Usage: ${usage}\n\n${description}\n${flagText}\nExample:\n${examples.map((example) => `  ${example}`).join('\n')}${end}`
}
