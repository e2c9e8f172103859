import { TwinfoldError } from '../core/errors.ts'
import { HELP_FLAG } from './args/shared-flags.ts'
import type { NameKind } from './args/flag-spec.ts'
import type { ArgumentSpec, CommandSpec } from './args/types.ts'

/** What may be completed at each position; the key holds the arguments before it, `''` for the first position. */
export type WordTable = ReadonlyMap<string, Completions>

interface Completions {
  /** Subcommands, choices, and the flags that help shows. */
  readonly words: readonly string[]
  /** The names of a running daemon that its arguments are, in order. */
  readonly names?: readonly (NameKind | undefined)[]
}

/** Every argument that may stand at each position. */
export function wordTable(commands: readonly CommandSpec[], treeCommands: readonly CommandSpec[]): WordTable {
  const table = new Map<string, Completions>()
  const add = (command: CommandSpec, place: string) => {
    const below = command.passThrough ? treeCommands : (command.commands ?? [])
    const choices = command.arguments?.flatMap((argument) => argument.choices ?? []) ?? []
    const flags = [...(command.flags ?? []), HELP_FLAG].filter(({ description }) => description !== undefined)
    const words = [...below.map(({ name }) => name), ...choices, ...flags.map(({ name }) => `--${name}`)]
    table.set(place, { words, names: (command.arguments ?? []).flatMap(nameKinds) })
    for (const each of below) add(each, `${place} ${each.name}`)
  }
  const first = commands.find(({ isDefault }) => isDefault)
  const visible = commands.filter(({ hidden }) => !hidden)
  for (const command of visible) add(command, command.name)
  const names = visible.map(({ name }) => name)
  return new Map([['', { words: [...names, ...(table.get(first?.name ?? '')?.words ?? []), '--version'] }], ...table])
}

/** More arguments of a repeatable one than anybody types are not completed. */
const REPEATED_MAX = 8

function nameKinds({ completes, repeatable }: ArgumentSpec): readonly (NameKind | undefined)[] {
  return Array.from({ length: repeatable ? REPEATED_MAX : 1 }, () => completes)
}

/** Flags with a value, and what is completed after them. */
export type FlagValues = ReadonlyMap<string, NameKind | undefined>

