import { manPage } from '../../cli/args/man.ts'
import { treeCommands } from '../../cli/tree.ts'
import { nodeSystem } from '../../platform/node/system.ts'
import { versionFacts } from '../version.ts'
import { COMMANDS, VARIABLES } from './table.ts'

const FILES = [
  'The home is $XDG_STATE_HOME/syncthing or ~/.local/state/syncthing, unless an older location has a configuration: ' +
    '$XDG_CONFIG_HOME/syncthing or ~/.config/syncthing. "twinfold paths" prints the paths of all files.',
] as const

const EXIT_STATUS = [
  '0 success; 1 error or wrong usage.',
  'serve: 3 restart requested, only with --no-restart.',
  'Commands that connect to the daemon: 3 no daemon responds or there is no home; 4 scanned, but some items could ' +
    'not be read; 130 interrupted. cli: 3 no such setting.',
] as const

/** The man page of this version, `twinfold.1`. */
export function programManPage(): string {
  const { version, builtMs } = versionFacts(nodeSystem, '')
  return manPage({
    program: 'twinfold',
    version: version.replace(/^v/, ''),
    date: new Date(builtMs).toISOString().slice(0, 'YYYY-MM-DD'.length),
    commands: COMMANDS,
    treeCommands: treeCommands(),
    variables: VARIABLES,
    sections: [
      ['FILES', ...FILES],
      ['EXIT STATUS', ...EXIT_STATUS],
      ['SEE ALSO', 'The directory docs of the source: operations, folders, the web page and the REST interface.'],
    ],
  })
}
