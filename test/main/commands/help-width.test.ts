import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandHelp, overview } from '../../../src/cli/args/help.ts'
import type { CommandSpec } from '../../../src/cli/args/types.ts'
import { COMMANDS } from '../../../src/main/commands/table.ts'

function pathsOf(commands: readonly CommandSpec[], above: readonly CommandSpec[] = []): readonly CommandSpec[][] {
  return commands.flatMap((command) => [[...above, command], ...pathsOf(command.commands ?? [], [...above, command])])
}

function assertNarrow(text: string, title: string): void {
  for (const line of text.split('\n')) assert.ok(line.length <= 80, `${title}: ${line.length} columns: ${line}`)
}

test('the overview fits 80 columns', () => assertNarrow(overview('twinfold', COMMANDS), 'overview'))

test('the help of every command fits 80 columns, with usage first and an example', () => {
  for (const path of pathsOf(COMMANDS)) {
    const title = path.map(({ name }) => name).join(' ')
    const text = commandHelp('twinfold', path)
    assertNarrow(text, title)
    assert.match(text, new RegExp(`^Usage: twinfold ${title}[^]*\\n\\nExample:\\n  twinfold `), title)
  }
})

test('an example that is too long continues on the next line, as in a shell', () => {
  const text = commandHelp('twinfold', [COMMANDS.find(({ name }) => name === 'device')!])
  assert.match(text, /^ {2}twinfold device add \\\n {4}\S{63} \\\n {4}--name laptop$/m)
})
