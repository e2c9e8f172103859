import { TwinfoldError } from '../core/errors.ts'
import { HELP_FLAG } from './args/shared-flags.ts'
import type { CommandSpec } from './args/types.ts'

/** The arguments that may follow each position; the key holds the arguments before it, `''` for the first position. */
export type WordTable = ReadonlyMap<string, readonly string[]>

/** Commands that print further candidates of a position, one per line. */
const CANDIDATE_COMMANDS: ReadonlyMap<string, string> = new Map([['device add', 'device nearby --ids']])

/** Every argument that may stand at each position: subcommands, choices, and the flags that help shows. */
export function wordTable(commands: readonly CommandSpec[], treeCommands: readonly CommandSpec[]): WordTable {
  const table = new Map<string, readonly string[]>()
  const add = (command: CommandSpec, place: string) => {
    const below = command.passThrough ? treeCommands : (command.commands ?? [])
    const choices = command.arguments?.flatMap((argument) => argument.choices ?? []) ?? []
    const flags = [...(command.flags ?? []), HELP_FLAG].filter(({ description }) => description !== undefined)
    table.set(place, [...below.map(({ name }) => name), ...choices, ...flags.map(({ name }) => `--${name}`)])
    for (const each of below) add(each, `${place} ${each.name}`)
  }
  const first = commands.find(({ isDefault }) => isDefault)
  for (const command of commands) add(command, command.name)
  const visible = commands.filter(({ hidden }) => !hidden).map(({ name }) => name)
  return new Map([['', [...visible, ...(table.get(first?.name ?? '') ?? []), '--version']], ...table])
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** The shell on the command line, or else the login shell. Throws `usage` for an unsupported one. */
export function parseShell(named: string | undefined, userShell: string | undefined): Shell {
  const wanted = named ?? userShell?.slice(userShell.lastIndexOf('/') + 1) ?? ''
  const shell = SHELLS.find((each) => each === wanted)
  if (shell !== undefined) return shell
  throw new TwinfoldError('usage', `name the shell: ${SHELLS.slice(0, -1).join(', ')} or ${SHELLS.at(-1)}`)
}

/**
 * The completion script of a shell for our commands and flags. It holds the candidates, so that completing starts no
 * process, except for those that only the daemon has; other arguments, like paths, are left to the shell.
 */
export function completionScript(shell: Shell, program: string, table: WordTable): string {
  for (const words of table.values()) words.forEach(assertPlain)
  switch (shell) {
    case 'bash':
      return (
        `${intro(program, `eval "$(${program} install-completions bash)"`, '~/.bashrc')}\n` +
        `${bashFunction(program, table)}`
      )
    case 'zsh':
      // The function is the same: zsh can run completion functions of bash.
      return `${intro(program, `eval "$(${program} install-completions zsh)"`, '~/.zshrc, after compinit')}
autoload -U +X bashcompinit && bashcompinit
${bashFunction(program, table)}`
    case 'fish':
      return (
        `${intro(program, `${program} install-completions fish | source`, '~/.config/fish/config.fish')}\n` +
        `${fishScript(program, table)}`
      )
  }
}

/** The candidates are unquoted in the script; one with special characters must not become a command. */
function assertPlain(word: string): void {
  if (!/^[A-Za-z0-9-]+$/.test(word)) throw new Error(`the argument ${JSON.stringify(word)} needs quotes in a shell`)
}

function intro(program: string, line: string, file: string): string {
  return (
    `# Completes the commands and flags of ${program}. For every new shell, put this line into ${file}:\n` +
    `#   ${line}`
  )
}

/** Arguments without a position of their own, such as values and names, are skipped. */
function bashFunction(program: string, table: WordTable): string {
  const places = [...table.keys()].filter((place) => place !== '')
  const cases = [...table].map(([place, words]) => {
    const command = CANDIDATE_COMMANDS.get(place)
    const more = command === undefined ? '' : `; words="$words $(${program} ${command} 2>/dev/null)"`
    return `    '${place}') words='${words.join(' ')}'${more} ;;`
  })
  return `_${program}_complete() {
  local at='' next='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case "$next" in
    ${places.map((place) => `'${place}'`).join('|')}) at="$next" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${program}_complete ${program}`
}

function fishScript(program: string, table: WordTable): string {
  const places = [...table.keys()].filter((place) => place !== '').map((place) => `'${place}'`)
  const lines = [...table].map(([place, words]) => {
    const command = CANDIDATE_COMMANDS.get(place)
    const more = command === undefined ? '' : ` (${program} ${command} 2>/dev/null)`
    return `complete -c ${program} -n "__${program}_at '${place}'" -a '${words.join(' ')}${more}'`
  })
  return `function __${program}_at
  set -l at ''
  set -l given (commandline -opc)
  set -e given[1]
  for word in $given
    set -l next (string trim -- "$at $word")
    contains -- "$next" ${places.join(' ')}; and set at "$next"
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}`
}
