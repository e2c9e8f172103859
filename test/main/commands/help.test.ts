import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommandLine } from '../../../src/cli/args/parse.ts'
import { commandHelp, overview } from '../../../src/cli/args/help.ts'
import type { FlagSpec } from '../../../src/cli/args/flag-spec.ts'
import { COMMAND_GROUPS, type CommandSpec } from '../../../src/cli/args/types.ts'
import { COMMANDS } from '../../../src/main/commands/table.ts'
import { SERVE_FLAGS } from '../../../src/main/args/serve-flags.ts'

/** Every command with those around it, from the outermost. */
function paths(
  commands: readonly CommandSpec[],
  before: readonly CommandSpec[] = [],
): readonly (readonly CommandSpec[])[] {
  return commands.flatMap((command) => [[...before, command], ...paths(command.commands ?? [], [...before, command])])
}

const PATHS = paths(COMMANDS)

for (const path of PATHS) {
  const name = path.map((command) => command.name).join(' ')
  test(`help of ${name}: usage and an example`, () => {
    const text = commandHelp('twinfold', path)
    assert.match(text, new RegExp(`^Usage: twinfold ${name} `))
    assert.match(text, new RegExp(`\nExample:\n  twinfold ${name}`))
    for (const line of text.split('\nExample:')[0]!.split('\n')) assert.ok(line.length <= 80, line)
    for (const flag of path.at(-1)?.flags ?? [])
      assert.equal(text.includes(`--${flag.name} `), flag.description !== undefined, flag.name)
  })
}

test('the overview has every command in its group, under the name of the program', () => {
  const text = overview('syncthing', COMMANDS)
  for (const command of COMMANDS) {
    const group = COMMAND_GROUPS[command.group ?? assert.fail(`${command.name} has no group`)]
    if (!command.hidden) assert.match(text, new RegExp(`^${group}:\n(  .*\n)*  ${command.name}\\b`, 'm'))
  }
  assert.ok(!text.includes('twinfold serve'))
})

test('the help of serve names every flag that has an effect, with its variable', () => {
  const help = commandHelp(
    'twinfold',
    COMMANDS.filter(({ name }) => name === 'serve'),
  )
  for (const text of [
    '--home DIR',
    '-H,',
    '$STHOMEDIR',
    '--gui-address URL',
    '--no-restart',
    '--log-file PATH',
    'default 3;',
  ])
    assert.ok(help.includes(text), text)
  assert.ok(!help.includes('--verbose'))
})

/** Of these the command decides: a file in one, a switch in another. */
const BY_COMMAND: ReadonlySet<string> = new Set(['apply', 'f'])

/** Spellings are rewritten before the command is parsed. */
test('a flag of one name or letter has the same type in all commands', () => {
  const shapes = new Map<string, string>()
  for (const flag of PATHS.flatMap((path) => path.at(-1)?.flags ?? [])) {
    for (const name of names(flag).filter((each) => !BY_COMMAND.has(each))) {
      const shape = `${name.length === 1 ? flag.name : ''} ${flag.value === undefined ? 'switch' : 'value'}`
      assert.equal(shapes.get(name) ?? shape, shape, name)
      shapes.set(name, shape)
    }
  }
})

test('the command decides where a flag of its own has the name or the letter of another', () => {
  const parsed = (...args: readonly string[]) => {
    const found = parseCommandLine(COMMANDS, args, {})
    assert.equal(found.kind, 'run')
    return found.kind === 'run' ? found.flags : undefined
  }
  assert.equal(parsed('--home', '/h', 'apply', '-f', 'setup.yaml')?.text('file'), 'setup.yaml')
  assert.equal(parsed('events', '-f')?.isOn('follow'), true)
  assert.equal(parsed('serve', '--apply', 'setup.yaml')?.text('apply'), 'setup.yaml')
  assert.equal(parsed('rewind', 'docs', '--to', '1h', '--apply')?.isOn('apply'), true)
})

function names({ name, aliases = [], short }: FlagSpec): readonly string[] {
  return [name, ...aliases, ...(short === undefined ? [] : [short])]
}

test('flags of serve have no checks, choices or repetitions, which need commander', () => {
  for (const flag of SERVE_FLAGS)
    assert.deepEqual([flag.check, flag.choices, flag.repeatable], [undefined, undefined, undefined], flag.name)
})