export function flagValues(commands: readonly CommandSpec[]): FlagValues {
  const found = new Map<string, NameKind | undefined>()
  const add = (command: CommandSpec) => {
    for (const { name, value, completes } of command.flags ?? [])
      if (value !== undefined) found.set(`--${name}`, completes ?? found.get(`--${name}`))
    command.commands?.forEach(add)
  }
  commands.forEach(add)
  return found
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
 * The completion script of a shell. It holds all commands and flags, so that completing them starts no process; names
 * of folders and devices are read from the running daemon. Other arguments, like paths, are completed by the shell.
 */
export function completionScript(shell: Shell, program: string, table: WordTable, flags: FlagValues): string {
  for (const { words } of table.values()) words.forEach(assertPlain)
  for (const flag of flags.keys()) assertPlain(flag)
  switch (shell) {
    case 'bash':
      return (
        `${intro(program, `eval "$(${program} install-completions bash)"`, '~/.bashrc')}\n` +
        `${bashFunction(program, table, flags)}`
      )
    case 'zsh':
      // The function is the same: zsh can run completion functions of bash.
      return `${intro(program, `eval "$(${program} install-completions zsh)"`, '~/.zshrc, after compinit')}
autoload -U +X bashcompinit && bashcompinit
${bashFunction(program, table, flags)}`
    case 'fish':
      return (
        `${intro(program, `${program} install-completions fish | source`, '~/.config/fish/config.fish')}\n` +
        `${fishScript(program, table, flags)}`
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

interface NamePlace {
  readonly place: string
  /** Arguments before this one. */
  readonly index: number
  readonly kind: NameKind
}

function namePlaces(table: WordTable): readonly NamePlace[] {
  return [...table].flatMap(([place, { names = [] }]) => {
    return names.flatMap((kind, index) => (kind === undefined ? [] : [{ place, index, kind }]))
  })
}

const HOME_FLAGS = ['--home', '-H']

/** Values of flags are no arguments. The home is passed on, so that the names are those of its daemon. */
function bashFunction(program: string, table: WordTable, flags: FlagValues): string {
  const places = [...table.keys()].filter((place) => place !== '')
  const cases = [...table].map(([place, { words }]) => `    '${place}') words='${words.join(' ')}' ;;`)
  const afterFlags = [...flags].flatMap(([flag, kind]) => (kind === undefined ? [] : [`    ${flag}) names=${kind} ;;`]))
  const positions = namePlaces(table).map(({ place, index, kind }) => `      '${place}:${index}') names=${kind} ;;`)
  return `_${program}_complete() {
  local at='' next='' words='' names='' home='' count=0 i word previous name
  local current="\${COMP_WORDS[COMP_CWORD]}"
  previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    next="\${at:+$at }$word"
    case "$next" in
    ${places.map((place) => `'${place}'`).join('|')}) at="$next"; count=0; continue ;;
    esac
    case "$word" in
    ${HOME_FLAGS.join('|')}) home="\${COMP_WORDS[i + 1]}"; i=$((i + 1)) ;;
    ${[...flags.keys()].join('|')}) i=$((i + 1)) ;;
    -*) ;;
    *) count=$((count + 1)) ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  case "$previous" in
${afterFlags.join('\n')}
    *) case "$at:$count" in
${positions.join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n "$names" && "$current" != -* ]]; then
    while IFS= read -r name; do
      if [[ "$name" == "$current"* ]]; then COMPREPLY+=("$(printf '%q' "$name")"); fi
    done < <(${program} complete-names "$names" \${home:+--home "$home"} 2>/dev/null)
  fi
}
complete -o default -F _${program}_complete ${program}`
}

function fishScript(program: string, table: WordTable, flags: FlagValues): string {
  const places = [...table.keys()].filter((place) => place !== '').map((place) => `'${place}'`)
  const isGroup = (place: string) =>
    [...table.keys()].some((other) => other.startsWith(place === '' ? place : `${place} `))
  const lines = [...table].map(([place, { words }]) => {
    const noFiles = isGroup(place) ? '-f ' : '' // a subcommand is no file
    return `complete -c ${program} ${noFiles}-n "__${program}_at '${place}'" -a '${words.join(' ')}'`
  })
  const names = namePlaces(table).map(
    ({ place, index, kind }) =>
      `complete -c ${program} -f -n "__${program}_at '${place}' ${index}" -a '(__${program}_names ${kind})'`,
  )
  const afterFlags = [...flags].flatMap(([flag, kind]) =>
    kind === undefined ? [] : [`complete -c ${program} -x -l ${flag.slice(2)} -a '(__${program}_names ${kind})'`],
  )
  return `function __${program}_at
  set -l at ''
  set -l count 0
  set -l skip 0
  set -l given (commandline -opc)
  set -e given[1]
  for word in $given
    if test $skip = 1
      set skip 0
      continue
    end
    set -l next (string trim -- "$at $word")
    if contains -- "$next" ${places.join(' ')}
      set at "$next"
      set count 0
    else if contains -- "$word" ${[...flags.keys(), '-H'].join(' ')}
      set skip 1
    else if not string match -q -- '-*' "$word"
      set count (math $count + 1)
    end
  end
  test "$at" = "$argv[1]"; or return 1
  test (count $argv) = 1; or test "$count" = "$argv[2]"
end
function __${program}_names
  set -l given (commandline -opc)
  set -l home
  if set -l index (contains -i -- --home $given)
    set home --home $given[(math $index + 1)]
  end
  ${program} complete-names $argv[1] $home 2>/dev/null
end
${[...lines, ...names, ...afterFlags].join('\n')}`
}
